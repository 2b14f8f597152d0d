"""What richer feeds add to a box score: venue, attendance, overtimes, lead changes, points in the paint, ...

In a game's JSON: `"feed": {"venue": "Moda Center", "attendance": 19441, "home": {"largest_lead": 12}, "vis": {...}}`.
Every field is optional. A team's line may instead have columns of halves and overtimes (`FURTHER_PERIODS`).
"""

from collections.abc import Mapping
from typing import Any

from .errors import GameError
from .schema import MOST_OVERTIMES, QUARTERS
from .validation import is_absent, json_type, read_name, read_number_cell, warn_unknown_columns


Feed = tuple[Mapping[str, str], Mapping[str, str]]  # values by attribute, of the home and the visiting team
NO_FEED: Feed = ({}, {})
_OF_GAME = {
    "venue": "TEAM-VENUE",
    "attendance": "TEAM-ATTENDANCE",
    "lead_changes": "TEAM-LEAD_CHANGES",
    "ties": "TEAM-TIES",
    "overtimes": "TEAM-OVERTIMES",
}
_OF_TEAM = {
    "largest_lead": "TEAM-LARGEST_LEAD",
    "points_in_paint": "TEAM-PTS_PAINT",
    "fast_break_points": "TEAM-PTS_FAST_BREAK",
    "turnover_points": "TEAM-PTS_OFF_TOV",
    "first_half": "TEAM-PTS_H1",  # of a game in halves
}
_OVERTIMES = tuple(f"TEAM-PTS_OT{number}" for number in range(1, MOST_OVERTIMES + 1))
FURTHER_PERIODS = ("TEAM-PTS_H1", "TEAM-PTS_H2", "TEAM-PTS_OT", *_OVERTIMES)  # columns that a team's line may have
_SIDES = ("home", "vis")


def read_feed(feed: Any, place: str) -> Feed:
    """Reads the field `feed` of a game's JSON; `place` prefixes the field names in errors."""
    if feed is None:
        return NO_FEED
    if not isinstance(feed, Mapping):
        raise GameError(f"{place}feed: expected an object, got a {json_type(feed)}")
    warn_unknown_columns(feed, (*_OF_GAME, *_SIDES), "feed")
    of_game = _read(feed, _OF_GAME, f"{place}feed")
    of_teams = []
    for side in _SIDES:
        values = feed.get(side)
        if values is not None and not isinstance(values, Mapping):
            raise GameError(f"{place}feed.{side}: expected an object, got a {json_type(values)}")
        warn_unknown_columns(values or {}, tuple(_OF_TEAM), f"feed.{side}")
        of_teams.append({**of_game, **_read(values or {}, _OF_TEAM, f"{place}feed.{side}")})
    return of_teams[0], of_teams[1]


def read_periods(data: Mapping, place: str) -> dict[str, Any]:
    """What the teams' lines tell of halves and overtimes, as fields of a feed."""
    lines = {side: data[f"{side}_line"] for side in _SIDES if isinstance(data.get(f"{side}_line"), Mapping)}
    told: dict[str, Any] = {}
    last = 0
    for number, column in enumerate(_OVERTIMES, 1):
        for side, line in lines.items():
            points = read_number_cell(line.get(column), column, f"{place}{side}_line.{column}")
            if points is not None:
                last = number if points != "0" else last  # 0 for a period that was not played
                told["overtimes"] = last
    for side, line in lines.items():
        if all(is_absent(line.get(quarter)) for quarter in QUARTERS) and not is_absent(line.get("TEAM-PTS_H1")):
            told[side] = {"first_half": line["TEAM-PTS_H1"]}
    return told


def feed_json(feed: Feed) -> dict[str, Any]:
    """The field `feed` of a game's JSON, the inverse of `read_feed`."""
    data: dict[str, Any] = {name: feed[0][attribute] for name, attribute in _OF_GAME.items() if attribute in feed[0]}
    for side, values in zip(_SIDES, feed, strict=True):
        of_team = {name: values[attribute] for name, attribute in _OF_TEAM.items() if attribute in values}
        if of_team:
            data[side] = of_team
    return data


def _read(values: Mapping, attributes: Mapping[str, str], place: str) -> dict[str, str]:
    read = {}
    for name, attribute in attributes.items():
        value = values.get(name)
        if is_absent(value):
            continue
        where = f"{place}.{name}"
        text = read_name(value, where) if name == "venue" else read_number_cell(value, attribute, where)
        if text is not None:
            read[attribute] = text
    return read
