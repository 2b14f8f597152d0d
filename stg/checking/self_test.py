"""The mutation test: which changes of a recap the checker notices, and what it says of the recap as it was."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from modeling_stg.game_facts import GameFacts
from stg.checking.alignment import character_spans, recap_tokens
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, NOT_UNDERSTOOD, TRUE, Finding
from stg.checking.mutation import KINDS, Mutation, mutations


HERE, NEAR, ELSEWHERE, MISSED = "on the words", "in the sentence", "elsewhere", "missed"
# A changed number must be marked itself; of a changed name or word, what the sentence says of it may be marked.
_MARKED_ITSELF = ("number", "day")
_BATCH = 32


class Placed(NamedTuple):
    """A finding with its characters, text[start:end]."""

    start: int
    end: int
    finding: Finding


class Outcome(NamedTuple):
    """Where the checker newly finds something false in a mutated text.

    Args:
        mutation: what was changed.
        where: HERE, NEAR, ELSEWHERE or MISSED.
        said: the findings at that place, or whatever the checker says of the changed words if it missed the change.
    """

    mutation: Mutation
    where: str
    said: list[Finding]

    @property
    def is_placed(self) -> bool:
        return self.where == HERE or (self.where == NEAR and self.mutation.kind not in _MARKED_ITSELF)


class SelfTest(NamedTuple):
    """Of one recap: its findings as it is, and the outcome of every mutation."""

    findings: list[Placed]
    outcomes: list[Outcome]


def self_test(checker: Checker, text: str, facts: GameFacts, seed: int = 0) -> SelfTest:
    """Mutates a recap in every way and checks each; mutations of words that are marked anyway are left out.

    Args:
        checker: the checker to test.
        text: a recap in which nothing is false.
        facts: its game, with its season.
        seed: of the mutations.
    """
    [original] = _findings(checker, [text], facts)
    known = {(placed.start, placed.end) for placed in original if placed.finding.verdict == FALSE}
    changes = [
        mutation
        for mutation in mutations(text, facts.game, checker.extractor.names, seed)
        if not any(start < mutation.end and mutation.start < end for start, end in known)
    ]
    outcomes = []
    for first in range(0, len(changes), _BATCH):
        batch = changes[first : first + _BATCH]
        found = _findings(checker, [mutation.apply(text) for mutation in batch], facts)
        outcomes += [_outcome(mutation, placed, known) for mutation, placed in zip(batch, found, strict=True)]
    return SelfTest(original, outcomes)


def _findings(checker: Checker, texts: Sequence[str], facts: GameFacts) -> list[list[Placed]]:
    tokens = [recap_tokens(text) for text in texts]
    found = []
    for text, recap in zip(texts, checker.parse(tokens, [facts] * len(texts)), strict=True):
        spans = character_spans(text, recap.tokens)
        found.append(
            [
                Placed(spans[finding.start][0], spans[finding.end - 1][1], _without_sources(finding))
                for finding in checker.findings(recap)
            ]
        )
    return found


def _without_sources(finding: Finding) -> Finding:
    """A fact of the season brings dozens of cells along, too many to pass between processes."""
    return finding if finding.fact is None else replace(finding, fact=replace(finding.fact, sources=()))


def _outcome(mutation: Mutation, found: Iterable[Placed], known: set[tuple[int, int]]) -> Outcome:
    end = mutation.start + len(mutation.new)
    places: dict[str, list[Finding]] = {HERE: [], NEAR: [], ELSEWHERE: [], MISSED: []}
    for placed in found:
        is_here = placed.start < end and mutation.start < placed.end
        if placed.finding.verdict != FALSE:
            if is_here:
                places[MISSED].append(placed.finding)
            continue
        shift = mutation.growth if placed.start >= end else 0
        start, stop = placed.start - shift, placed.end - shift
        if is_here or (start, stop) not in known:
            is_near = mutation.sentence[0] <= start < mutation.sentence[1]
            places[HERE if is_here else NEAR if is_near else ELSEWHERE].append(placed.finding)
    where = next((name for name in (HERE, NEAR, ELSEWHERE) if places[name]), MISSED)
    return Outcome(mutation, where, places[where])


def tally(tests: Sequence[SelfTest]) -> dict[str, Any]:
    """Counts by kind of mutation, and what was said of the unmutated recaps."""
    outcomes = [outcome for test in tests for outcome in test.outcomes]
    findings = [placed.finding for test in tests for placed in test.findings]
    numbers = [finding for finding in findings if finding.kind == "number"]
    by_kind = {}
    for kind in (*KINDS, "all"):
        of_kind = [outcome for outcome in outcomes if kind in (outcome.mutation.kind, "all")]
        if of_kind:
            by_kind[kind] = {
                "mutations": len(of_kind),
                "noticed": sum(outcome.where != MISSED for outcome in of_kind),
                "placed": sum(outcome.is_placed for outcome in of_kind),
            }
    verdicts = Counter(finding.verdict for finding in findings)
    return {
        "recaps": len(tests),
        "mutations": by_kind,
        "unmutated": {
            "true": verdicts[TRUE],
            "false": verdicts[FALSE],
            "numbers": len(numbers),
            "not understood": sum(finding.unknown_because == NOT_UNDERSTOOD for finding in numbers),
        },
    }
