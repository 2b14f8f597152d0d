"""Reads the NBA's own answers: live box score, BoxScoreTraditional V2 and V3, and what holds date, place and quarters.

A traditional box score has neither date nor quarters (V2 not even who was at home): they stand in the summary or the
scoreboard, which are matched by game id. WNBA and G League have the same shapes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeling_stg.errors import GameError
from modeling_stg.shapes import LIVE, SCOREBOARD, STATS_V2, SUMMARY, TRADITIONAL
from modeling_stg.validation import is_absent
from stg.converters.building import PlayerLine, TeamLine, build_game


_V3 = {
    **{"MIN": "minutes", "PTS": "points", "REB": "reboundsTotal", "AST": "assists", "STL": "steals"},
    **{"FGM": "fieldGoalsMade", "FGA": "fieldGoalsAttempted", "FTM": "freeThrowsMade", "FTA": "freeThrowsAttempted"},
    **{"FG3M": "threePointersMade", "FG3A": "threePointersAttempted", "BLK": "blocks", "TO": "turnovers"},
    **{"OREB": "reboundsOffensive", "DREB": "reboundsDefensive", "PF": "foulsPersonal"},
}
_V3_TEAM = {"TEAM-PTS": "points", "TEAM-REB": "reboundsTotal", "TEAM-AST": "assists"}
_V3_FEED = {
    **{"largest_lead": "biggestLead", "points_in_paint": "pointsInThePaint"},
    **{"fast_break_points": "pointsFastBreak", "turnover_points": "pointsFromTurnovers"},
}
_SHOTS = ("FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA")
_V2 = (*_SHOTS, "MIN", "PTS", "OREB", "DREB", "REB", "AST", "STL", "BLK", "TO", "PF")
_V2_TEAM = {"TEAM-PTS": "PTS", "TEAM-REB": "REB", "TEAM-AST": "AST", "TEAM-TOV": "TO"}
_V2_FEED = {
    **{"largest_lead": "LARGEST_LEAD", "points_in_paint": "PTS_PAINT"},
    **{"fast_break_points": "PTS_FB", "turnover_points": "PTS_OFF_TO"},
}
_QUARTERS_V2 = tuple(f"PTS_QTR{number}" for number in range(1, 5))
_OVERTIMES_V2 = tuple(f"PTS_OT{number}" for number in range(1, 11))
_REMEDY = "give its summary or the scoreboard of its day too"


@dataclass
class _Game:
    """What the answers tell of one game; later ones fill what earlier ones left open."""

    day: Any = None
    teams: dict[str, TeamLine] = field(default_factory=dict)  # by team id
    home: str | None = None  # a team's id
    feed: dict[str, Any] = field(default_factory=dict)
    regulation: int = 4

    def team(self, number: Any, name: Any = None, city: Any = None) -> TeamLine:
        line = self.teams.setdefault(str(number), TeamLine(None, None, numbers={}, feed={}))
        line.name, line.city = line.name or name, line.city or city
        return line


def read_nba(answers: Sequence[tuple[str, Mapping[str, Any]]], date: Any = None) -> list[Any]:
    """Games in RotoWire's JSON, or errors, from answers and their shapes; `date` is for games that name none."""
    games: dict[str, _Game] = {}
    for shape, data in answers:
        if shape == LIVE:
            _read_live(games, data["game"])
        elif shape == TRADITIONAL:
            _read_traditional(games, data["boxScoreTraditional"])
        elif shape == SUMMARY:
            _read_schedule(games, data["boxScoreSummary"], None)
        elif shape == SCOREBOARD:
            for game in data["scoreboard"]["games"]:
                _read_schedule(games, game, data["scoreboard"].get("gameDate"))
        elif shape == STATS_V2:
            _read_v2(games, data)
    boxes = {number: game for number, game in games.items() if any(team.players for team in game.teams.values())}
    if games and not boxes:
        return [GameError("no player's line, only scores; give the game's box score too (BoxScoreTraditional)")]
    return [_finished(number, game, date) for number, game in boxes.items()]


def _finished(number: str, game: _Game, date: Any) -> Any:
    day = date if is_absent(game.day) else game.day
    if is_absent(day):
        return GameError(f"game {number}: names no date; {_REMEDY}, or --date")
    if game.home not in game.teams or len(game.teams) != 2:
        return GameError(f"game {number}: does not say which team is at home; {_REMEDY}")
    [visitor] = [team for number, team in game.teams.items() if number != game.home]
    return build_game(day, game.teams[str(game.home)], visitor, game.feed, regulation=game.regulation)


def _read_live(games: dict[str, _Game], data: Mapping) -> None:
    game = games.setdefault(str(data["gameId"]), _Game())
    _read_schedule(games, data, None)
    for side in ("homeTeam", "awayTeam"):
        team = data[side]
        line = game.team(team["teamId"])
        statistics = team.get("statistics") or {}
        line.players = [_player(player, player.get("starter") == "1") for player in team.get("players", ())]
        line.numbers = {**line.numbers, **_team_numbers(statistics)}
        line.feed = {field: statistics.get(name) for field, name in _V3_FEED.items()}
        game.feed |= {"lead_changes": statistics.get("leadChanges"), "ties": statistics.get("timesTied")}


def _read_traditional(games: dict[str, _Game], data: Mapping) -> None:
    game = games.setdefault(str(data["gameId"]), _Game())
    for side in ("homeTeam", "awayTeam"):
        team = data[side]
        line = game.team(team["teamId"], team.get("teamName"), team.get("teamCity"))
        line.players = [_player(player, bool(player.get("position"))) for player in team.get("players", ())]
        line.numbers = {**_team_numbers(team.get("statistics") or {}), **line.numbers}
    game.home = str(data["homeTeam"]["teamId"])


