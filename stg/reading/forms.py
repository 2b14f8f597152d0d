"""The forms that readers fill in: blank ones, and filled-in ones with every mistake found."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from modeling_stg.errors import StgError
from modeling_stg.game import read_json


COUNTED = ("false", "undecidable", "senseless")  # lists of quotations
PUBLISH = ("yes", "light edits", "no")
_FORM_FIELDS = ("packet", "texts", "rank")
_TEXT_FIELDS = (*COUNTED, "publish")


class Verdict(NamedTuple):
    """What a reader says about one text.

    Args:
        quotes: what the reader quotes as "false", "undecidable" and "senseless".
        publish: one of `PUBLISH`.
        rank: 1 for the best text of its packet.
    """

    quotes: dict[str, list[str]]
    publish: str
    rank: int


class Reading(NamedTuple):
    """A filled-in form, its texts by the systems that wrote them."""

    reader: str
    packet: int
    verdicts: dict[str, Verdict]


def form_name(number: int, packets: int) -> str:
    """The file of a packet's form, padded so that files sort by number: "form_03.json"."""
    return f"form_{number:0{max(2, len(str(packets)))}d}.json"


def blank_form(number: int, labels: Iterable[str]) -> dict[str, Any]:
    """The form of a packet with nothing filled in."""
    texts = {label: {**{field: [] for field in COUNTED}, "publish": ""} for label in labels}
    return {"packet": number, "texts": texts, "rank": []}


def read_key(folder: str | Path) -> list[dict[str, Any]]:
    """The packets of a folder that `stg read prepare` made: number, game_id, and the system of each text."""
    path = Path(folder) / "key.json"
    key = read_json(path)
    rows = key.get("packets") if isinstance(key, dict) else None
    if not isinstance(rows, list) or not rows or not all(_is_packet(row, rows[0]) for row in rows):
        raise StgError(f"{path}: is not a key of `stg read prepare`; name the folder that it made")
    return rows


def _is_packet(row: Any, first: Any) -> bool:
    """Whether a row of the key has a number, a game and the systems that the first row has."""
    if not all(isinstance(one, dict) and isinstance(one.get("texts"), dict) for one in (row, first)):
        return False
    has_game = isinstance(row.get("packet"), int) and isinstance(row.get("game_id"), str)
    return has_game and sorted(row["texts"].values()) == sorted(first["texts"].values())


def read_forms(folder: str | Path, reader: str, key: Sequence[Mapping[str, Any]]) -> tuple[list[Reading], list[str]]:
    """Reads a reader's forms.

    Args:
        folder: the reader's folder. A reader may leave out packets, but not parts of a form.
        reader: the reader's name.
        key: the packets, from `read_key`.

    Returns:
        The readings, and for each bad form one line with all its problems.
    """
    path = Path(folder)
    if not path.is_dir():
        raise StgError(f"--forms {folder}: is not a folder; name one folder of forms for each reader")
    names = {form_name(row["packet"], len(key)): row for row in key}
    unknown = sorted(file.name for file in path.glob("form_*.json") if file.name not in names)
    problems = [f"{path / name}: is the form of no packet in the key; remove it" for name in unknown]
    readings = []
    for name, row in names.items():
        if not (path / name).exists():
            continue
        try:
            form = read_json(path / name)
        except StgError as error:
            problems.append(str(error))
            continue
        found = list(_problems(form, row))
        if found:
            problems.append(f"{path / name}: {'; '.join(found)}")
        else:
            readings.append(_reading(form, reader, row))
    if not readings and not problems:
        raise StgError(f"--forms {folder}: holds no form; name the folder with form_01.json and so on, filled in")
    return readings, problems


def _reading(form: Mapping[str, Any], reader: str, row: Mapping[str, Any]) -> Reading:
    verdicts = {}
    for label, system in row["texts"].items():
        text = form["texts"][label]
        quotes = {field: list(text[field]) for field in COUNTED}
        verdicts[system] = Verdict(quotes, text["publish"], form["rank"].index(label) + 1)
    return Reading(reader, row["packet"], verdicts)


def _problems(form: Any, row: Mapping[str, Any]) -> Iterator[str]:
    """Everything that is wrong with a form, each with the text and field."""
    labels = list(row["texts"])
    if not isinstance(form, dict):
        yield f"{_show(form)} is not an object with {', '.join(_FORM_FIELDS)}; start again from the blank form"
        return
    yield from _field_problems(form, _FORM_FIELDS, "")
    if "packet" in form and form["packet"] != row["packet"]:
        yield f"packet: {_show(form['packet'])} is not {row['packet']}; is this the form of another packet?"
    texts = form.get("texts")
    if isinstance(texts, dict):
        yield from _field_problems(texts, labels, "texts, ")
        for label in labels:
            if label in texts:
                yield from _text_problems(texts[label], label)
    elif "texts" in form:
        yield f"texts: {_show(texts)} is not an object with {', '.join(labels)}"
    if "rank" in form and not _is_permutation(form["rank"], labels):
        order = json.dumps(labels)
        yield f"rank: {_show(form['rank'])} does not list every text once; write {order}, but the best first"


def _is_permutation(rank: Any, labels: Sequence[str]) -> bool:
    return isinstance(rank, list) and len(rank) == len(labels) and all(label in rank for label in labels)


def _text_problems(text: Any, label: str) -> Iterator[str]:
    if not isinstance(text, dict):
        yield f"{label}: {_show(text)} is not an object with {', '.join(_TEXT_FIELDS)}"
        return
    yield from _field_problems(text, _TEXT_FIELDS, f"{label}, ")
    seen: dict[str, str] = {}
    for field in COUNTED:
        quotes = text.get(field, [])
        if not isinstance(quotes, list):
            yield f'{label}, {field}: {_show(quotes)} is not a list; write [] or ["a quotation"]'
            continue
        for quote in quotes:
            if not isinstance(quote, str) or not quote.strip():
                yield f"{label}, {field}: {_show(quote)} is not a quotation; write the words of the text"
                continue
            words = " ".join(quote.split())
            if words in seen:
                yield f"{label}, {field}: {_show(quote)} is also in {seen[words]}; count each claim once"
            seen.setdefault(words, field)
    publish = text.get("publish")
    if "publish" in text and publish not in PUBLISH:
        yield f"{label}, publish: {_show(publish)} is no verdict; write {', '.join(PUBLISH[:-1])} or {PUBLISH[-1]}"


def _field_problems(data: Mapping[str, Any], fields: Sequence[str], place: str) -> Iterator[str]:
    yield from (f"{place}{field}: is missing; write it as in the blank form" for field in fields if field not in data)
    yield from (f"{place}{field}: is not a field of the form; remove it" for field in data if field not in fields)


def _show(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
