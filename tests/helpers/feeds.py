"""A game in the shapes of other sources: what their converters must read back."""

from typing import Any

from modeling_stg.box_score import Entity
from modeling_stg.game import Game
from modeling_stg.schema import PLAYER_NUMBERS, QUARTERS


V3 = {
    **{"PTS": "points", "REB": "reboundsTotal", "AST": "assists", "STL": "steals", "BLK": "blocks", "TO": "turnovers"},
    **{"FGM": "fieldGoalsMade", "FGA": "fieldGoalsAttempted", "FTM": "freeThrowsMade", "FTA": "freeThrowsAttempted"},
    **{"FG3M": "threePointersMade", "FG3A": "threePointersAttempted", "PF": "foulsPersonal"},
    **{"OREB": "reboundsOffensive", "DREB": "reboundsDefensive"},
}
ESPN_LABELS = ("MIN", "PTS", "FG", "3PT", "FT", "REB", "AST", "TO", "STL", "BLK", "OREB", "DREB", "PF", "+/-")
_PAIRS = {"FG": "FG", "3PT": "FG3", "FT": "FT"}
IDS = {True: 1610612752, False: 1610612749}  # by whether the team is at home
GAME_ID = "0021600527"


def number(entity: Entity, attribute: str) -> int:
    return entity.number(attribute) or 0


def periods(team: Entity) -> list[int]:
    return [number(team, quarter) for quarter in QUARTERS]


def sides(game: Game) -> list[tuple[str, Entity, list[Entity]]]:
    players = {is_home: [player for player in game.players if player.is_home == is_home] for is_home in (True, False)}
    return [("home", game.home, players[True]), ("away", game.visitor, players[False])]


def espn(game: Game, moment: str = "2017-01-05T00:30Z", venue: str = "Madison Square Garden") -> dict[str, Any]:
    teams, players, competitors = [], [], []
    for side, team, own in sides(game):
        identity = {"id": str(IDS[team.is_home]), "location": team.text("TEAM-CITY"), "name": team.name}
        record = f"{number(team, 'TEAM-WINS')}-{number(team, 'TEAM-LOSSES')}"
        lines = [{"displayValue": str(points)} for points in periods(team)]
        competitors.append(
            {"homeAway": side, "team": identity, "score": team.values["TEAM-PTS"], "linescores": lines}
            | {"record": [{"type": "total", "summary": record}, {"type": "home", "summary": "9-9"}]}
        )
        statistics = {"totalRebounds": "TEAM-REB", "assists": "TEAM-AST", "totalTurnovers": "TEAM-TOV"}
        shown = [{"name": name, "displayValue": team.values[column]} for name, column in statistics.items()]
        teams.append({"team": identity, "statistics": [*shown, {"name": "pointsInPaint", "displayValue": "46"}]})
        athletes = [_espn_player(player) for player in own]
        players.append({"team": identity, "statistics": [{"names": list(ESPN_LABELS), "athletes": athletes}]})
    header = {"competitions": [{"date": moment, "competitors": competitors}]}
    info = {"venue": {"fullName": venue}, "attendance": 19812}
    return {"boxscore": {"teams": teams, "players": players}, "header": header, "gameInfo": info}


def _espn_player(player: Entity) -> dict[str, Any]:
    values = {label: player.values.get(label) or "0" for label in ESPN_LABELS}
    values |= {label: f"{number(player, f'{shot}M')}-{number(player, f'{shot}A')}" for label, shot in _PAIRS.items()}
    position = {"abbreviation": {"G": "PG", "F": "SF"}.get(player.text("START_POSITION"), "C")}
    return {
        "athlete": {"displayName": player.name, "position": position},
        "starter": player.values["START_POSITION"] is not None,
        "didNotPlay": not player.did_play,
        "stats": [values[label] for label in ESPN_LABELS] if player.did_play else [],
    }


def _v3_player(player: Entity) -> dict[str, Any]:
    statistics: dict[str, Any] = {name: number(player, column) for column, name in V3.items()}
    statistics["minutes"] = f"{number(player, 'MIN')}:14" if player.did_play else ""
    names = {"firstName": player.text("FIRST_NAME"), "familyName": player.text("SECOND_NAME")}
    return {**names, "position": player.text("START_POSITION"), "statistics": statistics}


def traditional_v3(game: Game) -> dict[str, Any]:
    box: dict[str, Any] = {"gameId": GAME_ID}
    for side, team, own in sides(game):
        statistics = {"points": number(team, "TEAM-PTS"), "reboundsTotal": number(team, "TEAM-REB")}
        statistics |= {"assists": number(team, "TEAM-AST"), "turnovers": number(team, "TEAM-TOV")}
        names = {"teamId": IDS[team.is_home], "teamCity": team.text("TEAM-CITY"), "teamName": team.name}
        box[f"{side}Team"] = {**names, "players": [_v3_player(player) for player in own], "statistics": statistics}
    return {"boxScoreTraditional": box}


def _schedule_v3(game: Game, wins: str, losses: str) -> dict[str, Any]:
    found: dict[str, Any] = {"gameId": GAME_ID, "gameStatus": 3, "period": 4, "regulationPeriods": 4}
    found["gameEt"] = "2017-01-04T19:30:00Z"
    for side, team, _ in sides(game):
        lines = [{"period": index, "score": points} for index, points in enumerate(periods(team), 1)]
        found[f"{side}Team"] = {
            **{"teamId": IDS[team.is_home], "teamCity": team.text("TEAM-CITY"), "teamName": team.name},
            **{"score": number(team, "TEAM-PTS"), "periods": lines},
            **{wins: number(team, "TEAM-WINS"), losses: number(team, "TEAM-LOSSES")},
        }
    return found


