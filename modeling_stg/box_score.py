"""Reads the teams and players of a box score from JSON."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .errors import GameError, GameWarning
from .nba import FULL_CITY
from .schema import (
    DOUBLE_COLUMNS,
    DOUBLE_FIGURES,
    MAX_PLAYERS,
    NUMBER_ATTRIBUTES,
    PLAYER_ATTRIBUTES,
    PLAYER_NUMBERS,
    QUARTERS,
    TEAM_ATTRIBUTES,
    TEAM_NUMBERS,
    TEAM_TEXT,
)
from .validation import is_absent, json_type, player_order, read_name, read_number_cell, show_key, warn_unknown_columns


_COLUMNS = ("PLAYER_NAME", *PLAYER_ATTRIBUTES)


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


def read_team(data: Mapping, side: str, place: str) -> Entity:
    """Reads one team; `side` is "home" or "vis", and `place` prefixes the field names in errors."""
    line_place = f"{place}{side}_line"
    line = data[f"{side}_line"]
    if not isinstance(line, Mapping):
        raise GameError(f"{line_place}: expected the team's object, got a {json_type(line)}")
    warn_unknown_columns(line, TEAM_ATTRIBUTES, "home_line and vis_line")
    for attribute in TEAM_ATTRIBUTES:
        if attribute not in line:
            raise GameError(f"{line_place}.{attribute}: missing; a team needs {', '.join(TEAM_ATTRIBUTES)}")
    texts = {attribute: read_name(line[attribute], f"{line_place}.{attribute}") for attribute in TEAM_TEXT}
    numbers = {
        attribute: read_number_cell(line[attribute], attribute, f"{line_place}.{attribute}")
        for attribute in TEAM_NUMBERS
    }
    for field, attribute in ((f"{side}_name", "TEAM-NAME"), (f"{side}_city", "TEAM-CITY")):
        top_level = read_name(data[field], f"{place}{field}")
        if _full_city(top_level) != _full_city(texts[attribute]):
            raise GameError(
                f"{place}{field}: {top_level!r} is not {line_place}.{attribute} {texts[attribute]!r}; make them equal"
            )
    return Entity(texts["TEAM-NAME"], True, side == "home", {**texts, **numbers})


def read_players(box_score: Any, home: Entity, visitor: Entity, place: str) -> list[Entity]:
    """Reads the players of both teams in the given order, each once."""
    rows = _rows(box_score, f"{place}box_score")
    if not 1 <= len(rows) <= MAX_PLAYERS:
        raise GameError(f"{place}box_score: {len(rows)} players; a game has 1 to {MAX_PLAYERS}")
    names, tables = [], []
    for row in rows:
        values: dict[str, str | None] = {}
        for attribute in PLAYER_ATTRIBUTES:
            value, where = row.cells[attribute], row.place(attribute)
            if attribute in NUMBER_ATTRIBUTES:
                values[attribute] = read_number_cell(value, attribute, where)
            elif attribute in ("SECOND_NAME", "START_POSITION") and is_absent(value):
                values[attribute] = None  # a player known by one name; a player from the bench
            else:
                values[attribute] = read_name(value, where)
        names.append(read_name(row.cells["PLAYER_NAME"], row.place("PLAYER_NAME")))
        tables.append(values)
    sides = _sides(tables, rows, home, visitor)
    used_names = {home.name, visitor.name}
    played = {(name, side) for name, side, values in zip(names, sides, tables, strict=True) if values["MIN"]}
    seen = set()
    players = []
    for row, name, values, is_home in zip(rows, names, tables, sides, strict=True):
        # Some sources list a player once per position he played, or again as one who did not play.
        # Namesakes differ in their numbers.
        statistics = tuple(values[attribute] for attribute in PLAYER_NUMBERS)
        idle = not any(statistics) and (name, is_home) in played
        if idle or (name, is_home, statistics) in seen:
            where = row.place("PLAYER_NAME")
            warnings.warn(f"{where}: {name!r} is listed twice; counted once", GameWarning, stacklevel=4)
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
    rows = []
    for index, player in enumerate(box_score):
        if not isinstance(player, Mapping):
            raise GameError(f"{place}[{index}]: expected the player's object, got a {json_type(player)}")
        warn_unknown_columns(player, _COLUMNS, "box_score")
        for column in _COLUMNS:
            if column not in player:
                raise GameError(f"{place}[{index}].{column}: missing; a player needs {', '.join(_COLUMNS)}")
        rows.append(_Row(player, f"{place}[{index}]."))
    return rows


def _rows_of_columns(box_score: Mapping, place: str) -> list[_Row]:
    warn_unknown_columns(box_score, _COLUMNS, "box_score")
    for column in _COLUMNS:
        if column not in box_score:
            raise GameError(f"{place}.{column}: missing; a box score needs {', '.join(_COLUMNS)}")
        if not isinstance(box_score[column], Mapping):
            raise GameError(f"{place}.{column}: expected an object, got a {json_type(box_score[column])}")
    keys = list(box_score["PLAYER_NAME"])
    for column in _COLUMNS:
        unmatched = set(box_score[column]).symmetric_difference(keys)
        if unmatched:
            key = min(unmatched, key=player_order)
            incomplete = column if key in box_score["PLAYER_NAME"] else "PLAYER_NAME"
            raise GameError(f"{place}.{incomplete}[{show_key(key)}]: missing; every column needs the same players")
    rows = []
    for key in sorted(keys, key=player_order):
        rows.append(_Row({column: box_score[column][key] for column in _COLUMNS}, f"{place}.", f"[{show_key(key)}]"))
    return rows


def _sides(tables: list[dict[str, str | None]], rows: list[_Row], home: Entity, visitor: Entity) -> list[bool]:
    """Whether each player is on the home team: by city, or by order and points where both teams share a city."""
    home_city, visiting_city = home.text("TEAM-CITY"), visitor.text("TEAM-CITY")
    cities = [values["TEAM_CITY"] or "" for values in tables]
    for city, row in zip(cities, rows, strict=True):
        if _full_city(city) not in (_full_city(home_city), _full_city(visiting_city)):
            where = row.place("TEAM_CITY")
            raise GameError(
                f"{where}: {city!r} is neither {home_city!r} nor {visiting_city!r}; a player plays for one of them"
            )
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


def disagreements(home: Entity, visitor: Entity, players: Sequence[Entity]) -> list[str]:
    """Totals that do not add up: a team's points against its players' and against its quarters'."""
    complaints = []
    fields = (("home_line", home), ("vis_line", visitor))
    for field, team in fields:
        total = team.number("TEAM-PTS")
        scored = [player.number("PTS") or 0 for player in players if player.is_home == team.is_home]
        if total is not None and scored and sum(scored) != total:
            complaints.append(f"{field}.TEAM-PTS: {total}, but the players' PTS add up to {sum(scored)}")
    finals = [team.number("TEAM-PTS") for _, team in fields]
    quarters = [[team.number(quarter) for quarter in QUARTERS] for _, team in fields]
    if None in finals or any(None in row for row in quarters):
        return complaints
    sums = [sum(points or 0 for points in row) for row in quarters]
    overtime = sums[0] == sums[1] and all((final or 0) > total for final, total in zip(finals, sums, strict=True))
    for (field, _), final, total in zip(fields, finals, sums, strict=True):
        if final != total and not overtime:
            complaints.append(f"{field}.TEAM-PTS: {final}, but the quarters add up to {total}")
    return complaints


def _full_city(city: str) -> str:
    return FULL_CITY.get(city, city)
