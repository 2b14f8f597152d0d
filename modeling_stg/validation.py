"""Validates single values of a box score's JSON. Error messages name the place, the value and the remedy."""

import datetime
import json
import math
import numbers
import re
import reprlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .errors import GameError, GameErrors, GameWarning
from .schema import MAX_NAME, NOT_AVAILABLE, limit


_COMMON = frozenset(map(str, range(101)))  # valid in every column: nine cells in ten need no further check
_MAX_DIGITS = 9  # nothing in a box score comes near, and int() refuses strings of 4,300 digits
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_warned: set[tuple[str, ...]] = set()
_ABSENT = frozenset(["", NOT_AVAILABLE, "NA", "nan", "NaN", "None", "null", "<NA>", "-", "--"])
_DECIMAL = re.compile(r"\d{0,9}\.\d{0,20}|\d{1,9}")
_CLOCK = re.compile(r"(?:PT)?(\d{1,3})[:M](\d{1,2})(?:\.\d+)?S?")  # 32:14, PT32M14.00S
_MINUTES_ONLY = re.compile(r"PT(\d{1,3})M")
_DATE_FORMATS = (
    *("%m_%d_%y", "%Y-%m-%d", "%Y%m%d", "%m/%d/%Y", "%m/%d/%y", "%m-%d-%Y", "%Y/%m/%d", "%d.%m.%Y"),
    *("%B %d, %Y", "%b %d, %Y", "%A, %B %d, %Y", "%a, %b %d, %Y", "%d %B %Y", "%d %b %Y"),
)
_TIME_OF_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}.*")
_FIRST_YEAR, _LAST_YEAR = 1969, 2068  # whose last two digits `%y` reads back


class Problems:
    """Collects the problems of a game, so that all of them are reported at once."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, problem: str) -> None:
        self.found.append(problem)

    def attempt(self, read: Callable[..., Any], *arguments: Any) -> Any:
        """What `read` returns; None, and its error is kept, if it refuses."""
        try:
            return read(*arguments)
        except GameError as error:
            self.found.append(str(error))
            return None

    def raise_if_any(self) -> None:
        if self.found:
            raise GameErrors(self.found) if len(self.found) > 1 else GameError(self.found[0])


def read_number_cell(value: Any, attribute: str, place: str) -> str | None:
    """Reads a whole number within the column's limit, as a string; None for "N/A", an empty cell or NaN.

    Minutes may be 32:14, PT32M14.00S or 32.4, a percentage 46.2 or 0.462: both are rounded, as in RotoWire.
    """
    if isinstance(value, str) and value in _COMMON:
        return value
    if is_absent(value):
        return None
    original = value
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, numbers.Integral)):
        value = repr(float(value))  # also NumPy's
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        value = str(int(value)) if abs(value) < 10**_MAX_DIGITS else "9" * 10
    text = value.strip() if isinstance(value, str) else ""
    if attribute == "MIN":
        text = _whole_minutes(text)
    elif attribute.endswith("_PCT"):
        text = _whole_percentage(text)
    elif _DECIMAL.fullmatch(text) and float(text).is_integer():
        text = str(int(float(text)))
    highest = limit(attribute)
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        raise GameError(f"{place}: {show(original)} is not a whole number; write digits, or 'N/A' if there is none")
    if text.startswith("-") or len(digits) > _MAX_DIGITS or int(digits) > highest:
        raise GameError(f"{place}: {show(original)} is out of range; it must lie between 0 and {highest}")
    return str(int(digits))


def _whole_minutes(text: str) -> str:
    """Minutes rounded half up, as RotoWire does; anything else unchanged."""
    if match := _CLOCK.fullmatch(text):
        return str(int(match[1]) + (int(match[2]) >= 30))
    if match := _MINUTES_ONLY.fullmatch(text):
        return match[1]
    return str(math.floor(float(text) + 0.5)) if _is_decimal(text) else text


def _whole_percentage(text: str) -> str:
    """46.2, 46.2% and 0.462 as "46"; a number with a decimal point that is at most 1 is a fraction."""
    text = text.removesuffix("%").rstrip()
    if not _is_decimal(text) or text.isdecimal():
        return text
    scale = 100 if float(text) <= 1 else 1
    return str(math.floor(round(scale * float(text), 6) + 0.5))


def _is_decimal(text: str) -> bool:
    return bool(_DECIMAL.fullmatch(text)) and text != "."


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
    """Whether a cell holds nothing: None, NaN, "N/A", an empty string, ..."""
    if value is None or (isinstance(value, str) and value.strip() in _ABSENT):
        return True
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and math.isnan(value)


def read_date(day: Any) -> datetime.date | None:
    """Reads a date as RotoWire (01_04_17), ISO 8601 or a person in the US writes it; None for anything else."""
    if isinstance(day, datetime.datetime):
        day = day.date()
    if isinstance(day, datetime.date):
        return day if _FIRST_YEAR <= day.year <= _LAST_YEAR else None
    if isinstance(day, numbers.Integral) and not isinstance(day, bool):
        day = str(int(day)) if 0 < int(day) < 10**_MAX_DIGITS else None
    if not isinstance(day, str) or len(day) > MAX_NAME:
        return None
    text = " ".join(day.split())
    if match := _TIME_OF_DAY.fullmatch(text):
        text = match[1]
    for form in _DATE_FORMATS:
        try:
            date = datetime.datetime.strptime(text, form).date()
        except ValueError:
            continue
        if _FIRST_YEAR <= date.year <= _LAST_YEAR:
            return date
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
