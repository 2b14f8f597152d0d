"""Findings: the checker's verdicts on pieces of text."""

from collections.abc import Iterable
from dataclasses import dataclass

from modeling_stg.facts import Fact


KINDS = ("number", "name", "word")
TRUE, FALSE, UNKNOWN = "true", "false", "unknown"


@dataclass(frozen=True)
class Finding:
    """A verdict on `tokens[start:end]`.

    Args:
        kind: one of KINDS.
        verdict: TRUE, FALSE, or UNKNOWN for a number that neither the box score nor the season decides.
        claim: the claim as the checker reads it: "Al Horford: 11 PTS".
        truth: for a false claim, the correct value, if there is a single one.
        fact: the fact that decides the claim, a cell or computed; None if the roster or the text itself does.
    """

    start: int
    end: int
    kind: str
    verdict: str
    claim: str
    truth: str | None = None
    fact: Fact | None = None


def decide(
    kind: str, start: int, end: int, is_true: bool, claim: str, truth: str | None = None, fact: Fact | None = None
) -> Finding:
    """A finding that is true or false; `truth` is only kept for a false one."""
    verdict, truth = (TRUE, None) if is_true else (FALSE, truth or None)
    return Finding(start, end, kind, verdict, claim, truth, fact)


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
