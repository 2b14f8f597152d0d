"""Findings as people and programs read them: by characters of the text, and counted."""

from collections import Counter
from collections.abc import Iterable, Sequence

from checking.findings import FALSE, TRUE, UNKNOWN, Finding
from checking.places import places
from modeling_stg.game_stg import Game


def described(game: Game, text: str, tokens: Sequence[str], findings: Sequence[Finding]) -> dict:
    """A line of the jsonl; `start` and `end` count characters of the text."""
    where = places(text, tokens)
    told = []
    for finding in findings:
        start, end = where[finding.start][0], where[finding.end - 1][1]
        owner = None if finding.entity is None else game.entities[finding.entity].name
        told.append(
            {
                "start": start,
                "end": end,
                "text": text[start:end],
                "kind": finding.kind,
                "verdict": finding.verdict,
                "claim": finding.claim,
                "truth": finding.truth,
                "entity": owner,
                "attribute": finding.attribute,
            }
        )
    return {
        "game_id": game.game_id,
        "text": text,
        "summary": summary((each.kind, each.verdict) for each in findings),
        "findings": told,
    }


def summary(findings: Iterable[tuple[str, str]]) -> str:
    """ "31 numbers: 27 true, 3 false, 1 unknown; names and words: 8 true, 2 false", of kinds and verdicts."""
    counts = Counter((kind == "number", verdict) for kind, verdict in findings)
    numbers = [(verdict, counts[True, verdict]) for verdict in (TRUE, FALSE, UNKNOWN)]
    told = ", ".join(f"{number:,} {verdict}" for verdict, number in numbers)
    others = f"names and words: {counts[False, TRUE]:,} true, {counts[False, FALSE]:,} false"
    return f"{sum(number for _, number in numbers):,} numbers: {told}; {others}"
