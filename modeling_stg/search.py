"""Beam search over anything that can be walked step by step: the model's texts, and the baselines' plans and texts.

A text is ranked by the sum of its scores / length ** length_penalty. A game is over when it has enough finished texts
and none of its running beams ranks above the worst of them, although with a length_penalty above 0 one might later.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch

from .constraints import NEVER
from .errors import StgError


class Candidates(NamedTuple):
    """Continuations of R rows, [R, C] each."""

    scores: torch.Tensor  # what they are ranked by; NEVER for what is forbidden
    log_probs: torch.Tensor  # the model's own, before penalties and constraints
    ids: torch.Tensor


class Beams(NamedTuple):
    """The best continuations of G games, [G, M] each, best first."""

    totals: torch.Tensor  # scores summed over the text
    parents: torch.Tensor  # rows that they continue
    ids: torch.Tensor
    log_probs: torch.Tensor  # of the last step


class Walker(Protocol):
    """The interface of what is searched. Its rows are the beams of game 0, then those of game 1 and so on."""

    end: int  # the id that ends a text

    def candidates(self, time: int) -> Candidates:
        """The continuations of every row after `time` steps."""
        ...

    def expand(self, best: Beams) -> Beams:
        """Hook: split the best continuations further by a decision that is too expensive to make for all."""
        return best

    def advance(self, games: torch.Tensor, parents: torch.Tensor, ids: torch.Tensor) -> None:
        """Keeps only `games` [G] of the running games; their rows append `ids` [R] to `parents` [R]."""
        ...


@dataclass
class Hypothesis:
    """A finished text, or one that was cut at the maximal length."""

    score: float
    ids: torch.Tensor  # [T]; the last is the end, unless there was no room for it
    log_probs: torch.Tensor  # [T]


class Finished:
    """The `size` best finished texts of one game, best first; earlier ones win ties."""

    def __init__(self, size: int, length_penalty: float):
        self.size, self.length_penalty = size, length_penalty
        self.texts: list[Hypothesis] = []

    def rank(self, total: float, length: int) -> float:
        return total / length**self.length_penalty

    def add(self, total: float, ids: torch.Tensor, log_probs: torch.Tensor) -> None:
        self.texts.append(Hypothesis(self.rank(total, len(ids)), ids, log_probs))
        self.texts = sorted(self.texts, key=lambda text: -text.score)[: self.size]

    def is_settled(self, best_running: float, length: int) -> bool:
        """Whether no running text would enter at its present rank."""
        return len(self.texts) == self.size and self.texts[-1].score >= self.rank(best_running, length)


def search(
    walker: Walker, games: int, *, beams: int, keep: int, max_length: int, length_penalty: float, device: torch.device
) -> list[list[Hypothesis]]:
    """The `keep` best texts of each game, best first; fewer where no more were found."""
    finished = [Finished(keep, length_penalty) for _ in range(games)]
    live = torch.arange(games, device=device)
    totals = torch.full((games, beams), NEVER, device=device)
    totals[:, 0] = 0  # all beams of a game are the same at first
    sequences = torch.zeros(games * beams, 0, dtype=torch.long, device=device)
    log_probs = torch.zeros(games * beams, 0, device=device)
    for time in range(max_length):
        best = walker.expand(best_candidates(totals, walker.candidates(time), beams))
        ends = (best.ids == walker.end) & (best.totals > NEVER)
        for row, column in ends[:, :beams].nonzero().tolist():
            parent = best.parents[row, column]
            ids = torch.cat([sequences[parent], best.ids[row, column].view(1)])
            steps = torch.cat([log_probs[parent], best.log_probs[row, column].view(1).to(log_probs.dtype)])
            finished[live[row]].add(best.totals[row, column].item(), ids, steps)

        order = ends.to(torch.int8).argsort(dim=1, stable=True)[:, :beams]  # those that go on, best first
        totals = best.totals.gather(1, order).masked_fill(ends.gather(1, order), NEVER)
        is_running = [
            running > NEVER and not finished[game].is_settled(running, time + 1)
            for game, running in zip(live.tolist(), totals.amax(1).tolist(), strict=True)
        ]
        kept = torch.tensor(is_running, device=device).nonzero().squeeze(1)
        live, totals = live[kept], totals[kept]
        if not len(live):
            break
        parents, ids, steps = (
            tensor.gather(1, order)[kept].flatten() for tensor in (best.parents, best.ids, best.log_probs)
        )
        sequences = torch.cat([sequences[parents], ids.unsqueeze(1)], dim=1)
        log_probs = torch.cat([log_probs[parents], steps.unsqueeze(1).to(log_probs.dtype)], dim=1)
        if time + 1 < max_length:
            walker.advance(kept, parents, ids)
    for row, game in enumerate(live.tolist()):
        for beam, total in enumerate(totals[row].tolist()):
            if total > NEVER:
                finished[game].add(total, sequences[row * beams + beam], log_probs[row * beams + beam])
    for index, game in enumerate(finished):
        if not game.texts:
            raise StgError(
                f"game {index} of the batch: no text is left; relax the constraints, "
                "or check the weights if no score is a number"
            )
    return [game.texts for game in finished]


def best_candidates(totals: torch.Tensor, candidates: Candidates, beams: int) -> Beams:
    """The 2 * beams best of each game, totals [G, beams]: even if half of them end, enough go on."""
    games, width = len(totals), candidates.scores.shape[1]
    joint = (totals.view(-1, 1) + candidates.scores).view(games, -1)
    joint, best = joint.topk(min(2 * beams, joint.shape[1]), dim=1)
    column = best % width
    parents = best // width + torch.arange(games, device=best.device).unsqueeze(1) * beams
    return Beams(joint, parents, candidates.ids[parents, column], candidates.log_probs[parents, column])
