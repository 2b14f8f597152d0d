"""A box score: its schema, its validation, its entities, attributes and records.

`Game.from_json` reads RotoWire's JSON (columns of players keyed by "0", "1", ...) and a row of
`load_dataset("rotowire_modified")` (a list of players) alike. Whatever is wrong with the input raises
`GameError`, whose message names the place, the value and the remedy.
"""

import datetime
import itertools
import json
import numbers
import reprlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .errors import GameError, GameWarning
from .nba import FULL_CITY
from .schema import (
    MAX_NAME,
    MAX_PLAYERS,
    NOT_AVAILABLE,
    NUMBER_ATTRIBUTES,
    PLAYER_ATTRIBUTES,
    PLAYER_NUMBERS,
    QUARTERS,
    TEAM_ATTRIBUTES,
    TEAM_TEXT,
    limit,
)


_COLUMNS = ("PLAYER_NAME", *PLAYER_ATTRIBUTES)
_ORDINARY = frozenset(map(str, range(101)))  # within every limit: nine cells in ten need no further look
_LONGEST_NUMBER = 9  # digits; nothing in a box score comes near, and int() refuses 4,300 of them
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_said: set[tuple[str, ...]] = set()
_GAME_FIELDS = ("day", "home_name", "home_city", "vis_name", "vis_city", "home_line", "vis_line", "box_score")


@dataclass(frozen=True)
class Entity:
    """A team or a player of one game. `name` is unique within the game; a value of None is "N/A"."""

    name: str
    is_team: bool
    is_home: bool
    values: Mapping[str, str | None]

    @property
    def attributes(self) -> tuple[str, ...]:
        return TEAM_ATTRIBUTES if self.is_team else PLAYER_ATTRIBUTES

    @property
    def did_play(self) -> bool:
        return self.is_team or self.values["MIN"] is not None


@dataclass(frozen=True)
class Record:
    """One cell of the box score: `entity` is the position in `Game.entities`."""

    entity: int
    attribute: str
    value: str


@dataclass(frozen=True)
class Game:
    """One game: `entities` holds the home team, the visiting team, then the players in the given order."""

    game_id: str
    day: str
    entities: tuple[Entity, ...]

    @property
    def home(self) -> Entity:
        return self.entities[0]

    @property
    def visitor(self) -> Entity:
        return self.entities[1]

    @property
    def players(self) -> tuple[Entity, ...]:
        return self.entities[2:]

    @property
    def date(self) -> datetime.date:
        return _date(self.day)

    def team_of(self, entity: int) -> int:
        """Position of the team that an entity is, or plays for."""
        return 0 if self.entities[entity].is_home else 1

    def position(self, name: str) -> int:
        """Position of the entity called `name`."""
        for position, entity in enumerate(self.entities):
            if entity.name == name:
                return position
        raise GameError(f"game {self.game_id}: {name!r} is no team or player of this game; use one of {self.names}")

    @property
    def names(self) -> list[str]:
        return [entity.name for entity in self.entities]

    def records(self) -> list[Record]:
        """Every cell that holds a value, entity by entity."""
        return [
            Record(position, attribute, value)
            for position, entity in enumerate(self.entities)
            for attribute, value in entity.values.items()
            if value is not None
        ]

    @classmethod
    def from_json(cls, data: Any, place: str = "") -> "Game":
        """Validates `data`; `place` (such as "games[3].") goes before every field that an error names."""
        if not isinstance(data, Mapping):
            where = place.removesuffix(".") or "game"
            raise GameError(f"{where}: a {_kind(data)} stands where the game's object should be")
        for field in _GAME_FIELDS:
            if field not in data:
                raise GameError(f"{place}{field}: missing; a game needs {', '.join(_GAME_FIELDS)}")
        date = _date(data["day"]) if isinstance(data["day"], str) else None
        if date is None:
            raise GameError(f"{place}day: {_show(data['day'])} is not a date written MM_DD_YY, such as '01_04_17'")
        day = f"{date:%m_%d_%y}"
        home = _team(data, "home", place)
        visitor = _team(data, "vis", place)
        if home.name == visitor.name:
            raise GameError(f"{place}vis_name: {visitor.name!r} is the home team too; a team cannot meet itself")
        players = _players(data["box_score"], home, visitor, place)
        game_id = _identity(data.get("game_id"), f"{place}game_id")
        if game_id is None:
            game_id = f"{day}-{visitor.name}-{home.name}".replace(" ", "_")
        game = cls(game_id, day, (home, visitor, *players))
        for complaint in _disagreements(game):
            warnings.warn(f"{place}{complaint}", GameWarning, stacklevel=2)
        return game

    def to_json(self) -> dict:
        """RotoWire's JSON again, with a `game_id`: every number a string, "N/A" where there is none."""
        box_score: dict[str, dict[str, str]] = {"PLAYER_NAME": {}}
        for index, player in enumerate(self.players):
            box_score["PLAYER_NAME"][str(index)] = player.name
            for attribute, value in player.values.items():
                box_score.setdefault(attribute, {})[str(index)] = NOT_AVAILABLE if value is None else value
        lines = [
            {attribute: NOT_AVAILABLE if value is None else value for attribute, value in team.values.items()}
            for team in (self.home, self.visitor)
        ]
        return {
            "game_id": self.game_id,
            "day": self.day,
            "home_name": self.home.values["TEAM-NAME"],
            "home_city": self.home.values["TEAM-CITY"],
            "vis_name": self.visitor.values["TEAM-NAME"],
            "vis_city": self.visitor.values["TEAM-CITY"],
            "home_line": lines[0],
            "vis_line": lines[1],
            "box_score": box_score,
        }


