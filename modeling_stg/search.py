"""Beam search over the joint decisions of a step: a word (Z, Y) or a record (Z, E, A, N).

Every entity's h_Ent' is tried, so that p(Z) p(E) p(A) is exact for all records; N needs one more GRU step for each
record and is therefore asked only of the 2 * num_beams best candidates of a game.
"""

import torch
from torch.nn.functional import logsigmoid

from .choosing import NEVER, Settings, WordRules
from .decoder_state import Decoding
from .errors import StgError
from .record_constraints import Demands


class Finished:
    """The best ended texts of one game."""

    def __init__(self, beams: int, penalty: float):
        self.beams, self.penalty, self.texts = beams, penalty, []

    def add(self, total: float, tokens: torch.Tensor, log_probs: torch.Tensor) -> None:
        self.texts.append((total / len(tokens) ** self.penalty, tokens, log_probs))
        self.texts = sorted(self.texts, key=lambda text: -text[0])[: self.beams]

    def is_settled(self, best_running: float, length: int) -> bool:
        """Whether no running text can be expected to enter, as it stands now."""
        return len(self.texts) == self.beams and self.texts[-1][0] >= best_running / length**self.penalty


def search(model, batch: dict[str, torch.Tensor], settings: Settings) -> dict[str, torch.Tensor]:
    """The `num_return_sequences` best texts of each game: sequences, log_probs, sequences_scores."""
    config, beams, limit = model.config, settings.num_beams, settings.max_new_tokens
    decoding = Decoding(model, batch, beams)
    games, device = decoding.games, decoding.game.device
    rules = WordRules(settings, config, batch, decoding.game)
    demands = Demands.read(batch, settings, config, decoding.game)
    finished = [Finished(beams, settings.length_penalty) for _ in range(games)]
    live = torch.arange(games, device=device)
    totals = torch.full((games, beams), NEVER, device=device)
    totals[:, 0] = 0  # all beams of a game are the same at first
    sequences = torch.full((games * beams, limit), config.pad_token_id, device=device)
    log_probs = torch.zeros(games * beams, limit, device=device)
    for time in range(limit):
        scores, own, tokens = _candidates(decoding, rules, demands, config, settings, beams)
        joint = (totals.flatten().unsqueeze(1) + scores).view(len(live), -1)
        joint, best = joint.topk(min(2 * beams, joint.shape[1]), dim=1)
        parent = best // scores.shape[1] + torch.arange(len(live), device=device).unsqueeze(1) * beams
        token, step = tokens.view(len(live), -1).gather(1, best), own.view(len(live), -1).gather(1, best)
        joint, parent, token, step = _with_forms(decoding, config, joint, parent, token, step, beams)

        ends = (token == config.eos_token_id) & (joint > NEVER)
        for row, column in (ends[:, :beams]).nonzero().tolist():
            source = parent[row, column]
            text = torch.cat([sequences[source, :time], token[row, column].view(1)])
            record = torch.cat([log_probs[source, :time], step[row, column].view(1)])
            finished[live[row]].add(joint[row, column].item(), text, record)

        order = ends.to(torch.int8).argsort(dim=1, stable=True)[:, :beams]
        totals = joint.gather(1, order).masked_fill(ends.gather(1, order), NEVER)
        best_running = totals.max(1).values.tolist()
        settled = [
            running == NEVER or finished[game].is_settled(running, time + 1)
            for game, running in zip(live.tolist(), best_running, strict=True)
        ]
        going = torch.tensor([not done for done in settled], device=device)
        live, totals = live[going], totals[going]
        if not len(live):
            break
        parents = parent.gather(1, order)[going].flatten()
        chosen, steps = token.gather(1, order)[going].flatten(), step.gather(1, order)[going].flatten()
        sequences, log_probs = sequences[parents], log_probs[parents]
        sequences[:, time], log_probs[:, time] = chosen, steps
        _advance(decoding, rules, demands, config, parents, chosen)
    for row, game in enumerate(live.tolist()):
        for beam in range(beams):
            if totals[row, beam] > NEVER:
                place = row * beams + beam
                finished[game].add(totals[row, beam].item(), sequences[place], log_probs[place])
    return _collect(finished, settings.num_return_sequences, config.pad_token_id)


