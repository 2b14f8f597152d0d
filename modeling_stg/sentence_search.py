"""Sentence-wise decoding: sample several candidates for each sentence, let a judge read them, keep the best.

If all candidates are rejected, new ones are sampled; if that fails too, the text ends before the sentence. So no text
contains a sentence that the judge rejects, except one that may not end yet because a demand (`must_mention`, `plan`)
is not met: it goes on with a rejected candidate.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

from .constraint_list import ConstraintList, build_constraints
from .decoder_state import DecoderState
from .errors import StgError
from .phrases import KnownPhrases
from .sampling import Sampler
from .settings import GenerationSettings
from .token_step import write_token


TRIES = 3  # rounds of sampling before a text is stuck
FIRST = 12  # candidates that are judged first, the likeliest ones; the others only if all of these are rejected
SHARE = 0.25  # of the accepted candidates, one of this best share is drawn: always the best would make texts alike
HOTTER = 0.2  # each begins at a temperature higher by this share: rare games need rare sentences
MAX_SENTENCE = 80  # tokens; people's longest sentences have about 70
ENOUGH = 190  # tokens; a text of this length that got stuck ends there and is not begun again
ENDS = 0.5  # a text ends where more than this share of the candidates ends it


class Candidate(NamedTuple):
    """A sentence that could come next."""

    game: int  # its position in the batch
    ids: list[int]  # the text so far, then the sentence
    start: int  # where the sentence begins
    log_prob: float  # of the sentence

    @property
    def mean_log_prob(self) -> float:
        """Per token of the sentence."""
        return self.log_prob / (len(self.ids) - self.start)


Sentence = tuple[list[int], list[float]]  # ids and log-probabilities
# One merit for each candidate, added to its mean log-probability per token; None rejects it. One with a merit below 0
# is taken only if a text would get stuck without it.
SentenceJudge = Callable[[Sequence[Candidate]], Sequence[float | None]]


@dataclass
class Draft:
    """A text being written."""

    ids: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    failures: int = 0  # rounds in which every candidate for the next sentence was rejected

    @property
    def is_stuck(self) -> bool:
        return self.failures == TRIES

    @property
    def is_enough(self) -> bool:
        return len(self.ids) >= ENOUGH


def write_by_sentences(
    model: Any, batch: Mapping[str, torch.Tensor], settings: GenerationSettings, judge: SentenceJudge | None
) -> dict[str, torch.Tensor]:
    """Writes one text for each game of the batch, sentence by sentence.

    A text that got stuck early, because no sentence was accepted, is begun again; if all do, the longest one is kept.
    """
    drafts: dict[int, Draft] = {}
    games = list(range(len(batch["entity_ids"])))
    for start in range(settings.sentence_starts):
        part = {name: tensor[games] for name, tensor in batch.items()}
        hotter = replace(settings, temperature=settings.temperature * (1 + HOTTER * start))
        for game, draft in zip(games, SentenceSearch(model, part, games, hotter, judge).run(), strict=True):
            if game not in drafts or len(draft.ids) > len(drafts[game].ids) or not draft.is_stuck:
                drafts[game] = draft
        games = [game for game, draft in sorted(drafts.items()) if draft.is_stuck and not draft.is_enough]
        if not games:
            break
    texts = [drafts[game] for game in sorted(drafts)]
    sequences = [torch.tensor(draft.ids, dtype=torch.long, device=model.device) for draft in texts]
    log_probs = [torch.tensor(draft.log_probs, device=model.device) for draft in texts]
    return {
        "sequences": pad_sequence(sequences, True, model.config.pad_token_id),
        "log_probs": pad_sequence(log_probs, True),
    }


class SentenceSearch:
    """Every game in progress has `size` rows that write candidates and one, its last, that waits where they start.

    After each round a game's rows all continue the row that was chosen: a candidate, or the waiting one to try again.
    """

    def __init__(
        self,
        model: Any,
        batch: Mapping[str, torch.Tensor],
        games: Sequence[int],
        settings: GenerationSettings,
        judge: SentenceJudge | None,
    ):
        """Starts texts about the games of a batch; `games` are their numbers for the judge."""
        self.settings, self.judge, self.numbers = settings, judge, games
        self.size = settings.sentence_candidates
        self.end, self.period = model.config.eos_token_id, model.config.period_token_id
        self.sampler = Sampler(replace(settings, do_sample=True))  # generation_config may not say so
        self.state = DecoderState(model, batch, self.size + 1)
        self.constraints: ConstraintList = build_constraints(settings, model.config, batch, self.state.game)
        self.drafts = [Draft() for _ in range(self.state.games)]
        self.is_known = None
        if settings.known_phrases:
            if not model.config.num_phrases:
                raise StgError("known_phrases: the model keeps no phrases; train it with --phrases")
            self.is_known = KnownPhrases(model.phrases, model.config)

    def run(self) -> list[Draft]:
        games = list(range(len(self.drafts)))  # in progress, in the order of their rows
        while games:
            sampled = self._sample(games)
            chosen = self._choose(games, sampled)
            parents, going_on = [], []
            for position, game in enumerate(games):
                row = chosen[position]
                if row is None:
                    self.drafts[game].failures += 1
                    row = self.size
                else:
                    self._extend(self.drafts[game], *sampled[position][row])
                if self._goes_on(self.drafts[game]):
                    going_on.append(game)
                    parents += [position * (self.size + 1) + row] * (self.size + 1)
            games = going_on
            if games:
                rows = torch.tensor(parents, device=self.state.game.device)
                self.state.branch(rows)
                self.constraints.branch(rows)
        return self.drafts

    def _goes_on(self, draft: Draft) -> bool:
        has_ended = bool(draft.ids) and draft.ids[-1] == self.end
        return not has_ended and draft.failures < TRIES and len(draft.ids) < self.settings.max_new_tokens

    @staticmethod
    def _extend(draft: Draft, ids: list[int], log_probs: list[float]) -> None:
        draft.ids += ids
        draft.log_probs += log_probs
        draft.failures = 0

    def _sample(self, games: Sequence[int]) -> list[list[Sentence]]:
        """By game, the ids and log-probabilities of its candidates; the state of each row is as after its own."""
        state, device = self.state, self.state.game.device
        rows = torch.arange(len(state), device=device)
        rows = rows[rows % (self.size + 1) < self.size]
        written: dict[int, Sentence] = {row: ([], []) for row in rows.tolist()}
        lengths = torch.tensor([len(self.drafts[game].ids) for game in games], device=device)
        time = lengths.repeat_interleave(self.size)
        limit = (time + MAX_SENTENCE).clamp(max=self.settings.max_new_tokens)
        active = copy.copy(state)
        active.language = state.language.lend()
        active.keep(rows)
        while True:
            tokens, log_probs, _ = write_token(active, self.sampler, self.constraints, time, True)
            assert log_probs is not None
            for row, token, log_prob in zip(rows.tolist(), tokens.tolist(), log_probs.tolist(), strict=True):
                written[row][0].append(token)
                written[row][1].append(log_prob)
            time = time + 1
            is_done = (tokens == self.period) | (tokens == self.end) | (time == limit)
            done, kept = (mask.nonzero().squeeze(1) for mask in (is_done, ~is_done))
            if len(done):
                state.take_rows(active, done, rows[done])
                if not len(kept):
                    break
                active.keep(kept)
                rows, time, limit = rows[kept], time[kept], limit[kept]
        by_row = list(written.values())
        return [by_row[start : start + self.size] for start in range(0, len(by_row), self.size)]

    def _choose(self, games: Sequence[int], sampled: Sequence[Sequence[Sentence]]) -> list[int | None]:
        """The row of the sentence with which each game goes on; None if all were rejected."""
        chosen: list[int | None] = [None] * len(games)
        ranked: dict[int, list[tuple[Candidate, int]]] = {}
        for position, (game, sentences) in enumerate(zip(games, sampled, strict=True)):
            ends = [row for row, (ids, _) in enumerate(sentences) if ids == [self.end]]
            if len(ends) > ENDS * len(sentences):
                chosen[position] = ends[0]
            else:
                ranked[position] = self._rank(game, sentences)
        poor: dict[int, list[tuple[float, int]]] = {}
        for part in (slice(0, FIRST), slice(FIRST, None)):
            left = {position: pairs[part] for position, pairs in ranked.items() if chosen[position] is None}
            for position, accepted in self._accepted(left).items():
                good = sorted((value, row) for merit, value, row in accepted if merit >= 0)
                poor.setdefault(position, []).extend((value, row) for _, value, row in accepted)
                if good:
                    best = good[-max(1, int(SHARE * len(good))) :]
                    chosen[position] = best[int(torch.randint(len(best), ()))][1]
        for position, values in poor.items():
            draft = self.drafts[games[position]]
            if chosen[position] is None and draft.failures == TRIES - 1 and not draft.is_enough:
                chosen[position] = max(values)[1]
        return self._meet_demands(games, sampled, chosen)

    def _meet_demands(
        self, games: Sequence[int], sampled: Sequence[Sequence[Sentence]], chosen: list[int | None]
    ) -> list[int | None]:
        """Where a text would end with an unmet demand, its most likely candidate, a whole sentence if there is one."""
        waiting = torch.arange(len(games), device=self.state.game.device) * (self.size + 1) + self.size
        for position, is_unmet in enumerate(self.constraints.unmet(waiting).tolist()):
            if chosen[position] is None and is_unmet and self.drafts[games[position]].failures == TRIES - 1:
                means = [(self._is_whole(ids), sum(log_probs) / len(ids)) for ids, log_probs in sampled[position]]
                chosen[position] = means.index(max(means))
        return chosen

    def _is_whole(self, ids: Sequence[int]) -> bool:
        return len(ids) > 1 and ids[-1] == self.period

    def _rank(self, game: int, sentences: Sequence[Sentence]) -> list[tuple[Candidate, int]]:
        """The different whole sentences that a game's rows have written, with their rows, likeliest first."""
        so_far = self.drafts[game].ids
        rows = {tuple(ids): row for row, (ids, _) in enumerate(sentences) if self._is_whole(ids)}
        pairs = [
            (Candidate(self.numbers[game], [*so_far, *ids], len(so_far), sum(sentences[row][1])), row)
            for ids, row in rows.items()
            if self.is_known is None or self.is_known(ids)
        ]
        return sorted(pairs, key=lambda pair: -pair[0].mean_log_prob)

    def _accepted(
        self, ranked: Mapping[int, Sequence[tuple[Candidate, int]]]
    ) -> dict[int, list[tuple[float, float, int]]]:
        """Merit, value and row of every candidate that the judge does not reject, by game."""
        candidates = [candidate for pairs in ranked.values() for candidate, _ in pairs]
        merits = [0.0] * len(candidates) if self.judge is None or not candidates else [*self.judge(candidates)]
        if len(merits) != len(candidates):
            raise StgError(f"judge: {len(merits)} verdicts on {len(candidates)} sentences; return one for each")
        accepted: dict[int, list[tuple[float, float, int]]] = {}
        places = ((position, pair) for position, pairs in ranked.items() for pair in pairs)
        for (position, (candidate, row)), merit in zip(places, merits, strict=True):
            if merit is not None:
                accepted.setdefault(position, []).append((merit, candidate.mean_log_prob + merit, row))
        return accepted
