"""Games and seasons made for tests: only what matters is given."""

import datetime
from collections.abc import Iterable, Mapping, Sequence

from modeling_stg.box_score import Entity
from modeling_stg.game import Game
from modeling_stg.schema import PLAYER_NUMBERS, QUARTERS, TEAM_NUMBERS


CITIES = {"Hawks": "Atlanta", "Bulls": "Chicago", "Jazz": "Utah", "Heat": "Miami", "Suns": "Phoenix"}


def made_player(
    name: str, is_home: bool, city: str = "Utah", start: str | None = None, **numbers: int | None
) -> Entity:
    """A player with 0 in all columns that are not given."""
    first, _, second = name.partition(" ")
    values: dict[str, str | None] = {
        "FIRST_NAME": first,
        "SECOND_NAME": second or None,
        "TEAM_CITY": city,
        "START_POSITION": start,
    }
    for column in PLAYER_NUMBERS:
        number = numbers.get(column, 0)
        values[column] = None if number is None else str(number)
    return Entity(name, False, is_home, values)


def idle_player(name: str, is_home: bool, city: str = "Utah") -> Entity:
    return made_player(name, is_home, city, **dict.fromkeys(PLAYER_NUMBERS))


def made_team(
    name: str,
    is_home: bool,
    points: int | None,
    record: tuple[int, int] | None = None,
    quarters: Sequence[int | None] = (None,) * 4,
    **numbers: int,
) -> Entity:
    values: dict[str, str | None] = {"TEAM-NAME": name, "TEAM-CITY": CITIES[name]}
    values |= {attribute: str(numbers.get(attribute.removeprefix("TEAM-"), 0)) for attribute in TEAM_NUMBERS}
    values["TEAM-PTS"] = None if points is None else str(points)
    values |= {key: None if value is None else str(value) for key, value in zip(QUARTERS, quarters, strict=True)}
    wins, losses = (None, None) if record is None else map(str, record)
    values |= {"TEAM-WINS": wins, "TEAM-LOSSES": losses}
    return Entity(name, True, is_home, values)


def made_game(home: Entity, visitor: Entity, players: Iterable[Entity] = (), day: str = "01_04_17", **more) -> Game:
    return Game(f"{day}-{visitor.name}-{home.name}", day, (home, visitor, *players), **more)


def made_season(
    results: Iterable[tuple[str, str, str, int, int]], players: Mapping[str, Sequence[Entity]] | None = None
) -> list[Game]:
    """Games from (day, home, visitor, points, points), with the records counted; `players` of a game by its day."""
    records: dict[str, list[int]] = {}
    games = []
    for day, home, visitor, *points in sorted(results, key=lambda row: datetime.datetime.strptime(row[0], "%m_%d_%y")):
        for name, own, other in ((home, *points), (visitor, *points[::-1])):
            records.setdefault(name, [0, 0])[own < other] += 1
        teams = [
            made_team(name, is_home, own, (records[name][0], records[name][1]))
            for name, is_home, own in ((home, True, points[0]), (visitor, False, points[1]))
        ]
        games.append(made_game(*teams, (players or {}).get(day, ()), day))
    return games
