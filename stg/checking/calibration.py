"""Counts how often each rule's findings were mistakes, and draws the curve of precision and recall.

Two sources: the annotated recaps of the accuracy task, where people marked the mistakes, and recaps by language models
in which nothing is false, as they are and with one mistake each: every mutation of a recap counts as one part of it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stg.checking.confidence import Confidence, levels
from stg.checking.evaluation import AnnotatedText, count_matches, scores
from stg.checking.findings import FALSE, Finding
from stg.checking.self_test import SelfTest


_LEAST_PRECISION = {"strict": 0.95, "lenient": 0.8}  # the modes have the most recall at this precision
_THRESHOLDS = [percent / 100 for percent in range(1, 100)]


class Example(NamedTuple):
    """A claim: what was found, whether it is a mistake, and how much it counts."""

    finding: Finding
    is_mistake: bool
    weight: float = 1.0


Judged = tuple[AnnotatedText, list[Finding]]


def annotated_examples(text: AnnotatedText, findings: Iterable[Finding]) -> list[Example]:
    """A false finding may match any mistake that was marked there, another one only a mistake of its kind."""
    return [
        Example(
            finding,
            any(
                mistake.start < finding.end
                and finding.start < mistake.end
                and (finding.verdict == FALSE or mistake.kind == finding.kind)
                for mistake in text.mistakes
            ),
        )
        for finding in findings
    ]


def mutated_examples(test: SelfTest) -> list[Example]:
    """What is said of a true recap, and of the mistakes that were put into it."""
    right = [Example(placed.finding, False) for placed in test.findings]
    wrong = [
        Example(finding, True, 1 / len(test.outcomes) / len(outcome.said))
        for outcome in test.outcomes
        for finding in outcome.said
    ]
    return right + wrong


def count(examples: Iterable[Example]) -> dict[str, tuple[float, float]]:
    """Mistakes and claims by each of `levels`."""
    mistakes: defaultdict[str, float] = defaultdict(float)
    claims: defaultdict[str, float] = defaultdict(float)
    for finding, is_mistake, weight in examples:
        for level in levels(finding):
            mistakes[level] += weight * is_mistake
            claims[level] += weight
    return {level: (round(mistakes[level], 2), round(claims[level], 2)) for level in sorted(claims)}


def curve(judged: Sequence[Judged], mutated: Sequence[Example]) -> list[dict[str, Any]]:
    """Precision and recall on the annotated texts by threshold; a text is left out of the counts it is judged by."""
    examples = [annotated_examples(text, findings) for text, findings in judged]
    suspicions = []
    for at, (_, findings) in enumerate(judged):
        others = (example for other, own in enumerate(examples) if other != at for example in own)
        confidence = Confidence(count([*others, *mutated]))
        suspicions.append([confidence.suspicion(finding) for finding in findings])
    points = []
    for threshold in _THRESHOLDS:
        counts: Counter[tuple[str, str]] = Counter()
        for (text, findings), values in zip(judged, suspicions, strict=True):
            pairs = zip(findings, values, strict=True)
            flagged = [replace(finding, verdict=FALSE) for finding, value in pairs if value >= threshold]
            counts += count_matches(flagged, text.mistakes)
        total = scores(counts)["all"]
        points.append({"threshold": threshold, **{name: total[name] for name in ("precision", "recall", "said")}})
    return points


def thresholds(points: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Of each mode: the most recall at the precision that it promises, else the best precision."""
    chosen = {}
    for mode, least in _LEAST_PRECISION.items():
        best = max(point["precision"] for point in points)
        good = [point for point in points if point["precision"] >= min(least, best)]
        chosen[mode] = max(good, key=lambda point: (point["recall"], point["threshold"]))["threshold"]
    return chosen
