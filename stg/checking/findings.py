"""What the checker says of a piece of text."""

from collections.abc import Iterable
from dataclasses import dataclass


KINDS = ("number", "name", "word")
TRUE, FALSE, UNKNOWN = "true", "false", "unknown"


@dataclass(frozen=True)
class Finding:
    """A verdict on `tokens[start:end]`.

    `unknown` is only said of numbers: neither the box score nor the season holds what they count.
    """

    start: int
    end: int
    kind: str  # one of KINDS
    verdict: str
    claim: str  # what the text was read to say: "Al Horford: 11 PTS"
    truth: str | None = None  # of what is false: what should stand here, where one thing should
    entity: int | None = None  # of the cell that decides: position in game.entities
    attribute: str | None = None


def judged(kind: str, start: int, end: int, is_true: bool, claim: str, truth: str | None = None, cell=(None, None)):
    """A finding that is true or false; `truth` is said of the false alone."""
    verdict, truth = (TRUE, None) if is_true else (FALSE, truth or None)
    return Finding(start, end, kind, verdict, claim, truth, *cell)


def settle(findings: Iterable[Finding]) -> list[Finding]:
    """In reading order, one for each place: of several rules that speak about it, the first has the word."""
    taken: set[int] = set()
    kept = []
    for finding in findings:
        places = range(finding.start, finding.end)
        if not taken.intersection(places):
            taken.update(places)
            kept.append(finding)
    return sorted(kept, key=lambda finding: finding.start)
