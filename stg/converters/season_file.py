"""A season in one JSON file: its games in RotoWire's JSON, and the schedule, played or not."""

from collections.abc import Iterable, Mapping
from typing import Any

from modeling_stg.errors import GameError
from modeling_stg.game import Game
from modeling_stg.season import Fixture
from modeling_stg.validation import read_date


_FIXTURE = ("date", "home_name", "home_city", "vis_name", "vis_city")


def season_json(games: Iterable[Game], fixtures: Iterable[Fixture]) -> dict[str, Any]:
    """The content of a season file, the inverse of `read_season_file`."""
    schedule = [
        dict(zip(_FIXTURE, (fixture.date.isoformat(), *_alternate(fixture.names, fixture.cities)), strict=True))
        for fixture in fixtures
    ]
    return {"games": [game.to_json() for game in games], "schedule": schedule}


def read_season_file(data: Mapping[str, Any], path: str) -> tuple[list[Any], list[Fixture]]:
    """The games, not yet validated, and the schedule."""
    fixtures = []
    for index, row in enumerate(data["schedule"]):
        date = read_date(row.get("date"))
        names = [row.get(field) for field in _FIXTURE[1:]]
        if date is None or not all(isinstance(name, str) for name in names):
            raise GameError(f"{path}: schedule[{index}]: needs {', '.join(_FIXTURE)}")
        fixtures.append(Fixture(date, (names[0], names[2]), (names[1], names[3])))
    return list(data["games"]), fixtures


def _alternate(names: tuple[str, str], cities: tuple[str, str]) -> Iterable[str]:
    return (names[0], cities[0], names[1], cities[1])
