"""A plain twin of Algorithm 1: one game at a time, one decision after another, as the paper writes it.

Built on the model's twin, which follows the paper's equations and uses none of the fast code, not even the encoder.
The fast code must make the same decisions.
"""

from dataclasses import dataclass

import torch

from tests.twins.model_twin import Twin


@dataclass
class Decision:
    z: bool
    entity: int | None = None
    slot: int | None = None
    as_word: bool | None = None
    word: int | None = None  # at Z = 0


@torch.no_grad()
def write(model, game: dict[str, torch.Tensor], min_new_tokens: int, max_new_tokens: int, kind=Twin) -> list[Decision]:
    """Writes a text greedily; `game` is the processor's batch of one game."""
    config = model.config
    game = {name: tensor[0] for name, tensor in game.items()}
    twin = kind(model, game)
    decisions: list[Decision] = []
    never = [config.pad_token_id, config.unk_token_id, config.bos_token_id]
    while len(decisions) < max_new_tokens:
        if torch.sigmoid(twin.z_logit()) >= 0.5:
            entity = int(twin.e_logits().argmax())
            twin.enter(entity)
            slot = int(twin.a_logits(entity).argmax())
            twin.leave(entity, slot)
            as_word = bool(game["has_word"][entity, slot]) and bool(torch.sigmoid(twin.n_logit()) >= 0.5)
            twin.write_value(entity, slot, as_word, twin.context())
            decisions.append(Decision(True, entity, slot, as_word))
            continue
        context = twin.context()
        p = torch.softmax(twin.y_logits(context), 0)
        p[never + [config.eos_token_id] * (len(decisions) < min_new_tokens)] = 0
        word = int(p.argmax())
        twin.write_word(word, context)
        decisions.append(Decision(False, word=word))
        if word == config.eos_token_id:
            break
        if word == config.period_token_id:
            twin.refresh()
    return decisions


def ids(config, decisions: list[Decision]) -> list[int]:
    """The sequence ids of decisions."""
    return [config.record_id(d.entity, d.slot, d.as_word) if d.z else d.word for d in decisions]
