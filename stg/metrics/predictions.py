"""Reads a system's summaries: one per line, tokenised or plain, or the jsonl of `stg generate`."""

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from modeling_stg.errors import StgError
from modeling_stg.text import detokenize, tokenize


class Prediction(NamedTuple):
    """One summary: its tokens, the text they were read from, and the game's id if the file has it."""

    tokens: list[str]
    text: str
    game_id: str | None = None


def read_predictions(path: str | Path) -> list[Prediction]:
    """The summaries of a file. A blank line is an empty summary, which scores 0; a file of blank lines is an error."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise StgError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError as error:
        raise StgError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    if not lines[-1].strip():
        lines.pop()
    if not any(line.strip() for line in lines):
        raise StgError(f"{path}: is empty; write one summary per line")
    first = next(line for line in lines if line.strip()).lstrip()
    if first.startswith("{") or Path(path).suffix == ".jsonl" or _is_json(first):
        return [_from_json(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    return [Prediction(tokenize(line), line) for line in lines]


def _is_json(line: str) -> bool:
    """Whether a line is a JSON list or string, not prose that begins with a quotation mark."""
    try:
        return isinstance(json.loads(line), (list, str))
    except (ValueError, RecursionError):
        return False


def align(predictions: Sequence[Prediction], game_ids: Sequence[str], source: str) -> list[Prediction]:
    """A summary for each game, matched by id; in the file's order if it has none of the ids."""
    if len(predictions) != len(game_ids):
        raise StgError(
            f"{source}: {len(predictions)} summaries for {len(game_ids)} games; write one line for every game"
        )
    ids = [prediction.game_id for prediction in predictions]
    if ids == list(game_ids) or set(ids).isdisjoint(game_ids):
        if ids != list(game_ids) and any(ids):
            warnings.warn(f"{source}: none of its game_ids is among these games; using the file's order", stacklevel=2)
        return list(predictions)
    by_id: dict[str | None, list[Prediction]] = {}
    for prediction in predictions:
        by_id.setdefault(prediction.game_id, []).append(prediction)
    for game_id in game_ids:
        if game_id not in by_id or ids.count(game_id) != list(game_ids).count(game_id):
            problem = "is repeated" if game_id in by_id else "is missing"
            raise StgError(f"{source}: game_id {game_id!r} {problem}; give every game's id once, or none")
    return [by_id[game_id].pop(0) for game_id in game_ids]


def _from_json(line: str, place: str) -> Prediction:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise StgError(f"{place}: is not JSON ({error}); every line of a jsonl file must be") from None
    if isinstance(data, (str, list)):
        data = {"text" if isinstance(data, str) else "tokens": data}
    if not isinstance(data, Mapping) or not ("tokens" in data or "text" in data):
        raise StgError(f"{place}: has neither 'tokens' nor 'text'; write the summary into one of them")
    game_id = None if data.get("game_id") is None else str(data["game_id"])
    if "tokens" not in data:
        text = _text(data["text"], f"{place}, text")
        return Prediction(tokenize(text), text, game_id)
    if not isinstance(data["tokens"], list):
        raise StgError(f"{place}, tokens: expected a list, got a {type(data['tokens']).__name__}")
    tokens = []
    for token in data["tokens"]:
        text = token.get("text") if isinstance(token, Mapping) else token
        # A copied value may be several of the dataset's tokens: "Trail Blazers", "C.J."
        tokens += tokenize(_text(text, f"{place}, tokens"))
    return Prediction(tokens, _text(data.get("text", detokenize(tokens)), f"{place}, text"), game_id)


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise StgError(f"{place}: {value!r:.60} is not text")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise StgError(f"{place}: holds a lone surrogate; write the whole character")
    return value
