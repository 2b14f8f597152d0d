"""Reads the teams and players of a box score from JSON."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .errors import GameError, GameWarning
from .feed import FURTHER_PERIODS
from .nba import FULL_CITY, TEAMS
from .schema import (
    DOUBLE_COLUMNS,
    DOUBLE_FIGURES,
    MAX_PLAYERS,
    NUMBER_ATTRIBUTES,
    PERCENTAGES,
    PLAYER_ATTRIBUTES,
    PLAYER_FULL_NAME,
    PLAYER_NUMBERS,
    QUARTERS,
    TEAM_ATTRIBUTES,
    TEAM_NUMBERS,
)
from .validation import (
    Problems,
    is_absent,
    json_type,
    player_order,
    read_name,
    read_number_cell,
    show_key,
    warn_unknown_columns,
)


_COLUMNS = ("PLAYER_NAME", *PLAYER_ATTRIBUTES)
_NEEDED_COLUMNS = tuple(
    column for column in _COLUMNS if column not in (*PLAYER_FULL_NAME, "START_POSITION", *PERCENTAGES)
)


@dataclass(frozen=True)
class Entity:
    """A team or a player of one game. `name` is unique within the game; a value of None is "N/A"."""

    name: str
    is_team: bool
    is_home: bool
    values: Mapping[str, str | None]

    @property
    def full_name(self) -> str:
        """City and name of a team ("Utah Jazz"); a player's name."""
        return f"{self.values['TEAM-CITY']} {self.name}" if self.is_team else self.name

    @property
    def did_play(self) -> bool:
        """Whether any number is known: who did not play has none."""
        return self.is_team or any(self.values[attribute] is not None for attribute in PLAYER_NUMBERS)

    def number(self, attribute: str) -> int | None:
        """A number column as an int; None for "N/A"."""
        value = self.values[attribute]
        return None if value is None else int(value)

    def doubles(self) -> list[str]:
        """The columns in which a player reached double figures: two make a double-double."""
        return [column for column in DOUBLE_COLUMNS if (self.number(column) or 0) >= DOUBLE_FIGURES]

    def text(self, attribute: str) -> str:
        """A text column; "" for "N/A"."""
        return self.values[attribute] or ""


def read_team(data: Mapping, side: str, place: str, problems: Problems) -> Entity | None:
    """Reads one team; `side` is "home" or "vis", and `place` prefixes the field names in problems."""
    line_place = f"{place}{side}_line"
    line = data.get(f"{side}_line")
    if not isinstance(line, Mapping):
        problems.add(f"{line_place}: expected the team's object, got a {json_type(line)}")
        return None
    warn_unknown_columns(line, (*TEAM_ATTRIBUTES, *FURTHER_PERIODS), "home_line and vis_line")
    texts = _team_names(data, line, side, place, problems)
    missing = [attribute for attribute in TEAM_NUMBERS if attribute not in line and attribute not in QUARTERS]
    if missing:
        problems.add(f"{line_place}.{', '.join(missing)}: missing; a team needs {', '.join(TEAM_ATTRIBUTES)}")
    numbers = {
        attribute: problems.attempt(read_number_cell, line.get(attribute), attribute, f"{line_place}.{attribute}")
        for attribute in TEAM_NUMBERS
    }
    return Entity(texts["TEAM-NAME"] or "", True, side == "home", {**texts, **numbers})


def _team_names(data: Mapping, line: Mapping, side: str, place: str, problems: Problems) -> dict[str, str | None]:
    """A team's name and city: each stands twice in the JSON, once is enough, and a full name holds both."""
    found: dict[str, tuple[str, str]] = {}  # attribute -> name, and where it stands
    for field, attribute in ((f"{side}_name", "TEAM-NAME"), (f"{side}_city", "TEAM-CITY")):
        names = {}
        for where, value in ((f"{side}_line.{attribute}", line.get(attribute)), (field, data.get(field))):
            if not is_absent(value):
                names[f"{place}{where}"] = problems.attempt(read_name, value, f"{place}{where}")
        known = [(name, where) for where, name in names.items() if name is not None]
        if len(known) == 2 and _full_city(known[0][0]) != _full_city(known[1][0]):
            (name, where), (other, other_where) = known
            problems.add(f"{other_where}: {other!r} is not {where} {name!r}; make them equal")
        if known:
            found[attribute] = known[0]
    texts: dict[str, str | None] = {attribute: found[attribute][0] for attribute in found}
    if "TEAM-CITY" not in found and texts.get("TEAM-NAME") in TEAMS:
        full_name = str(texts["TEAM-NAME"])
        texts = {"TEAM-NAME": full_name.removeprefix(TEAMS[full_name]).strip(), "TEAM-CITY": TEAMS[full_name]}
    for field, attribute in (("name", "TEAM-NAME"), ("city", "TEAM-CITY")):
        if not texts.get(attribute):
            problems.add(f"{place}{side}_{field}: missing; give it, or {side}_line.{attribute}")
            texts[attribute] = None
    return {"TEAM-NAME": texts["TEAM-NAME"], "TEAM-CITY": texts["TEAM-CITY"]}


