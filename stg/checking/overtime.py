"""Tells the overtime where a generated recap does not; no editor would let that pass."""

from collections.abc import Iterable, Sequence
from typing import Any

from modeling_stg.game_facts import as_facts


_TOLD = frozenset(("overtime", "overtimes", "extra"))


def with_overtime(sequences: Iterable[Sequence[int]], processor: Any, games: Sequence[Any]) -> list[list[int]]:
    """Adds "in overtime" after the first final score of recaps that tell of no overtime.

    Args:
        sequences: ids of one recap per game; they come back without padding.
        processor: the model's processor.
        games: the games, with their seasons.
    """
    config, vocabulary = processor.layout, processor.tokenizer.get_vocab()
    hidden = (config.pad_token_id, config.bos_token_id, config.eos_token_id)  # absent from traces
    rows = [[token for token in map(int, row) if token not in hidden] for row in sequences]
    if "in" not in vocabulary or "overtime" not in vocabulary:
        return rows
    for row, trace, game in zip(rows, processor.trace(rows, games), games, strict=True):
        words = {word for token in trace for word in token["text"].lower().split(" ")}
        at = _after_the_score(trace)
        if as_facts(game).value(0, "TEAM-ENDED_IN") == "overtime" and not _TOLD & words and at is not None:
            row[at:at] = [vocabulary["in"], vocabulary["overtime"]]
    return rows


def _after_the_score(trace: Sequence[dict]) -> int | None:
    """The position after the first "123 - 118", the points of both teams."""
    for position in range(len(trace) - 2):
        first, hyphen, second = trace[position : position + 3]
        is_score = first["attribute"] == second["attribute"] == "TEAM-PTS" and first["entity"] != second["entity"]
        if is_score and hyphen["text"] == "-":
            return position + 3
    return None