def _candidates(decoding: Decoding, rules: WordRules, demands, config, settings, beams: int):
    """The best words and, without their form, the best records of every row, [R, C].

    Scores to rank them by, the model's own log-probabilities (before penalties), and ids.
    """
    z = decoding.look()
    no, yes = logsigmoid(settings.z_logit - z), logsigmoid(z - settings.z_logit)
    words = decoding.word_scores().log_softmax(1)
    own_words = words + logsigmoid(-z).unsqueeze(1)
    words = rules.apply(words, decoding.place)
    attributes = decoding.attribute_scores_all(decoding.enter_all(), beams).log_softmax(2)
    rows = torch.arange(len(decoding), device=z.device)
    records = decoding.entity_scores(rows, decoding.h_lm(rows)).log_softmax(1).unsqueeze(2) + attributes
    may = decoding.record_mask[decoding.game]
    if demands is not None:
        states = demands.transition(z >= settings.z_logit, decoding.place, rules.time)
        demands.end(words.max(1).indices, torch.zeros_like(states), decoding.place)  # who is forced to go on
        may = demands.allowed(slice(None), decoding.place, decoding.current)
        no = no.masked_fill(demands.forced, NEVER)
        yes = yes.masked_fill(demands.over, NEVER)
        words[:, config.eos_token_id].masked_fill_(demands.left(decoding.place) > 0, NEVER)
    words = words + no.unsqueeze(1)
    if demands is not None and demands.closing.any():  # no rule keeps a text from being closed
        words = torch.where(demands.closing.unsqueeze(1), demands.closing_words(own_words, decoding.place), words)
    records = records.masked_fill(~may, NEVER).flatten(1)
    own_records = records + logsigmoid(z).unsqueeze(1)
    best_words, word = words.topk(min(2 * beams, words.shape[1]), dim=1)
    best_records, record = (records + yes.unsqueeze(1)).topk(min(2 * beams, records.shape[1]), dim=1)
    return (
        torch.cat([best_words, best_records], dim=1),
        torch.cat([own_words.gather(1, word), own_records.gather(1, record)], dim=1),
        torch.cat([word, config.vocab_size + 2 * record], dim=1),
    )


def _with_forms(decoding: Decoding, config, joint, parent, token, step, beams: int):
    """Records that have a number word become two candidates, one for each N_t; the best 2 * beams stay, in order."""
    is_record = (token >= config.vocab_size) & (joint > NEVER)
    rows = parent[is_record]
    if len(rows):
        pointer = (token[is_record] - config.vocab_size) // 2
        entity, slot = pointer // config.num_slots, pointer % config.num_slots
        cell = decoding.cell(rows, entity, slot)
        n = decoding.number_scores(rows, cell, decoding.enter(rows, entity))
        has_word = decoding.has_word[cell]
        as_digits, as_word = torch.zeros_like(joint), torch.full_like(joint, NEVER)
        as_digits[is_record] = torch.where(has_word, logsigmoid(-n), 0).to(joint.dtype)
        as_word[is_record] = torch.where(has_word, logsigmoid(n), NEVER).to(joint.dtype)
        joint = torch.cat([joint + as_digits, joint + as_word], dim=1)
        step = torch.cat([step + as_digits, step + as_word], dim=1)
        token, parent = torch.cat([token, token + 1], dim=1), torch.cat([parent, parent], dim=1)
    joint, order = joint.sort(dim=1, descending=True, stable=True)
    order, joint = order[:, : 2 * beams], joint[:, : 2 * beams]
    return joint, parent.gather(1, order), token.gather(1, order), step.gather(1, order)


def _advance(decoding: Decoding, rules: WordRules, demands, config, parents, tokens) -> None:
    """Every row goes on from its parent by its token."""
    decoding.branch(parents)
    rules.branch(parents)
    words = tokens.clone()
    rows = (tokens >= config.vocab_size).nonzero().squeeze(1)
    periods = (tokens == config.period_token_id).nonzero().squeeze(1)
    if demands is not None:
        demands.branch(parents)
    if len(rows):
        pointer = tokens[rows] - config.vocab_size
        entity, slot = pointer // (2 * config.num_slots), pointer // 2 % config.num_slots
        cell = decoding.cell(rows, entity, slot)
        decoding.move(rows, entity, cell, decoding.enter(rows, entity), periods)
        decoding.look_again(rows)
        words[rows] = decoding.value_words[cell, pointer % 2]
        if demands is not None:
            demands.stated(rows, entity, slot)
    elif len(periods):
        decoding.refresh(periods)
    rules.remember(decoding.place, words, tokens)
    if demands is not None:
        demands.wrote(decoding.place, words)
    decoding.write(words)


def _collect(finished: list[Finished], each: int, pad: int) -> dict[str, torch.Tensor]:
    """`each` texts of every game; one that has fewer different ones has its last several times."""
    for index, game in enumerate(finished):
        if not game.texts:
            raise StgError(f"num_beams: no text of game {index} is left by what is forbidden; forbid less")
    texts = [game.texts[min(number, len(game.texts) - 1)] for game in finished for number in range(each)]
    return {
        "sequences": torch.nn.utils.rnn.pad_sequence([text[1] for text in texts], True, pad),
        "log_probs": torch.nn.utils.rnn.pad_sequence([text[2] for text in texts], True),
        "sequences_scores": torch.tensor([text[0] for text in texts]),
    }
