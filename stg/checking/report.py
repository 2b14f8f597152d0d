"""Reports for people and programs: findings by characters of the text, and their counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from modeling_stg.game import Game
from modeling_stg.text import sentences
from stg.checking.alignment import character_spans
from stg.checking.confidence import shipped_confidence
from stg.checking.corrections import correct
from stg.checking.findings import FALSE, TRUE, UNKNOWN, Finding


VERSION = 1  # of the format that report.schema.json describes; a field that changes its meaning makes it 2


def check_report(
    game: Game, text: str, tokens: Sequence[str], findings: Sequence[Finding], mode: str = "default"
) -> dict[str, Any]:
    """A line of the jsonl of `stg check`, as report.schema.json describes it. `mode` says what is flagged; `unjudged`
    has the sentences without any claim that the checker can judge."""
    confidence = shipped_confidence()
    spans = character_spans(text, tokens)
    placed = [(spans[finding.start][0], spans[finding.end - 1][1], finding) for finding in findings]
    return {
        "version": VERSION,
        "game_id": game.game_id,
        "text": text,
        "mended": correct(text, [found for found in placed if confidence.is_flagged(found[2], mode)]),
        "summary": summary((finding.kind, finding.verdict) for finding in findings),
        "unjudged": [
            text[spans[start][0] : spans[end - 1][1]]
            for start, end in sentences(list(tokens))
            if not any(start <= finding.start < end for finding in findings)
        ],
        "findings": [
            {
                "start": start,
                "end": end,
                "text": text[start:end],
                "kind": finding.kind,
                "verdict": finding.verdict,
                "unknown_because": finding.unknown_because,
                "flagged": confidence.is_flagged(finding, mode),
                "confidence": round(confidence.of(finding), 3),
                "rule": finding.rule,
                "claim": finding.claim,
                "truth": finding.truth,
                **_fact(finding, game),
            }
            for start, end, finding in placed
        ],
    }


def _fact(finding: Finding, game: Game) -> dict[str, Any]:
    """Whose fact decides, and the cells it was computed from: none for a cell, None without a fact, as in traces."""
    fact = finding.fact
    if fact is None or fact.entity is None:
        return {"entity": None, "attribute": None, "from": None}
    sources = [cell.to_json(game) for cell in dict.fromkeys(fact.cells())]
    return {"entity": game.entities[fact.entity].name, "attribute": fact.attribute, "from": sources}


def summary(findings: Iterable[tuple[str, str]]) -> str:
    """ "31 numbers: 27 true, 3 false, 1 unknown; names and words: 8 true, 2 false", from kinds and verdicts."""
    counts = Counter((kind == "number", verdict) for kind, verdict in findings)
    numbers = [(verdict, counts[True, verdict]) for verdict in (TRUE, FALSE, UNKNOWN)]
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in numbers)
    others = f"names and words: {counts[False, TRUE]:,} true, {counts[False, FALSE]:,} false"
    return f"{sum(number for _, number in numbers):,} numbers: {verdicts}; {others}"