def _read_schedule(games: dict[str, _Game], data: Mapping, day: Any) -> None:
    """Date, place, records and points by period: of a live box score, a summary or a scoreboard."""
    game = games.setdefault(str(data["gameId"]), _Game())
    game.day = game.day or _day(data) or day
    game.regulation = data.get("regulationPeriods") or game.regulation
    game.feed |= {"attendance": data.get("attendance") or None, "venue": (data.get("arena") or {}).get("arenaName")}
    if data.get("period") and data.get("gameStatus") == 3:
        game.feed["overtimes"] = max(data["period"] - game.regulation, 0)
    for side in ("homeTeam", "awayTeam"):
        team = data[side]
        line = game.team(team["teamId"], team.get("teamName"), team.get("teamCity"))
        line.periods = [period.get("score") for period in team.get("periods") or ()]
        more = {
            "TEAM-PTS": team.get("score"),
            "TEAM-WINS": team.get("wins", team.get("teamWins")),
            "TEAM-LOSSES": team.get("losses", team.get("teamLosses")),
        }
        line.numbers = {**line.numbers, **{name: value for name, value in more.items() if value is not None}}
    game.home = str(data["homeTeam"]["teamId"])


def _day(data: Mapping) -> str | None:
    """The day in local time; "gameEt" is marked as UTC, but holds Eastern time."""
    moment = data.get("gameTimeLocal") or data.get("gameEt") or ""
    return str(moment).partition("T")[0] or None


def _team_numbers(statistics: Mapping) -> dict[str, Any]:
    names = {**_V3_TEAM, **{column: _V3[column] for column in _SHOTS}}
    numbers = {column: statistics[name] for column, name in names.items() if statistics.get(name) is not None}
    if "reboundsPersonal" in statistics:  # without those that no player got
        numbers["TEAM-REB"] = statistics["reboundsPersonal"]
    turnovers = statistics.get("turnoversTotal", statistics.get("turnovers"))
    return numbers if turnovers is None else {**numbers, "TEAM-TOV": turnovers}


def _player(data: Mapping, starts: bool) -> PlayerLine:
    statistics = data.get("statistics") or {}
    played = data.get("played", "1") == "1" and not is_absent(statistics.get("minutes"))
    numbers = {column: statistics.get(name) for column, name in _V3.items()} if played else {}
    first, second = data.get("firstName"), data.get("familyName")
    return PlayerLine(f"{first or ''} {second or ''}", numbers, first, second, starts, data.get("position"))


def _read_v2(games: dict[str, _Game], data: Mapping) -> None:
    tables = _tables(data)
    for row in (*tables.get("GameSummary", ()), *tables.get("GameHeader", ())):
        game = games.setdefault(str(row["GAME_ID"]), _Game())
        game.day, game.home = game.day or row.get("GAME_DATE_EST"), str(row["HOME_TEAM_ID"])
    numbers = [str(row["GAME_ID"]) for row in tables.get("GameSummary", ())]
    for row in tables.get("GameInfo", ()) if len(numbers) == 1 else ():
        games[numbers[0]].feed["attendance"] = row.get("ATTENDANCE") or None
    for row in tables.get("LineScore", ()):
        line = games.setdefault(str(row["GAME_ID"]), _Game()).team(
            row["TEAM_ID"], row.get("TEAM_NICKNAME", row.get("TEAM_NAME")), row.get("TEAM_CITY_NAME")
        )
        overtimes = [row.get(column) for column in _OVERTIMES_V2]
        while overtimes and not overtimes[-1]:
            overtimes.pop()
        quarters = [row.get(column) for column in _QUARTERS_V2]
        line.periods = [] if any(is_absent(points) for points in quarters) else [*quarters, *overtimes]
        wins, _, losses = str(row.get("TEAM_WINS_LOSSES") or "").partition("-")
        line.numbers = {**line.numbers, "TEAM-WINS": wins, "TEAM-LOSSES": losses, "TEAM-PTS": row.get("PTS")}
    for row in tables.get("OtherStats", ()) if len(numbers) == 1 else ():
        line = games[numbers[0]].team(row["TEAM_ID"])
        line.feed = {field: row.get(name) for field, name in _V2_FEED.items()}
        games[numbers[0]].feed |= {"lead_changes": row.get("LEAD_CHANGES"), "ties": row.get("TIMES_TIED")}
    for row in tables.get("TeamStats", ()):
        line = games.setdefault(str(row["GAME_ID"]), _Game()).team(
            row["TEAM_ID"], row.get("TEAM_NAME"), row.get("TEAM_CITY")
        )
        known = {column: row.get(name) for column, name in _V2_TEAM.items()} | {name: row.get(name) for name in _SHOTS}
        line.numbers = {**known, **{name: value for name, value in line.numbers.items() if not is_absent(value)}}
    for row in tables.get("PlayerStats", ()):
        line = games.setdefault(str(row["GAME_ID"]), _Game()).team(row["TEAM_ID"], None, row.get("TEAM_CITY"))
        numbers_of = {} if is_absent(row.get("MIN")) else {column: row.get(column) for column in _V2}
        position = row.get("START_POSITION")
        line.players = [
            *line.players,
            PlayerLine(row["PLAYER_NAME"], numbers_of, starts=not is_absent(position), position=position),
        ]


def _tables(data: Mapping) -> dict[str, list[dict[str, Any]]]:
    """Rows by the name of the result set, from the raw answer or nba_api's normalized dictionary."""
    if "resultSets" not in data:
        return {name: rows for name, rows in data.items() if isinstance(rows, list)}
    return {
        result["name"]: [dict(zip(result["headers"], row, strict=True)) for row in result["rowSet"]]
        for result in data["resultSets"]
    }
