"""Findings: the checker's verdicts on pieces of text."""

from collections.abc import Iterable
from dataclasses import dataclass

from modeling_stg.facts import Fact


KINDS = ("number", "name", "word")
TRUE, FALSE, UNKNOWN = "true", "false", "unknown"
# Why a verdict is UNKNOWN: no fact could decide the claim, or the checker does not see what the words claim, a defect.
NOT_CHECKABLE, NOT_UNDERSTOOD = "not checkable", "not understood"


@dataclass(frozen=True)
class Finding:
    """A verdict on `tokens[start:end]`.

    Args:
        kind: one of KINDS.
        verdict: TRUE, FALSE, or UNKNOWN for a number that neither the box score nor the season decides.
        unknown_because: for UNKNOWN, NOT_CHECKABLE or NOT_UNDERSTOOD; else None.
        claim: the claim as the checker reads it: "Al Horford: 11 PTS".
        truth: for a false claim, the correct value, if there is a single one.
        fact: the fact that decides the claim, a cell or computed; None if the roster or the text itself does.
        rule: the rule that read the claim: "scores.tied"; filled in by the checker.
    """

    start: int
    end: int
    kind: str
    verdict: str
    claim: str
    truth: str | None = None
    fact: Fact | None = None
    unknown_because: str | None = None
    rule: str = ""


def decide(
    kind: str, start: int, end: int, is_true: bool, claim: str, truth: str | None = None, fact: Fact | None = None
) -> Finding:
    """A finding that is true or false; `truth` is only kept for a false one."""
    verdict, truth = (TRUE, None) if is_true else (FALSE, truth or None)
    return Finding(start, end, kind, verdict, claim, truth, fact)


def unknown(
    start: int, end: int, claim: str, because: str = NOT_UNDERSTOOD, kind: str = "number", fact: Fact | None = None
) -> Finding:
    """A finding without a verdict."""
    return Finding(start, end, kind, UNKNOWN, claim, None, fact, because)


def resolve_overlaps(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in reading order without overlap. Earlier ones take precedence."""
    taken: set[int] = set()
    kept = []
    for finding in findings:
        positions = range(finding.start, finding.end)
        if not taken.intersection(positions):
            taken.update(positions)
            kept.append(finding)
    return sorted(kept, key=lambda finding: finding.start)
