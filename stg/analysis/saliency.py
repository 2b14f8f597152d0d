"""Section 4: saliency. p(E_t) at every mention of a text."""

from dataclasses import dataclass

import numpy as np
import torch

from modeling_stg.game import Game


@dataclass
class Mentions:
    """The K records that a text states, in order, about a game of E entities."""

    texts: list[str]  # as written, [K]
    entity: list[int]  # position in the game, [K]
    sentence: list[int]  # index of the sentence, [K]
    probabilities: np.ndarray  # p(E_t) before each mention, [K, E]


@torch.inference_mode()
def mentions(model, processor, game: Game, sequence: torch.Tensor) -> Mentions:
    """The mentions of a generated `sequence` [T] about this game."""
    written = sequence[sequence != model.config.pad_token_id]
    scores = model(**processor([game]), labels=written[None], return_scores=True).scores
    stated = scores.mention[0]  # an event may also be the end of a sentence
    tokens = processor.trace(written[None], [game])[0]
    periods = (written == model.config.period_token_id).cumsum(0)
    positions = scores.position[0, stated]
    entity, _, _ = model.config.record_ids.decode(written[positions])
    return Mentions(
        texts=[tokens[position]["text"] for position in positions.tolist()],
        entity=entity.tolist(),
        sentence=periods[positions].tolist(),
        probabilities=scores.e[0, stated].softmax(1).numpy(),
    )