def read_players(box_score: Any, home: Entity, visitor: Entity, place: str, problems: Problems) -> list[Entity]:
    """Reads the players of both teams in the given order, each once; none if there are problems."""
    rows = problems.attempt(_rows, box_score, f"{place}box_score")
    if rows is None:
        return []
    if not 1 <= len(rows) <= MAX_PLAYERS:
        problems.add(f"{place}box_score: {len(rows)} players; a game has 1 to {MAX_PLAYERS}")
        return []
    names: list[str] = []
    tables: list[dict[str, str | None]] = []
    for row in rows:
        values: dict[str, str | None] = {}
        name = problems.attempt(read_name, row.cells["PLAYER_NAME"], row.place("PLAYER_NAME")) or ""
        for attribute in PLAYER_ATTRIBUTES:
            value, where = row.cells.get(attribute), row.place(attribute)
            if attribute in NUMBER_ATTRIBUTES:
                values[attribute] = problems.attempt(read_number_cell, value, attribute, where)
            elif attribute == "FIRST_NAME" and is_absent(value):
                values[attribute] = name.partition(" ")[0]
            elif attribute == "SECOND_NAME" and is_absent(value):  # None: a player known by one name
                values[attribute] = name.removeprefix(values["FIRST_NAME"] or "").strip() or None
            elif attribute == "START_POSITION" and is_absent(value):
                values[attribute] = None  # a player from the bench
            else:
                values[attribute] = problems.attempt(read_name, value, where)
        _derive_percentages(values)
        names.append(name)
        tables.append(values)
    _check_cities(tables, rows, home, visitor, problems)
    return [] if problems.found else _distinct(names, tables, rows, home, visitor)


def _derive_percentages(values: dict[str, str | None]) -> None:
    """Fills in percentages that are missing where made and attempted are not."""
    for attribute, (made, tried) in PERCENTAGES.items():
        if values[attribute] is None and values[made] is not None and values[tried] is not None:
            percentage = (200 * int(values[made] or 0) + int(values[tried] or 0)) // (2 * int(values[tried] or 0) or 1)
            values[attribute] = str(percentage) if percentage <= 100 else None


def _distinct(
    names: list[str], tables: list[dict[str, str | None]], rows: "list[_Row]", home: Entity, visitor: Entity
) -> list[Entity]:
    """The players, each once and with a unique name.

    Some sources list a player once per position he played, or again as one who did not play. Namesakes differ in
    their numbers.
    """
    sides = _sides(tables, home, visitor)
    used_names = {home.name, visitor.name}
    played = {(name, side) for name, side, values in zip(names, sides, tables, strict=True) if values["MIN"]}
    seen = set()
    players = []
    for row, name, values, is_home in zip(rows, names, tables, sides, strict=True):
        statistics = tuple(values[attribute] for attribute in PLAYER_NUMBERS)
        idle = not any(statistics) and (name, is_home) in played
        if idle or (name, is_home, statistics) in seen:
            where = row.place("PLAYER_NAME")
            warnings.warn(f"{where}: {name!r} is listed twice; counted once", GameWarning, stacklevel=5)
            continue
        seen.add((name, is_home, statistics))
        unique = name
        count = itertools.count(2)
        while unique in used_names:
            unique = f"{name} ({next(count)})"
        used_names.add(unique)
        players.append(Entity(unique, False, is_home, values))
    return players


class _Row(NamedTuple):
    """The unchecked cells of one player, and how errors name a cell."""

    cells: Mapping[str, Any]
    prefix: str
    suffix: str = ""

    def place(self, column: str) -> str:
        return f"{self.prefix}{column}{self.suffix}"


