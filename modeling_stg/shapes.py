"""Recognises box scores of other sources by their fields, so that they can be named and converted."""

from collections.abc import Collection, Mapping
from typing import Any


ESPN, LIVE = "ESPN's summary", "the NBA's live box score"
TRADITIONAL, SUMMARY = "the NBA's BoxScoreTraditionalV3", "the NBA's BoxScoreSummaryV3"
SCOREBOARD, STATS_V2 = "the NBA's ScoreboardV3", "a V2 answer of the NBA's statistics"
ROTOWIRE, SEASON_FILE = "RotoWire's JSON", "a season file"
PLAYER_BOX, TEAM_BOX, SCHEDULE = "hoopR's player_box", "hoopR's team_box", "hoopR's schedule"
PLAYER_ROWS = "a table with one row per player"

# Shape -> alternatives of fields; a field within a field is joined by a full stop.
_OBJECTS: dict[str, tuple[tuple[str, ...], ...]] = {
    ROTOWIRE: (("home_line",), ("vis_line",), ("box_score",)),
    SEASON_FILE: (("games", "schedule"),),
    ESPN: (("boxscore.players",), ("boxscore.teams",)),
    LIVE: (("game.homeTeam", "game.awayTeam"),),
    TRADITIONAL: (("boxScoreTraditional",),),
    SUMMARY: (("boxScoreSummary",),),
    SCOREBOARD: (("scoreboard.games",),),
    STATS_V2: (("resultSets",), ("PlayerStats",), ("LineScore",)),
}
_TABLES: dict[str, tuple[str, ...]] = {
    ROTOWIRE: ("home_line", "vis_line", "box_score"),
    PLAYER_BOX: ("game_id", "athlete_display_name", "team_name", "field_goals_made"),
    TEAM_BOX: ("game_id", "team_name", "team_score", "total_turnovers"),
    SCHEDULE: ("game_id", "home_name", "away_name", "status_type_name"),
}
CONVERTED = (ESPN, LIVE, TRADITIONAL, SUMMARY, SCOREBOARD, STATS_V2)


def shape_of(data: Any) -> str | None:
    """The source that an object of JSON comes from; None if it is not known."""
    if not isinstance(data, Mapping):
        return None
    return next((shape for shape, forms in _OBJECTS.items() if any(_has(data, form) for form in forms)), None)


def shape_of_columns(columns: Collection[str]) -> str | None:
    """The source that a table comes from, by its columns; None if they are not those of a known feed."""
    return next((shape for shape, needed in _TABLES.items() if set(needed) <= set(columns)), None)


def _has(data: Mapping, fields: tuple[str, ...]) -> bool:
    for field in fields:
        outer, _, inner = field.partition(".")
        if outer not in data or (inner and not (isinstance(data[outer], Mapping) and inner in data[outer])):
            return False
    return True
