"""Reads ESPN's summary of a game (site.api.espn.com/.../summary?event=ID): any basketball league."""

import datetime
from collections.abc import Mapping
from typing import Any

from modeling_stg.errors import GameError
from stg.converters.building import PlayerLine, TeamLine, build_game


_COLUMNS = {
    **{"MIN": "MIN", "PTS": "PTS", "OREB": "OREB", "DREB": "DREB", "REB": "REB", "AST": "AST"},
    **{"STL": "STL", "BLK": "BLK", "TO": "TO", "PF": "PF"},
}
_PAIRS = {"FG": ("FGM", "FGA"), "3PT": ("FG3M", "FG3A"), "FT": ("FTM", "FTA")}
_TEAM = {"totalRebounds": "TEAM-REB", "assists": "TEAM-AST", "totalTurnovers": "TEAM-TOV"}
_TEAM_PAIRS = {
    "fieldGoalsMade-fieldGoalsAttempted": ("FGM", "FGA"),
    "threePointFieldGoalsMade-threePointFieldGoalsAttempted": ("FG3M", "FG3A"),
    "freeThrowsMade-freeThrowsAttempted": ("FTM", "FTA"),
}
_FEED = {
    **{"largestLead": "largest_lead", "pointsInPaint": "points_in_paint"},
    **{"fastBreakPoints": "fast_break_points", "turnoverPoints": "turnover_points"},
}
_BEHIND_UTC = datetime.timedelta(hours=5)  # US Eastern time, in which a game's day is counted


def read_espn(data: Mapping[str, Any]) -> dict[str, Any]:
    """A game in RotoWire's JSON from ESPN's summary."""
    competitions = data.get("header", {}).get("competitions") or []
    if not competitions or len(competitions[0].get("competitors", [])) != 2:
        raise GameError("ESPN's summary has no header with two competitors; save the whole answer")
    [competition, *_] = competitions
    teams = {side: _team(data["boxscore"], _competitor(competition, side)) for side in ("home", "away")}
    info = data.get("gameInfo") or {}
    feed = {"venue": (info.get("venue") or {}).get("fullName"), "attendance": info.get("attendance") or None}
    regulation = ((data.get("format") or {}).get("regulation") or {}).get("periods", 4)
    return build_game(_day(competition.get("date")), teams["home"], teams["away"], feed, regulation=regulation)


def _competitor(competition: Mapping, side: str) -> Mapping[str, Any]:
    for competitor in competition["competitors"]:
        if competitor.get("homeAway") == side:
            return competitor
    raise GameError(f"ESPN's summary names no {side} team; save the whole answer")


def _team(box: Mapping, competitor: Mapping) -> TeamLine:
    team = competitor["team"]
    numbers: dict[str, Any] = {"TEAM-PTS": competitor.get("score")}
    for record in competitor.get("record") or competitor.get("records") or ():
        if record.get("type") == "total":
            text = record.get("summary") or record.get("displayValue") or ""
            numbers["TEAM-WINS"], _, numbers["TEAM-LOSSES"] = text.partition("-")
    feed = {}
    for block in box.get("teams", ()):
        if block["team"].get("id") == team.get("id"):
            values = {entry["name"]: entry.get("displayValue") for entry in block.get("statistics", ())}
            numbers |= {column: values[name] for name, column in _TEAM.items() if name in values}
            for name, pair in _TEAM_PAIRS.items():
                numbers |= dict(zip(pair, values.get(name, "").split("-"), strict=False)) if values.get(name) else {}
            feed = {field: values.get(name) for name, field in _FEED.items()}
    players = [
        _player(athlete, statistics.get("names") or statistics.get("labels") or [])
        for block in box.get("players", ())
        if block["team"].get("id") == team.get("id")
        for statistics in block.get("statistics", ())
        for athlete in statistics.get("athletes", ())
    ]
    periods = [period.get("displayValue", period.get("value")) for period in competitor.get("linescores") or ()]
    name = team.get("name") or team.get("nickname") or team.get("shortDisplayName")
    return TeamLine(name, team.get("location"), players, numbers, periods, feed)


def _player(athlete: Mapping, columns: list[str]) -> PlayerLine:
    person = athlete["athlete"]
    values = dict(zip(columns, athlete.get("stats") or (), strict=False))
    numbers = {column: values[label] for label, column in _COLUMNS.items() if label in values}
    for label, pair in _PAIRS.items():
        if label in values:
            numbers |= dict(zip(pair, values[label].split("-"), strict=False))
    position = (person.get("position") or {}).get("abbreviation")
    played = {} if athlete.get("didNotPlay") else numbers
    return PlayerLine(person["displayName"], played, starts=bool(athlete.get("starter")), position=position)


def _day(moment: Any) -> Any:
    """The day in the United States of a moment in UTC; anything else unchanged, for the reader to refuse."""
    try:
        return (datetime.datetime.fromisoformat(str(moment).replace("Z", "+00:00")) - _BEHIND_UTC).date()
    except ValueError:
        return moment
