"""Reads tables with one row per player: a pandas frame, or a CSV as basketball-reference and many others write it.

Columns are known by many names (`_COLUMNS`). A row needs the player and his team; a game needs a date and which team
is at home. Team totals are added up from the players; quarters are not known.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from modeling_stg.errors import GameError
from modeling_stg.validation import is_absent, show
from stg.converters.building import STARTER, PlayerLine, TeamLine, build_game
from stg.converters.team_names import known_team, split_team


_COLUMNS = {
    "PLAYER": "player player_name playername name athlete_display_name athlete full_name starters",
    "FIRST": "first_name firstname",
    "SECOND": "second_name last_name lastname family_name familyname",
    "DATE": "date game_date gamedate day game_date_est",
    "GAME": "game_id gameid game",
    "TEAM": "team_name teamname team tm team_abbreviation team_tricode teamtricode",
    "CITY": "team_city teamcity city team_location",
    "OPPONENT": "opponent opp opponent_team opponent_team_name opponent_name opponent_abbreviation",
    "PLACE": "home is_home home_away homeaway team_home_away location side at",
    "HOME": "home_team home_team_name hometeam home_name",
    "VISITOR": "away_team visitor_team away_team_name visitor visitor_team_name awayteam away_name",
    "MATCHUP": "matchup",
    "RESULT": "result",
    "TEAM_POINTS": "team_score team_points tm_pts",
    "STARTS": "gs starter started start is_starter start_position",
    "POSITION": "pos position athlete_position_abbreviation start_position",
    "VENUE": "venue arena venue_full_name",
    "MIN": "min mp minutes mins",
    "PTS": "pts points",
    "FGM": "fgm fg field_goals_made fieldgoalsmade",
    "FGA": "fga field_goals_attempted fieldgoalsattempted",
    "FG_PCT": "fg% fg_pct fgpct field_goal_pct",
    "FG3M": "fg3m 3p 3pm tpm three_point_field_goals_made threes_made",
    "FG3A": "fg3a 3pa tpa three_point_field_goals_attempted threes_attempted",
    "FG3_PCT": "fg3_pct 3p% 3p_pct fg3pct three_point_field_goal_pct",
    "FTM": "ftm ft free_throws_made",
    "FTA": "fta free_throws_attempted",
    "FT_PCT": "ft_pct ft% ftpct free_throw_pct",
    "OREB": "oreb orb offensive_rebounds",
    "DREB": "dreb drb defensive_rebounds",
    "REB": "reb trb rebounds total_rebounds",
    "AST": "ast assists",
    "STL": "stl steals",
    "BLK": "blk blocks",
    "TO": "to tov turnovers",
    "PF": "pf fouls personal_fouls",
}
_MEANING = {name: column for column, names in reversed(_COLUMNS.items()) for name in names.split()}
_NUMBERS = tuple(_COLUMNS)[tuple(_COLUMNS).index("MIN") :]
_NEEDED = ("PTS", "REB", "AST")
_NOT_PLAYERS = frozenset("reserves starters totals player team".split())
_MATCHUP = re.compile(r"(\S+) (@|vs\.?) (\S+)")
_SCORE = re.compile(r"(\d{2,3})\s*[-–]\s*(\d{2,3})")
_IS_HOME = {
    **dict.fromkeys(("true", "1", "1.0", "home", "h", "vs", "vs."), True),
    **dict.fromkeys(("false", "0", "0.0", "away", "a", "@", "road", "visitor"), False),
}
_YES = frozenset(("true", "1", "1.0", "yes", "y", "*"))
_NO = frozenset(("false", "0", "0.0", "no", "n", ""))


def games_of_frame(frame: Any) -> list[Any]:
    """Games in RotoWire's JSON from a pandas frame with one row per player.

    Example:
        >>> games = [Game.from_json(row) for row in games_of_frame(pandas.read_csv("box_score.csv"))]
    """
    return read_player_rows(frame.to_dict("records"))


def is_player_table(columns: Iterable[Any]) -> bool:
    """Whether the columns are those of a table with one row per player."""
    known = _meanings(columns).values()
    return "PLAYER" in known and all(column in known for column in _NEEDED)


def read_player_rows(rows: Iterable[Mapping[Any, Any]], date: Any = None) -> list[Any]:
    """Games in RotoWire's JSON, or the error of a game; `date` is for games that name none."""
    games: dict[Any, list[dict[str, Any]]] = {}
    is_reserve = False
    for raw in rows:
        meanings = _meanings(raw)
        row = {column: raw[name] for name, column in reversed(meanings.items()) if not is_absent(raw[name])}
        row["HAS_PLACE"] = "PLACE" in meanings.values()
        if any(str(name).strip().lower() == "starters" for name in raw):  # basketball-reference's page of one game
            row.setdefault("STARTS", "0" if is_reserve else "1")
        name = " ".join(str(row.get("PLAYER", "")).split())
        is_reserve = is_reserve or name == "Reserves"
        if name and not _NOT_PLAYERS.intersection(name.lower().split()):
            row["PLAYER"] = name
            games.setdefault(_game_key(row), []).append(row)
    return [_game(rows_of_game, date) for rows_of_game in games.values()]


