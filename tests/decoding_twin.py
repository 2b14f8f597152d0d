"""A plain twin of Algorithm 1: one game at a time, one decision after another, as the paper writes it.

It uses the model's parameters and nothing of its decoding code. The fast code must take the same decisions.
"""

from dataclasses import dataclass

import torch
from torch.nn.functional import linear


@dataclass
class Decision:
    z: bool
    entity: int | None = None
    slot: int | None = None
    as_word: bool | None = None
    word: int | None = None  # at Z = 0


def lstm(model, y, h_prime, h, c):
    """Both layers of the language model; gates in the order output, input, forget, new."""
    below = torch.cat([y, h_prime])
    for layer, weights in enumerate(model.language.layers):
        gates = linear(torch.cat([below, h[layer]]), weights.weight, weights.bias)
        out, enter, forget, new = gates.chunk(4)
        c[layer] = torch.sigmoid(forget) * c[layer] + torch.sigmoid(enter) * torch.tanh(new)
        h[layer] = torch.sigmoid(out) * torch.tanh(c[layer])
        below = h[layer]


def context(model, h_lm, h_ent, w):
    """h' = tanh(W_H (h_LM + h_Ent + w, concatenated)); W_H is stored in three parts."""
    total = model.language.from_lm(h_lm) + model.language.from_entity(h_ent)
    if w is not None:
        total = total + model.from_writer(w)
    return torch.tanh(total)


@torch.no_grad()
def write(model, game: dict[str, torch.Tensor], min_new_tokens: int, max_new_tokens: int) -> list[Decision]:
    """`game` is the processor's batch of one game."""
    config, tracker = model.config, model.tracker
    r, e_bar = (
        encoded[0] for encoded in model.encoder(game["entity_ids"], game["is_home"], game["value_ids"])
    )  # [E, S, D], [E, D]
    people = [e for e in range(len(e_bar)) if game["entity_mask"][0, e]]
    mask, has_word, value_words = game["record_mask"][0].tolist(), game["has_word"][0], game["value_words"][0]
    w = model.writer.weight[game["writer_ids"][0]] if config.use_writer else None

    zeros = torch.zeros(config.hidden_size)
    h, c = [zeros] * config.num_lm_layers, [zeros] * config.num_lm_layers
    h_ent = tracker.gru_e(torch.stack([e_bar[e] for e in people]).mean(0), zeros)
    lstm(model, model.words.weight[config.bos_token_id], context(model, h[-1], h_ent, w), h, c)

    e_before, last_seen = None, {}  # e_{t-1}; h_s of every entity in the set of mentioned ones
    decisions = []
    never = {config.pad_token_id, config.unk_token_id, config.bos_token_id}
    while len(decisions) < max_new_tokens:
        h_lm = h[-1]
        if torch.sigmoid(model.transition(torch.cat([h_lm, h_ent]))).item() >= 0.5:
            w_old, w_new = model.old_entity(h_lm), model.new_entity(h_lm)
            scores = [last_seen[e] @ w_old if e in last_seen else e_bar[e] @ w_new for e in people]
            e = people[int(torch.stack(scores).argmax())]
            if e not in last_seen:
                h_ent = tracker.gru_e(e_bar[e], h_ent)
            elif e != e_before:
                h_ent = tracker.gru_e(tracker.from_memory(last_seen[e]), h_ent)
            w_attr = model.attribute(torch.cat([h_lm, h_ent]))
            slots = [a for a in range(config.num_slots) if mask[e][a]]
            a = slots[int(torch.stack([r[e, a] @ w_attr for a in slots]).argmax())]
            h_ent = tracker.gru_a(r[e, a], h_ent)
            as_word = bool(has_word[e, a]) and torch.sigmoid(model.number(torch.cat([h_lm, h_ent]))).item() >= 0.5
            y = value_words[e, a, int(as_word)]
            lstm(model, model.words.weight[y], context(model, h_lm, h_ent, w), h, c)
            e_before, last_seen[e] = e, h_ent
            decisions.append(Decision(True, e, a, as_word))
            continue
        h_prime = context(model, h_lm, h_ent, w)
        p = torch.softmax(model.output(h_prime), dim=0)
        banned = never | ({config.eos_token_id} if len(decisions) < min_new_tokens else set())
        p[list(banned)] = 0
        y = int(p.argmax())
        lstm(model, model.words.weight[y], h_prime, h, c)
        decisions.append(Decision(False, word=y))
        if y == config.eos_token_id:
            break
        if y == config.period_token_id:
            h_ent = tracker.gru_a(tracker.refresh, h_ent)
    return decisions


def ids(config, decisions: list[Decision]) -> list[int]:
    """The sequence ids of decisions."""
    return [config.record_id(d.entity, d.slot, d.as_word) if d.z else d.word for d in decisions]
