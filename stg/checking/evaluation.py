"""Evaluates the checker on annotated mistakes: its precision and recall.

The texts are those of the INLG 2021 accuracy shared task (Thomson and Reiter): recaps by neural systems in which
annotators marked every mistake and its type. A finding and a mistake match if they share a token, one to one.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modeling_stg.errors import StgError
from stg.checking.findings import FALSE, KINDS, Finding


UNCHECKED = ("context", "not_checkable", "other")  # kinds of mistakes that the checker does not look for


@dataclass(frozen=True)
class Mistake:
    """A mistake that annotators marked: tokens[start:end]."""

    start: int
    end: int
    kind: str  # one of KINDS or UNCHECKED


@dataclass(frozen=True)
class AnnotatedText:
    """A text of the shared task; `index` is its game's position in RotoWire's test.json."""

    name: str
    index: int
    tokens: list[str]
    mistakes: list[Mistake]


def read_annotated(folder: str | Path) -> list[AnnotatedText]:
    """The texts of games.csv with the mistakes of gsml.csv, whose token numbers start at 1 and are inclusive."""
    mistakes: dict[str, list[Mistake]] = {}
    for row in _rows(Path(folder) / "gsml.csv"):
        start, end = int(row["DOC_TOKEN_START"]) - 1, int(row["DOC_TOKEN_END"])
        mistakes.setdefault(row["TEXT_ID"].removesuffix(".txt"), []).append(Mistake(start, end, row["TYPE"].lower()))
    return [
        AnnotatedText(
            row["TEXT_ID"],
            int(row["LINE_ID_FROM_TEST_SET"]),
            row["GENERATED_TEXT"].split(),
            mistakes.get(row["TEXT_ID"], []),
        )
        for row in _rows(Path(folder) / "games.csv")
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise StgError(
            f"{path}: cannot be read ({error.strerror}); name the folder of games.csv and gsml.csv"
        ) from None


def count_matches(findings: Iterable[Finding], mistakes: Sequence[Mistake]) -> Counter[tuple[str, str]]:
    """Counts by kind: mistakes "made", findings "said", and findings that "matched" any mistake or the "same" kind."""
    counts: Counter[tuple[str, str]] = Counter(("made", mistake.kind) for mistake in mistakes)
    unmatched = list(mistakes)
    for finding in findings:
        if finding.verdict != FALSE:
            continue
        counts["said", finding.kind] += 1
        overlapping = [mistake for mistake in unmatched if mistake.start < finding.end and finding.start < mistake.end]
        if overlapping:
            chosen = next((mistake for mistake in overlapping if mistake.kind == finding.kind), overlapping[0])
            unmatched.remove(chosen)
            counts["matched", finding.kind] += 1
            counts["same", finding.kind] += chosen.kind == finding.kind
    return counts


def scores(counts: Mapping[tuple[str, str], int]) -> dict[str, dict[str, float | int]]:
    """Precision, recall and their counts by kind, where a match must be of the same kind, and overall."""
    by_kind = {}
    for kind in KINDS:
        by_kind[kind] = _rates(*(counts.get((name, kind), 0) for name in ("same", "said", "made")))
    totals = [
        sum(counts.get((name, kind), 0) for kind in (*KINDS, *UNCHECKED)) for name in ("matched", "said", "made")
    ]
    return by_kind | {"all": _rates(*totals)}


def _rates(matched: int, reported: int, mistakes: int) -> dict[str, float | int]:
    return {
        "precision": round(matched / reported, 4) if reported else 0.0,
        "recall": round(matched / mistakes, 4) if mistakes else 0.0,
        "matched": matched,
        "said": reported,
        "mistakes": mistakes,
    }
