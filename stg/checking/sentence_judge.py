"""A judge for sentence-wise decoding: rejects what the checker does not find true, and what has been said already."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from modeling_stg.game_facts import GameFacts, as_facts
from modeling_stg.sentence_search import Candidate
from stg.checking.checker import Checker, findings_of
from stg.checking.findings import TRUE, Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.relations import Relation, count_repeats


_PERIOD = re.compile(r"TEAM-.*_(QTR[1-4]|Q[1-4]|H1|H2|OT)")
_ORDER = {"Q1": 1, "Q2": 2, "H1": 2, "Q3": 3, "Q4": 4, "H2": 4, "OT": 5}  # when what is told of a period has happened


class SentenceJudge:
    """The `judge` argument of `generate` with `sentence_candidates`, for a batch of games.

    A sentence is accepted if the checker finds every claim in it true, it states a fact, repeats nothing, tells of no
    period that comes before one already told, and of no player before his team's best scorer.

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
        self.games: list[GameFacts] = [as_facts(game) for game in games]
        self._relations: dict[tuple[int, tuple[str, ...]], list[Relation]] = {}  # by game and sentence

    def __call__(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [None if self.rejection(recap) else 0.0 for recap in self._parse(candidates)]

    def rejection(self, recap: ParsedRecap) -> str | None:
        """Why the last sentence of a text is rejected; None if it is accepted."""
        sentence = recap.sentences[-1]
        findings = findings_of(recap)
        own = [finding for finding in findings if finding.start >= sentence.start]
        for finding in own:
            if finding.verdict != TRUE:
                return f"{finding.verdict}: {finding.claim}"
        judged = {position for finding in own for position in range(finding.start, finding.end)}
        for number in sentence.numbers:
            if number.start not in judged and number.text.lower() not in ("a", "an", "one"):
                return f"not judged: {number.text}"
        if any(span.index is None for span in sentence.entities if span.start not in judged):
            return "a name from outside the game"
        if not any(finding.kind != "word" for finding in own):
            return "states nothing"
        if count_repeats(recap.relations):
            return "repeats a number"
        if len(recap.sentences) == 1 and recap.facts.value(0, "TEAM-ENDED_IN") == "overtime":
            if not {"overtime", "overtimes"}.intersection(recap.words):
                return "an opening without the overtime"
        faults = (self._order_fault(recap, findings), self._buried_leader(recap), self._short_name(recap))
        return next((fault for fault in (*faults, self._told_twice(recap, findings)) if fault), None)

    @staticmethod
    def _short_name(recap: ParsedRecap) -> str | None:
        """A player is introduced by his full name."""
        *earlier, last = recap.sentences
        known = {span.index for sentence in earlier for span in sentence.entities}
        for span in last.entities:
            if not span.is_team and span.index not in known and span.end - span.start == 1 and span.index is not None:
                if " " in recap.name(span.index):
                    return f"{span.text}: introduced without his first name"
            known.add(span.index)
        return None

    @staticmethod
    def _told_twice(recap: ParsedRecap, findings: Sequence[Finding]) -> str | None:
        """Where the teams meet again, that game is told once."""
        opponents = [recap.facts.value(team, "TEAM-NEXT_OPPONENT") for team in (0, 1)]
        told = [finding for finding in findings if finding.fact and finding.fact.attribute == "TEAM-NEXT_OPPONENT"]
        is_rematch = opponents == [recap.team_names(team)[0] for team in (1, 0)]
        return "tells of the next game twice" if is_rematch and len(told) > 1 else None

    @staticmethod
    def _buried_leader(recap: ParsedRecap) -> str | None:
        """A team's best scorer is told of before, or together with, its other players."""
        told = {span.index for sentence in recap.sentences for span in sentence.entities if span.index is not None}
        now = {span.index for span in recap.sentences[-1].entities if span.index is not None and span.index > 1}
        for team in (0, 1):
            leaders = set(recap.holders("TEAM_HIGH_PTS", team))
            if leaders and not leaders & told and any(recap.game.team_of(player) == team for player in now):
                return f"{recap.name(min(leaders))} has more points"
        return None

    @staticmethod
    def _order_fault(recap: ParsedRecap, findings: Sequence[Finding]) -> str | None:
        """Whether the last sentence goes back to a period; the opening may anticipate any."""
        if len(recap.sentences) < 3:
            return None
        start, opening = recap.sentences[-1].start, recap.sentences[0].end
        told: list[int] = []
        told_now: list[int] = []
        for finding in findings:
            is_told = finding.kind == "number" and finding.fact is not None and finding.start >= opening
            match = _PERIOD.fullmatch(finding.fact.attribute) if is_told and finding.fact else None
            if match:
                moment = _ORDER[match[1].replace("QTR", "Q")]
                (told_now if finding.start >= start else told).append(moment)
        return "goes back in time" if told and told_now and min(told_now) <= max(told) else None

    def _parse(self, candidates: Sequence[Candidate]) -> list[ParsedRecap]:
        games = [self.games[candidate.game] for candidate in candidates]
        texts = self.processor.batch_tokens([candidate.ids for candidate in candidates], games)
        befores = self.processor.batch_tokens([candidate.ids[: candidate.start] for candidate in candidates], games)
        self._extract([(c.game, tuple(t[len(b) :])) for c, t, b in zip(candidates, texts, befores, strict=True)])
        return [
            ParsedRecap(tokens, facts, self.checker.extractor.names, self._relations_of(candidate.game, tokens))
            for candidate, tokens, facts in zip(candidates, texts, games, strict=True)
        ]

    def _extract(self, sentences: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        """Reads the relations of new sentences; the extractor reads each sentence on its own."""
        new = [key for key in dict.fromkeys(sentences) if key not in self._relations]
        read = self.checker.extractor.extract_batch(
            [list(sentence) for _, sentence in new], [self.games[game].game for game, _ in new], implicit_one=True
        )
        self._relations.update(zip(new, read, strict=True))

    def _relations_of(self, game: int, tokens: Sequence[str]) -> list[Relation]:
        """The relations of a text, put together from those of its sentences."""
        relations, start = [], 0
        for end, token in enumerate(tokens, 1):
            key = (game, tuple(tokens[start:end]))
            if token == "." and key in self._relations:
                relations += [_moved(relation, start) for relation in self._relations[key]]
                start = end
        return relations


def _moved(relation: Relation, by: int) -> Relation:
    return replace(
        relation,
        start=relation.start + by,
        end=relation.end + by,
        number_start=relation.number_start + by,
        number_end=relation.number_end + by,
    )