def _rows(box_score: Any, place: str) -> list[_Row]:
    """Players as rows, from RotoWire's columns or the dataset's list."""
    if isinstance(box_score, Mapping):
        return _rows_of_columns(box_score, place)
    if not isinstance(box_score, Sequence) or isinstance(box_score, (str, bytes)):
        raise GameError(f"{place}: expected the box score's object, got a {json_type(box_score)}")
    rows, problems = [], Problems()
    for index, player in enumerate(box_score):
        if not isinstance(player, Mapping):
            raise GameError(f"{place}[{index}]: expected the player's object, got a {json_type(player)}")
        warn_unknown_columns(player, _COLUMNS, "box_score")
        missing = [column for column in _NEEDED_COLUMNS if column not in player]
        if missing:
            problems.add(f"{place}[{index}].{', '.join(missing)}: missing; a player needs {', '.join(_COLUMNS)}")
        rows.append(_Row(player, f"{place}[{index}]."))
    problems.raise_if_any()
    return rows


def _rows_of_columns(box_score: Mapping, place: str) -> list[_Row]:
    warn_unknown_columns(box_score, _COLUMNS, "box_score")
    problems = Problems()
    missing = [column for column in _NEEDED_COLUMNS if column not in box_score]
    if missing:
        problems.add(f"{place}.{', '.join(missing)}: missing; a box score needs {', '.join(_COLUMNS)}")
    for column in _COLUMNS:
        if column in box_score and not isinstance(box_score[column], Mapping):
            problems.add(f"{place}.{column}: expected an object, got a {json_type(box_score[column])}")
    problems.raise_if_any()
    keys = list(box_score["PLAYER_NAME"])
    present = [column for column in _COLUMNS if column in box_score]
    for column in present:
        unmatched = set(box_score[column]).symmetric_difference(keys)
        if unmatched:
            key = min(unmatched, key=player_order)
            incomplete = column if key in box_score["PLAYER_NAME"] else "PLAYER_NAME"
            problems.add(f"{place}.{incomplete}[{show_key(key)}]: missing; every column needs the same players")
    problems.raise_if_any()
    rows = []
    for key in sorted(keys, key=player_order):
        rows.append(_Row({column: box_score[column][key] for column in present}, f"{place}.", f"[{show_key(key)}]"))
    return rows


def _check_cities(
    tables: list[dict[str, str | None]], rows: list[_Row], home: Entity, visitor: Entity, problems: Problems
) -> None:
    home_city, visiting_city = home.text("TEAM-CITY"), visitor.text("TEAM-CITY")
    for values, row in zip(tables, rows, strict=True):
        city = values["TEAM_CITY"]
        if city is not None and _full_city(city) not in (_full_city(home_city), _full_city(visiting_city)):
            where = row.place("TEAM_CITY")
            problems.add(
                f"{where}: {city!r} is neither {home_city!r} nor {visiting_city!r}; a player plays for one of them"
            )


def _sides(tables: list[dict[str, str | None]], home: Entity, visitor: Entity) -> list[bool]:
    """Whether each player is on the home team: by city, or by order and points where both teams share a city."""
    home_city, visiting_city = home.text("TEAM-CITY"), visitor.text("TEAM-CITY")
    cities = [values["TEAM_CITY"] or "" for values in tables]
    if _full_city(home_city) != _full_city(visiting_city):
        return [_full_city(city) == _full_city(home_city) for city in cities]
    if home_city != visiting_city:
        return [city == home_city for city in cities]
    points = [int(values["PTS"] or 0) for values in tables]
    totals = [int(team.values["TEAM-PTS"] or 0) for team in (visitor, home)]

    def misfit(choice: tuple[bool, int]) -> tuple[int, int, bool]:
        home_first, cut = choice  # ties go to visitors first, RotoWire's order
        first, second = reversed(totals) if home_first else totals
        return abs(sum(points[:cut]) - first) + abs(sum(points[cut:]) - second), abs(2 * cut - len(points)), home_first

    home_first, cut = min(itertools.product((False, True), range(len(points) + 1)), key=misfit)
    return [(index < cut) == home_first for index in range(len(points))]


def _full_city(city: str) -> str:
    return FULL_CITY.get(city, city)
