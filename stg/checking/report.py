"""Findings as people and programs read them: by characters of the text, and counted."""

from collections import Counter
from collections.abc import Iterable, Sequence

from modeling_stg.game import Game
from stg.checking.findings import FALSE, TRUE, UNKNOWN, Finding
from stg.checking.mending import mend
from stg.checking.places import places


def described(game: Game, text: str, tokens: Sequence[str], findings: Sequence[Finding]) -> dict:
    """A line of the jsonl; `start` and `end` count characters of the text. `mended` is the text with what is false
    replaced, where one thing can be."""
    where = places(text, tokens)
    placed = [(where[finding.start][0], where[finding.end - 1][1], finding) for finding in findings]
    told = [
        {
            "start": start,
            "end": end,
            "text": text[start:end],
            "kind": finding.kind,
            "verdict": finding.verdict,
            "claim": finding.claim,
            "truth": finding.truth,
            "entity": None if finding.entity is None else game.entities[finding.entity].name,
            "attribute": finding.attribute,
        }
        for start, end, finding in placed
    ]
    counted = summary((finding.kind, finding.verdict) for finding in findings)
    return {"game_id": game.game_id, "text": text, "mended": mend(text, placed), "summary": counted, "findings": told}


def summary(findings: Iterable[tuple[str, str]]) -> str:
    """ "31 numbers: 27 true, 3 false, 1 unknown; names and words: 8 true, 2 false", of kinds and verdicts."""
    counts = Counter((kind == "number", verdict) for kind, verdict in findings)
    numbers = [(verdict, counts[True, verdict]) for verdict in (TRUE, FALSE, UNKNOWN)]
    told = ", ".join(f"{number:,} {verdict}" for verdict, number in numbers)
    others = f"names and words: {counts[False, TRUE]:,} true, {counts[False, FALSE]:,} false"
    return f"{sum(number for _, number in numbers):,} numbers: {told}; {others}"
