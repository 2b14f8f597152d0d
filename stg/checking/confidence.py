"""How sure the checker is: how often claims with such a finding turned out to be mistakes.

The table `confidence.json`, which `stg calibrate-checker` makes, counts claims and mistakes by verdict and kind, then
by rule, then by the attribute of the deciding fact. What was seldom seen borrows from the level above.
"""

import functools
import json
from collections.abc import Mapping
from pathlib import Path

from stg.checking.findings import FALSE, Finding


TABLE = Path(__file__).with_name("confidence.json")
MODES = ("default", "strict", "lenient")
Counts = Mapping[str, tuple[float, float]]  # mistakes and all claims, by each of `levels`
_BORROWED = 5.0  # claims that a level borrows from the one above


def levels(finding: Finding) -> tuple[str, str, str]:
    """The names under which a finding is counted, from the broadest to the narrowest."""
    group = f"{finding.verdict} {finding.kind}"
    rule = f"{group} {finding.rule}"
    return group, rule, f"{rule} {finding.fact.attribute if finding.fact else '-'}"


class Confidence:
    """Probabilities of mistakes.

    Args:
        counts: mistakes and claims.
        thresholds: of the modes "strict" and "lenient": from which probability on a claim is flagged as a mistake.
    """

    def __init__(self, counts: Counts, thresholds: Mapping[str, float] | None = None):
        self.counts, self.thresholds = counts, thresholds or {}

    def suspicion(self, finding: Finding) -> float:
        """The probability that the claim is a mistake."""
        probability = 0.5
        for level in levels(finding):
            mistakes, claims = self.counts.get(level, (0.0, 0.0))
            probability = (mistakes + _BORROWED * probability) / (claims + _BORROWED)
        return probability

    def of(self, finding: Finding) -> float:
        """The probability that a false claim is a mistake, and that any other claim is none."""
        suspicion = self.suspicion(finding)
        return suspicion if finding.verdict == FALSE else 1 - suspicion

    def is_flagged(self, finding: Finding, mode: str = "default") -> bool:
        """Whether to report the claim as a mistake.

        Args:
            finding: the claim.
            mode: "default" for what is false, "strict" for what is surely so, "lenient" also for what is suspect.
        """
        if mode == "default":
            return finding.verdict == FALSE
        return self.suspicion(finding) >= self.thresholds[mode]


@functools.cache
def shipped_confidence() -> Confidence:
    """The shipped table."""
    data = json.loads(TABLE.read_text(encoding="utf-8"))
    counts = {name: (mistakes, claims) for name, (mistakes, claims) in data["counts"].items()}
    return Confidence(counts, data["thresholds"])
