"""A judge for sentence-wise decoding: rejects what the checker does not find true, and what has been said already."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from modeling_stg.game_facts import GameFacts
from modeling_stg.numbers import read_ordinal
from modeling_stg.sentence_search import Candidate
from modeling_stg.text import sentences
from stg.checking.checker import Checker, findings_of
from stg.checking.editing import FAULTS
from stg.checking.findings import TRUE, Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.relations import Relation, count_repeats


_ARTICLES = ("a", "an", "one")  # read as numbers, but often are none
Sentence = tuple[int, tuple[str, ...]]  # the index of a game, tokens


POOR = -1.0  # the merit of a sentence to which an editor would object


class SentenceJudge:
    """The `judge` argument of `generate` with `sentence_candidates`, for a batch of games.

    A sentence is rejected unless the checker finds every claim in it true, it states a fact and repeats nothing. One
    to which an editor would object (`editing.py`) is taken only if there is no other.

    Args:
        checker: judges claims.
        processor: turns ids into tokens.
        games: the batch's games.

    Example:
        >>> judge = SentenceJudge(checker, processor, games)
        >>> sequences = model.generate(**processor(games), judge=judge, sentence_candidates=16)
    """

    def __init__(self, checker: Checker, processor: Any, games: Sequence[Any]):
        self.checker, self.processor = checker, processor
        self.games: list[GameFacts] = [checker.facts(game) for game in games]
        self._relations: dict[Sentence, list[Relation]] = {}

    def __call__(self, candidates: Sequence[Candidate]) -> list[float | None]:
        about = [candidate.game for candidate in candidates]
        games = [self.games[game] for game in about]
        texts = self.processor.batch_tokens([candidate.ids for candidate in candidates], games)
        befores = self.processor.batch_tokens([candidate.ids[: candidate.start] for candidate in candidates], games)
        starts = [len(before) for before in befores]
        recaps = zip(self.parse(texts, about), starts, strict=True)
        return [self._merit(recap, start) for recap, start in recaps]

    def _merit(self, recap: ParsedRecap, start: int) -> float | None:
        findings = findings_of(recap)
        if self.rejection(recap, start, findings):
            return None
        return POOR if self.fault(recap, start, findings) else 0.0

    @staticmethod
    def fault(recap: ParsedRecap, start: int, findings: Sequence[Finding]) -> str | None:
        """What an editor would object to in the tokens from `start` on; None if nothing."""
        return next((fault for rule in FAULTS if (fault := rule(recap, findings, start))), None)

    @staticmethod
    def rejection(recap: ParsedRecap, start: int, findings: Sequence[Finding]) -> str | None:
        """Why the tokens from `start` on, the last sentence of a text, are rejected; None if they are not."""
        start = min(start, recap.sentences[-1].start)
        own = [finding for finding in findings if finding.start >= start]
        for finding in own:
            if finding.verdict != TRUE:
                return f"{finding.verdict}: {finding.claim}"
        judged = {position for finding in own for position in range(finding.start, finding.end)}
        for sentence in recap.sentences:  # several after `start` if one ends in "!"
            for number in sentence.numbers:
                if number.start >= start and number.start not in judged and number.text.lower() not in _ARTICLES:
                    return f"not judged: {number.text}"
            for span in sentence.entities:
                if span.start >= start and span.start not in judged and span.index is None:
                    return f"from outside the game: {span.text}"
        if not any(finding.kind != "word" or read_ordinal(recap.words[finding.start]) for finding in own):
            return "states nothing"
        if count_repeats(recap.relations) > count_repeats(r for r in recap.relations if r.number_start < start):
            return "repeats a number"
        return None

    def parse(self, texts: Sequence[list[str]], about: Sequence[int]) -> list[ParsedRecap]:
        """`Checker.parse` for texts that share sentences; `about` has the index of each text's game.

        The extractor reads every sentence on its own, so each is read only once.
        """
        parts = [
            [(game, tuple(tokens[start:end])) for start, end in sentences(tokens)]
            for tokens, game in zip(texts, about, strict=True)
        ]
        self._extract(sentence for part in parts for sentence in part)
        return [
            ParsedRecap(tokens, self.games[game], self.checker.extractor.names, self._relations_of(part))
            for tokens, game, part in zip(texts, about, parts, strict=True)
        ]

    def _extract(self, read: Iterable[Sentence]) -> None:
        """Reads the relations of new sentences."""
        new = [sentence for sentence in dict.fromkeys(read) if sentence not in self._relations]
        games = [self.games[game].game for game, _ in new]
        relations = self.checker.extractor.extract_batch([list(words) for _, words in new], games, implicit_one=True)
        self._relations.update(zip(new, relations, strict=True))

    def _relations_of(self, parts: Iterable[Sentence]) -> list[Relation]:
        """The relations of a text, put together from those of its sentences."""
        relations: list[Relation] = []
        start = 0
        for sentence in parts:
            relations += [_moved(relation, start) for relation in self._relations[sentence]]
            start += len(sentence[1])
        return relations


def _moved(relation: Relation, by: int) -> Relation:
    return replace(
        relation,
        start=relation.start + by,
        end=relation.end + by,
        number_start=relation.number_start + by,
        number_end=relation.number_end + by,
    )
