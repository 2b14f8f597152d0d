"""Beam search, for plans and for texts: a beam of one is greedy.

A text's score is the sum of its log-probabilities / length ** length_penalty. The published systems were decoded by
OpenNMT, which does not normalise: a length_penalty of 0, the default. A game is over when none of its running beams is
better than what is finished, although with a length_penalty above 0 it might still become so.
"""

from dataclasses import dataclass
from typing import Protocol

import torch

from modeling_stg.errors import StgError


NEVER = float("-inf")


class Walker(Protocol):
    """What is searched. Its rows are the beams of game 0, then those of game 1 and so on."""

    end: int  # the choice that ends

    def scores(self) -> torch.Tensor:
        """Log-probabilities of the next choice, [R, C]; NEVER for what cannot be."""

    def advance(self, games: torch.Tensor, parents: torch.Tensor, choices: torch.Tensor) -> None:
        """`games` [G] go on; their rows continue rows `parents` [R] by `choices` [R]."""


@dataclass
class Found:
    """The best that is finished, or that was cut by the length where it is better still."""

    score: float
    choices: torch.Tensor  # [T]; the last is the end, unless there was no room for it


@dataclass
class Limits:
    """`shortest` and `longest` count choices, the end included."""

    beams: int
    shortest: int
    longest: int
    length_penalty: float


def search(walker: Walker, games: int, limits: Limits, device) -> list[Found]:
    """The best of each game. A game is over when none of its running beams is better than what is finished."""
    beams, rank = limits.beams, limits.length_penalty
    found: list[Found | None] = [None] * games
    live = torch.arange(games, device=device)
    totals = torch.full((games, beams), NEVER, device=device)
    totals[:, 0] = 0  # all beams of a game are the same at first
    history = torch.zeros(games * beams, 0, dtype=torch.long, device=device)
    for length in range(1, limits.longest + 1):
        scores = walker.scores()
        if length < limits.shortest:
            scores[:, walker.end] = NEVER
        width = scores.shape[1]
        joint = (totals.to(scores.dtype).view(-1, 1) + scores).view(len(live), beams * width)
        joint, best = joint.topk(min(2 * beams, beams * width), dim=1)
        parents = best // width + torch.arange(len(live), device=device).unsqueeze(1) * beams
        choices = best % width
        ends = (choices == walker.end) & (joint > NEVER)
        for row, column in ends[:, :beams].nonzero().tolist():
            text = torch.cat([history[parents[row, column]], choices[row, column].view(1)])
            _keep_better(found, live[row], joint[row, column].item() / length**rank, text)
        order = ends.to(torch.int8).argsort(dim=1, stable=True)[:, :beams]
        totals = joint.gather(1, order).masked_fill(ends.gather(1, order), NEVER)
        parents, choices = parents.gather(1, order), choices.gather(1, order)
        running = (totals.amax(1) / length**rank).tolist()
        going = [
            score > NEVER and (found[game] is None or found[game].score < score)
            for game, score in zip(live.tolist(), running, strict=True)
        ]
        kept = torch.tensor(going, device=device).nonzero().squeeze(1)
        live, totals = live[kept], totals[kept]
        parents, choices = parents[kept].flatten(), choices[kept].flatten()
        history = torch.cat([history[parents], choices.unsqueeze(1)], dim=1)
        if not len(live):
            break
        if length < limits.longest:
            walker.advance(kept, parents, choices)
    for row, game in enumerate(live.tolist()):
        beam = int(totals[row].argmax())
        score = totals[row, beam].item() / history.shape[1] ** rank
        _keep_better(found, game, score, history[row * beams + beam])
    if None in found:
        raise StgError(f"game {found.index(None)} of the batch: no score is a number; the weights are not usable")
    return found


def _keep_better(found: list[Found | None], game: int, score: float, choices: torch.Tensor) -> None:
    if found[game] is None or found[game].score < score:
        found[game] = Found(score, choices)