def read_json(path: str | Path) -> Any:
    """The JSON in a file, or a GameError that says what is wrong with the file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise GameError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError as error:
        raise GameError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8 JSON") from None
    except (ValueError, RecursionError) as error:
        raise GameError(f"{path}: is not whole JSON ({error}); is the file truncated?") from None


def read_games(path: str | Path) -> list[Game]:
    """The games of a JSON file that holds one of them or a list of them."""
    data = read_json(path)
    if isinstance(data, list):
        if not data:
            raise GameError(f"{path}: an empty list; give at least one game")
        return [Game.from_json(game, f"{path}: games[{index}].") for index, game in enumerate(data)]
    return [Game.from_json(data, f"{path}: ")]


def _team(data: Mapping, side: str, place: str) -> Entity:
    line_place = f"{place}{side}_line"
    line = data[f"{side}_line"]
    if not isinstance(line, Mapping):
        raise GameError(f"{line_place}: a {_kind(line)} stands where the team's object should be")
    _say_unknown(line, TEAM_ATTRIBUTES, "home_line and vis_line")
    values: dict[str, str | None] = {}
    for attribute in TEAM_ATTRIBUTES:
        if attribute not in line:
            raise GameError(f"{line_place}.{attribute}: missing; a team needs {', '.join(TEAM_ATTRIBUTES)}")
        where = f"{line_place}.{attribute}"
        value = line[attribute]
        values[attribute] = _name(value, where) if attribute in TEAM_TEXT else _number(value, attribute, where)
    for field, attribute in ((f"{side}_name", "TEAM-NAME"), (f"{side}_city", "TEAM-CITY")):
        outside = _name(data[field], f"{place}{field}")
        if _city(outside) != _city(values[attribute]):
            raise GameError(
                f"{place}{field}: {outside!r} is not {line_place}.{attribute} {values[attribute]!r}; make them equal"
            )
    return Entity(values["TEAM-NAME"], True, side == "home", values)


def _players(box_score: Any, home: Entity, visitor: Entity, place: str) -> list[Entity]:
    rows = _rows(box_score, f"{place}box_score")
    if not 1 <= len(rows) <= MAX_PLAYERS:
        raise GameError(f"{place}box_score: {len(rows)} players; a game has 1 to {MAX_PLAYERS}")
    names, tables = [], []
    for row in rows:
        values: dict[str, str | None] = {}
        for attribute in PLAYER_ATTRIBUTES:
            value, where = row.cells[attribute], row.place(attribute)
            if attribute in NUMBER_ATTRIBUTES:
                values[attribute] = _number(value, attribute, where)
            elif attribute in ("SECOND_NAME", "START_POSITION") and _is_absent(value):
                values[attribute] = None  # a player known by one name; a player from the bench
            else:
                values[attribute] = _name(value, where)
        names.append(_name(row.cells["PLAYER_NAME"], row.place("PLAYER_NAME")))
        tables.append(values)
    sides = _sides(tables, rows, home, visitor)
    taken = {home.name, visitor.name}
    played = {(name, side) for name, side, values in zip(names, sides, tables, strict=True) if values["MIN"]}
    seen = set()
    players = []
    for row, name, values, is_home in zip(rows, names, tables, sides, strict=True):
        # Some sources list one man per position that he played, or once more as one who did not play;
        # namesakes have numbers of their own.
        statistics = tuple(values[attribute] for attribute in PLAYER_NUMBERS)
        idle = not any(statistics) and (name, is_home) in played
        if idle or (name, is_home, statistics) in seen:
            where = row.place("PLAYER_NAME")
            warnings.warn(f"{where}: {name!r} is listed twice and counted once", GameWarning, stacklevel=3)
            continue
        seen.add((name, is_home, statistics))
        unique = name
        count = itertools.count(2)
        while unique in taken:
            unique = f"{name} ({next(count)})"
        taken.add(unique)
        players.append(Entity(unique, False, is_home, values))
    return players


class _Row(NamedTuple):
    """One player as he was given, and how an error names a cell of his."""

    cells: Mapping[str, Any]
    prefix: str
    suffix: str = ""

    def place(self, column: str) -> str:
        return f"{self.prefix}{column}{self.suffix}"


def _rows(box_score: Any, place: str) -> list[_Row]:
    """Players as rows, from RotoWire's columns or from the dataset's list."""
    if isinstance(box_score, Mapping):
        return _rows_of_columns(box_score, place)
    if not isinstance(box_score, Sequence) or isinstance(box_score, (str, bytes)):
        raise GameError(f"{place}: a {_kind(box_score)} stands where the box score's object should be")
    rows = []
    for index, player in enumerate(box_score):
        if not isinstance(player, Mapping):
            raise GameError(f"{place}[{index}]: a {_kind(player)} stands where the player's object should be")
        _say_unknown(player, _COLUMNS, "box_score")
        for column in _COLUMNS:
            if column not in player:
                raise GameError(f"{place}[{index}].{column}: missing; a player needs {', '.join(_COLUMNS)}")
        rows.append(_Row(player, f"{place}[{index}]."))
    return rows


def _rows_of_columns(box_score: Mapping, place: str) -> list[_Row]:
    _say_unknown(box_score, _COLUMNS, "box_score")
    for column in _COLUMNS:
        if column not in box_score:
            raise GameError(f"{place}.{column}: missing; a box score needs {', '.join(_COLUMNS)}")
        if not isinstance(box_score[column], Mapping):
            raise GameError(f"{place}.{column}: a {_kind(box_score[column])} stands where an object should be")
    keys = list(box_score["PLAYER_NAME"])
    for column in _COLUMNS:
        odd = set(box_score[column]).symmetric_difference(keys)
        if odd:
            key = min(odd, key=_order)
            lacking = column if key in box_score["PLAYER_NAME"] else "PLAYER_NAME"
            raise GameError(f"{place}.{lacking}[{_key(key)}]: missing; every column needs the same players")
    rows = []
    for key in sorted(keys, key=_order):
        rows.append(_Row({column: box_score[column][key] for column in _COLUMNS}, f"{place}.", f"[{_key(key)}]"))
    return rows


def _sides(tables: list[dict], rows: list[_Row], home: Entity, visitor: Entity) -> list[bool]:
    """Whether each player is of the home team, by city; by order and points when both share a city."""
    at_home, away = home.values["TEAM-CITY"], visitor.values["TEAM-CITY"]
    cities = [values["TEAM_CITY"] for values in tables]
    for city, row in zip(cities, rows, strict=True):
        if _city(city) not in (_city(at_home), _city(away)):
            where = row.place("TEAM_CITY")
            raise GameError(f"{where}: {city!r} is neither {at_home!r} nor {away!r}; a player is of one of the teams")
    if _city(at_home) != _city(away):
        return [_city(city) == _city(at_home) for city in cities]
    if at_home != away:
        return [city == at_home for city in cities]
    points = [int(values["PTS"] or 0) for values in tables]
    totals = [int(team.values["TEAM-PTS"] or 0) for team in (visitor, home)]

    def misfit(choice: tuple[bool, int]) -> tuple[int, int, bool]:
        home_first, cut = choice  # when nothing else tells, the visitors come first, as in RotoWire
        first, second = reversed(totals) if home_first else totals
        return abs(sum(points[:cut]) - first) + abs(sum(points[cut:]) - second), abs(2 * cut - len(points)), home_first

    home_first, cut = min(itertools.product((False, True), range(len(points) + 1)), key=misfit)
    return [(index < cut) == home_first for index in range(len(points))]


def _disagreements(game: Game) -> list[str]:
    complaints = []
    for team, field in ((game.home, "home_line"), (game.visitor, "vis_line")):
        total = team.values["TEAM-PTS"]
        scored = [player.values["PTS"] for player in game.players if player.is_home == team.is_home]
        if total is None or not scored:
            continue
        by_players = sum(int(points) for points in scored if points is not None)
        if by_players != int(total):
            complaints.append(f"{field}.TEAM-PTS: {total}, but the players' PTS add up to {by_players}")
    finals = [team.values["TEAM-PTS"] for team in (game.home, game.visitor)]
    quarters = [[team.values[quarter] for quarter in QUARTERS] for team in (game.home, game.visitor)]
    if None not in finals and all(None not in row for row in quarters):
        sums = [sum(map(int, row)) for row in quarters]
        overtime = sums[0] == sums[1] and all(int(final) > total for final, total in zip(finals, sums, strict=True))
        for field, final, total in zip(("home_line", "vis_line"), finals, sums, strict=True):
            if int(final) != total and not overtime:
                complaints.append(f"{field}.TEAM-PTS: {final}, but the quarters add up to {total}")
    return complaints


def _number(value: Any, attribute: str, place: str) -> str | None:
    if isinstance(value, str) and value in _ORDINARY:
        return value
    if value is None:
        return None
    given = value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        value = str(int(value)) if abs(value) < 10**_LONGEST_NUMBER else "9" * 10
    text = value.strip() if isinstance(value, str) else ""
    if text == NOT_AVAILABLE:
        return None
    most = limit(attribute)
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        raise GameError(f"{place}: {_show(given)} is not a whole number; write digits, or 'N/A' if there is none")
    if text.startswith("-") or len(digits) > _LONGEST_NUMBER or int(digits) > most:
        raise GameError(f"{place}: {_show(given)} is out of range; it must lie between 0 and {most}")
    return str(int(digits))


def _name(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise GameError(f"{place}: {_show(value)} is a {_kind(value)}; a name is a string")
    name = " ".join(value.split())
    if not name or name == NOT_AVAILABLE or not name.isprintable():
        raise GameError(f"{place}: {_show(value)} is not a name; give a printable one")
    if len(name) > MAX_NAME:
        raise GameError(f"{place}: {_show(value)} has {len(name)} letters; a name has at most {MAX_NAME}")
    return name


def _identity(value: Any, place: str) -> str | None:
    if value is None:
        return None
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool) and abs(value) < 10**18
    return _name(str(value) if whole else value, place)


def _is_absent(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in ("", NOT_AVAILABLE))


def _city(city: str) -> str:
    return FULL_CITY.get(city, city)


def _date(day: str) -> datetime.date | None:
    try:
        return datetime.datetime.strptime(day, "%m_%d_%y").date()
    except ValueError:
        return None


def _order(key: Any) -> tuple[int, int, str]:
    """Players' keys in the order of their numbers; keys that are no numbers come last."""
    text = _show(key).strip("'")
    return (0, int(text), "") if text.isdecimal() and len(text) <= _LONGEST_NUMBER else (1, 0, text)


def _key(key: Any) -> str:
    return json.dumps(key) if isinstance(key, str) and len(key) <= 60 else _show(key)


def _say_unknown(given: Mapping, known: Sequence[str], place: str) -> None:
    """Once per process and set of columns, since a file of a thousand games repeats them a thousand times."""
    unknown = tuple(sorted(_show(key).strip("'") for key in given if key not in known))
    if unknown and (place, *unknown) not in _said:
        _said.add((place, *unknown))
        warnings.warn(f"{place}: unknown columns left out: {', '.join(unknown)}", GameWarning, stacklevel=4)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "list", dict: "object"}
    return kinds.get(type(value), type(value).__name__)


def _show(value: Any) -> str:
    """The value on one short line, however long, deep or large it is."""
    try:
        return _SHORT.repr(value).replace("\n", " ")
    except ValueError:  # an integer of thousands of digits
        return f"a {_kind(value)} far too large to print"
