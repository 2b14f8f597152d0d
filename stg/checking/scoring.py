"""The checker against people's own corrections: which mistakes it finds, and how many of its findings are some.

The texts are those of the INLG 2021 accuracy shared task (Thomson and Reiter): recaps by neural systems, in which
annotators marked every mistake and its type. A finding and a mistake match when they share a token, one to one.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modeling_stg.errors import StgError
from stg.checking.findings import FALSE, KINDS, Finding


OTHERS = ("context", "not_checkable", "other")  # types of mistakes that the checker never speaks of


@dataclass(frozen=True)
class Mistake:
    """What annotators corrected: tokens[start:end]."""

    start: int
    end: int
    kind: str  # one of KINDS or of OTHERS


@dataclass(frozen=True)
class Annotated:
    """A text of the shared task; `index` is its game's in RotoWire's test.json."""

    name: str
    index: int
    tokens: list[str]
    mistakes: list[Mistake]


def read_annotated(folder: str | Path) -> list[Annotated]:
    """The texts of games.csv with the mistakes of gsml.csv, which counts tokens from 1 and includes the last."""
    mistakes: dict[str, list[Mistake]] = {}
    for row in _rows(Path(folder) / "gsml.csv"):
        start, end = int(row["DOC_TOKEN_START"]) - 1, int(row["DOC_TOKEN_END"])
        mistakes.setdefault(row["TEXT_ID"].removesuffix(".txt"), []).append(Mistake(start, end, row["TYPE"].lower()))
    return [
        Annotated(
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


def count(findings: Iterable[Finding], mistakes: Sequence[Mistake]) -> Counter:
    """By kind: mistakes "made", findings "said", those that "matched" a mistake, or one of the "same" kind."""
    counts: Counter = Counter(("made", mistake.kind) for mistake in mistakes)
    free = list(mistakes)
    for finding in findings:
        if finding.verdict != FALSE:
            continue
        counts["said", finding.kind] += 1
        near = [mistake for mistake in free if mistake.start < finding.end and finding.start < mistake.end]
        if near:
            chosen = next((mistake for mistake in near if mistake.kind == finding.kind), near[0])
            free.remove(chosen)
            counts["matched", finding.kind] += 1
            counts["same", finding.kind] += chosen.kind == finding.kind
    return counts


def scores(counts: Mapping[tuple[str, str], int]) -> dict[str, dict[str, float | int]]:
    """By kind and for all: precision and recall (of a kind only where both are of it), and what they are made of."""
    found = {}
    for kind in KINDS:
        found[kind] = _rates(*(counts.get((name, kind), 0) for name in ("same", "said", "made")))
    totals = [sum(counts.get((name, kind), 0) for kind in (*KINDS, *OTHERS)) for name in ("matched", "said", "made")]
    return found | {"all": _rates(*totals)}


def _rates(right: int, said: int, made: int) -> dict[str, float | int]:
    return {
        "precision": round(right / said, 4) if said else 0.0,
        "recall": round(right / made, 4) if made else 0.0,
        "matched": right,
        "said": said,
        "mistakes": made,
    }
