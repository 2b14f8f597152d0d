"""Validates single values of a box score's JSON. Error messages name the place, the value and the remedy."""

import datetime
import json
import numbers
import reprlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import GameError, GameWarning
from .schema import MAX_NAME, NOT_AVAILABLE, limit


_COMMON = frozenset(map(str, range(101)))  # valid in every column: nine cells in ten need no further check
_MAX_DIGITS = 9  # nothing in a box score comes near, and int() refuses strings of 4,300 digits
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_warned: set[tuple[str, ...]] = set()


def read_number_cell(value: Any, attribute: str, place: str) -> str | None:
    """Reads a whole number within the column's limit, as a string; None for "N/A"."""
    if isinstance(value, str) and value in _COMMON:
        return value
    if value is None:
        return None
    original = value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        value = str(int(value)) if abs(value) < 10**_MAX_DIGITS else "9" * 10
    text = value.strip() if isinstance(value, str) else ""
    if text == NOT_AVAILABLE:
        return None
    highest = limit(attribute)
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        raise GameError(f"{place}: {show(original)} is not a whole number; write digits, or 'N/A' if there is none")
    if text.startswith("-") or len(digits) > _MAX_DIGITS or int(digits) > highest:
        raise GameError(f"{place}: {show(original)} is out of range; it must lie between 0 and {highest}")
    return str(int(digits))


def read_name(value: Any, place: str) -> str:
    """Reads a printable name and reduces its white space to single spaces."""
    if not isinstance(value, str):
        raise GameError(f"{place}: {show(value)} is a {json_type(value)}; a name is a string")
    name = " ".join(value.split())
    if not name or name == NOT_AVAILABLE or not name.isprintable():
        raise GameError(f"{place}: {show(value)} is not a name; give a printable one")
    if len(name) > MAX_NAME:
        raise GameError(f"{place}: {show(value)} has {len(name)} letters; a name has at most {MAX_NAME}")
    return name


def read_game_id(value: Any, place: str) -> str | None:
    if value is None:
        return None
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool) and abs(int(value)) < 10**18
    return read_name(str(value) if whole else value, place)


def is_absent(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in ("", NOT_AVAILABLE))


def read_date(day: Any) -> datetime.date | None:
    """Reads a date written MM_DD_YY; None for anything else."""
    try:
        return datetime.datetime.strptime(day, "%m_%d_%y").date()
    except (TypeError, ValueError):
        return None


def player_order(key: Any) -> tuple[int, int, str]:
    """A sort key for players' keys: numbers in numeric order, then everything else."""
    text = show(key).strip("'")
    return (0, int(text), "") if text.isdecimal() and len(text) <= _MAX_DIGITS else (1, 0, text)


def show_key(key: Any) -> str:
    return json.dumps(key) if isinstance(key, str) and len(key) <= 60 else show(key)


def warn_unknown_columns(columns: Mapping, known: Sequence[str], place: str) -> None:
    """Warns once per process and set of columns: a file of a thousand games repeats them a thousand times."""
    unknown = tuple(sorted(show(key).strip("'") for key in columns if key not in known))
    if unknown and (place, *unknown) not in _warned:
        _warned.add((place, *unknown))
        warnings.warn(f"{place}: unknown columns ignored: {', '.join(unknown)}", GameWarning, stacklevel=5)


def json_type(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "list", dict: "object"}
    return names.get(type(value), type(value).__name__)


def show(value: Any) -> str:
    """The value on one short line."""
    try:
        return _SHORT.repr(value).replace("\n", " ")
    except ValueError:  # an integer of thousands of digits
        return f"a {json_type(value)} too large to print"