def _meanings(names: Iterable[Any]) -> dict[Any, str]:
    """Known columns by their names; basketball-reference's "@" stands in a column without a name."""
    meanings: dict[Any, str] = {}
    for name in names:
        plain = re.sub(r"[\s.]+", "_", str(name).strip().lower())
        meaning = "PLACE" if plain in ("", "@") or plain.startswith("unnamed:") else _MEANING.get(plain)
        if meaning is not None and (meaning != "PLACE" or meaning not in meanings.values()):
            meanings[name] = meaning
    return meanings


def _game_key(row: Mapping[str, Any]) -> Any:
    if "GAME" in row:
        return str(row["GAME"])
    teams = {str(row[name]) for name in ("TEAM", "OPPONENT", "HOME", "VISITOR") if name in row}
    if match := _MATCHUP.fullmatch(str(row.get("MATCHUP", ""))):
        teams = {match[1], match[3]}
    return str(row.get("DATE")), frozenset(teams) if len(teams) == 2 else None


def _game(rows: list[dict[str, Any]], date: Any) -> Any:
    try:
        return _build(rows, date)
    except GameError as error:
        return error


def _build(rows: list[dict[str, Any]], date: Any) -> dict[str, Any]:
    first = rows[0]
    day = first.get("DATE", date)
    where = f"player table, game of {first['PLAYER']}{'' if day is None else f' on {day}'}"
    if day is None:
        raise GameError(f"{where}: has no date; add a column 'date', or give --date")
    lines: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if "TEAM" not in row:
            raise GameError(f"{where}: {row['PLAYER']} has no team; add a column 'team'")
        lines.setdefault(str(row["TEAM"]), []).append(row)
    if len(lines) != 2:
        raise GameError(f"{where}: has players of {len(lines)} teams ({', '.join(lines)}); a game has two")
    homes = {team: bool(_is_home(team, rows_of_team[0])) for team, rows_of_team in lines.items()}
    if None in (_is_home(team, rows_of_team[0]) for team, rows_of_team in lines.items()) or sum(homes.values()) != 1:
        raise GameError(f"{where}: does not say which team is at home; add a column 'home' (true or false)")
    teams = {homes[team]: _team(team, rows_of_team, where) for team, rows_of_team in lines.items()}
    _add_scores(teams, {homes[team]: rows_of_team[0] for team, rows_of_team in lines.items()})
    return build_game(day, teams[True], teams[False], {"venue": first.get("VENUE")})


def _is_home(team: str, row: Mapping[str, Any]) -> bool | None:
    """Whether the team of a row plays at home; None if the row does not say."""
    if match := _MATCHUP.fullmatch(str(row.get("MATCHUP", ""))):
        return match[2] != "@"
    for column, answer in (("HOME", True), ("VISITOR", False)):
        if column in row:
            return answer if str(row[column]) == team else not answer
    if "PLACE" in row:
        return _IS_HOME.get(str(row["PLACE"]).strip().lower())
    return True if row["HAS_PLACE"] and "OPPONENT" in row else None  # an empty cell where others have "@"


def _team(text: str, rows: list[dict[str, Any]], where: str) -> TeamLine:
    city = next((row["CITY"] for row in rows if "CITY" in row), None)
    if city is None:
        names = split_team(text)
    else:
        name = text.removeprefix(str(city)).strip()
        names = known_team(f"{city} {name}") or (str(city), name)
    if names is None:
        raise GameError(f"{where}: {show(text)} is no known team; add a column 'team_city'")
    says_starts = any("STARTS" in row for row in rows)
    players = [_player(row, says_starts) for row in rows]
    numbers = {"TEAM-PTS": next((row["TEAM_POINTS"] for row in rows if "TEAM_POINTS" in row), None)}
    return TeamLine(names[1], names[0], players, numbers)


def _player(row: Mapping[str, Any], says_starts: bool) -> PlayerLine:
    text = str(row.get("STARTS", "")).strip().lower()
    starts = text not in _NO if says_starts else None
    position = row.get("POSITION", STARTER if text in _YES else row.get("STARTS"))
    has_minutes = any(character.isdigit() for character in str(row.get("MIN", "")))
    played = has_minutes if "MIN" in row else "PTS" in row
    numbers = {column: row[column] for column in _NUMBERS if column in row} if played else {}
    return PlayerLine(row["PLAYER"], numbers, row.get("FIRST"), row.get("SECOND"), starts, position)


def _add_scores(teams: Mapping[bool, TeamLine], rows: Mapping[bool, Mapping[str, Any]]) -> None:
    """The final score from a result such as "W 112-105", which has the own team's points first."""
    for side, row in rows.items():
        match = _SCORE.search(str(row.get("RESULT", "")))
        if match:
            for team, points in ((teams[side], match[1]), (teams[not side], match[2])):
                team.numbers = {**team.numbers, "TEAM-PTS": points}