def scoreboard_v3(game: Game) -> dict[str, Any]:
    other = {**_schedule_v3(game, "wins", "losses"), "gameId": "0021600001"}
    return {"scoreboard": {"gameDate": "2017-01-04", "games": [other, _schedule_v3(game, "wins", "losses")]}}


def summary_v3(game: Game) -> dict[str, Any]:
    arena = {"arena": {"arenaName": "Madison Square Garden"}, "attendance": 19812}
    return {"boxScoreSummary": {**_schedule_v3(game, "teamWins", "teamLosses"), **arena}}


def live(game: Game) -> dict[str, Any]:
    found = _schedule_v3(game, "wins", "losses")
    for side, team, own in sides(game):
        players = []
        for player in own:
            row = _v3_player(player)
            row["statistics"]["minutes"] = f"PT{number(player, 'MIN')}M14.00S"
            starter = "1" if player.values["START_POSITION"] else "0"
            players.append({**row, "starter": starter, "played": "1" if player.did_play else "0"})
        statistics = {"reboundsTotal": 60, "reboundsPersonal": number(team, "TEAM-REB"), "biggestLead": 12}
        statistics |= {"assists": number(team, "TEAM-AST"), "turnoversTotal": number(team, "TEAM-TOV")}
        found[f"{side}Team"] |= {"players": players, "statistics": statistics}
    return {"game": found}


def traditional_v2(game: Game) -> dict[str, Any]:
    counts = [column for column in PLAYER_NUMBERS if not column.endswith("_PCT")]
    headers = ["GAME_ID", "TEAM_ID", "TEAM_CITY", "PLAYER_NAME", "START_POSITION", "COMMENT", *counts]
    rows = []
    for _, team, own in sides(game):
        for player in own:
            values = [number(player, column) if player.did_play else None for column in counts]
            values[0] = f"{values[0]}:14" if player.did_play else None
            who = [GAME_ID, IDS[team.is_home], team.text("TEAM-CITY"), player.name, player.text("START_POSITION")]
            rows.append([*who, "" if player.did_play else "DNP - Coach's Decision", *values])
    team_headers = ["GAME_ID", "TEAM_ID", "TEAM_NAME", "TEAM_CITY", "REB", "AST", "TO", "PTS"]
    team_rows = [
        [GAME_ID, IDS[team.is_home], team.name, team.text("TEAM-CITY")]
        + [number(team, f"TEAM-{column}") for column in ("REB", "AST", "TOV", "PTS")]
        for _, team, _ in sides(game)
    ]
    players = {"name": "PlayerStats", "headers": headers, "rowSet": rows}
    return {"resultSets": [players, {"name": "TeamStats", "headers": team_headers, "rowSet": team_rows}]}


def summary_v2(game: Game) -> dict[str, Any]:
    """As nba_api's normalized dictionary has it."""
    lines = [
        {
            **{"GAME_ID": GAME_ID, "TEAM_ID": IDS[team.is_home], "TEAM_CITY_NAME": team.text("TEAM-CITY")},
            **{f"PTS_QTR{index}": points for index, points in enumerate(periods(team), 1)},
            **{f"PTS_OT{index}": 0 for index in range(1, 11)},
            **{"TEAM_NICKNAME": team.name, "PTS": number(team, "TEAM-PTS")},
            "TEAM_WINS_LOSSES": f"{number(team, 'TEAM-WINS')}-{number(team, 'TEAM-LOSSES')}",
        }
        for _, team, _ in sides(game)
    ]
    summary = {"GAME_ID": GAME_ID, "GAME_DATE_EST": "2017-01-04T00:00:00", "HOME_TEAM_ID": IDS[True]}
    info = {"GAME_DATE": "WEDNESDAY, JANUARY 4, 2017", "ATTENDANCE": 19812}
    return {"GameSummary": [summary], "LineScore": lines, "GameInfo": [info]}


def player_table(game: Game) -> list[dict[str, Any]]:
    """As basketball-reference's finder of players' games writes it, with its column without a name."""
    names = {"MIN": "MP", "FGM": "FG", "FG3M": "3P", "FG3A": "3PA", "FTM": "FT", "OREB": "ORB", "DREB": "DRB"}
    names |= {"REB": "TRB", "TO": "TOV"}
    points = [number(team, "TEAM-PTS") for team in (game.home, game.visitor)]
    rows = []
    for side, _, own in sides(game):
        is_home = side == "home"
        result = f"{'L' if is_home else 'W'} {points[not is_home]}-{points[is_home]}"
        for player in own:
            values = {column: player.values[column] for column in PLAYER_NUMBERS if not column.endswith("_PCT")}
            row = {"Player": player.name, "Date": "2017-01-04", "Team": "NYK" if is_home else "MIL"}
            row |= {"": "" if is_home else "@", "Opp": "MIL" if is_home else "NYK", "Result": result}
            row |= {"GS": "1" if player.values["START_POSITION"] else "0", "Pos": player.text("START_POSITION")}
            rows.append(row | {names.get(column, column): value or "" for column, value in values.items()})
    return rows
