"""The facts that the sample league's recaps state, recomputed from its rows by slow and plain code."""

import datetime


ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth 11th 12th 13th 14th 15th".split()
SUMMED = ("FG3M", "FG3A", "FTM", "FTA", "OREB", "STL", "BLK")
SIDES = {"home": "vis", "vis": "home"}


def date(row: dict) -> datetime.date:
    return datetime.datetime.strptime(row["game_id"][:8], "%Y%m%d").date()


def side_of(row: dict, team: str) -> str:
    return "home" if row["home_name"] == team else "vis"


def cell(row: dict, side: str, column: str) -> int:
    return int(row[f"{side}_line"][f"TEAM-{column}"])


def quarters(row: dict, side: str, *numbers: int) -> int:
    return sum(cell(row, side, f"PTS_QTR{number}") for number in numbers)


def won(row: dict, side: str) -> bool:
    return cell(row, side, "PTS") > cell(row, SIDES[side], "PTS")


def playing(row: dict, side: str) -> list[dict]:
    of_team = [player for player in row["box_score"] if player["TEAM_CITY"] == row[f"{side}_city"]]
    return [player for player in of_team if player["MIN"] != "N/A"]


def games_of(rows: list[dict], team: str) -> list[dict]:
    return sorted((row for row in rows if team in (row["home_name"], row["vis_name"])), key=date)


def expected(rows: list[dict], row: dict, entity: str, attribute: str) -> str:
    """What a recap of `row` has to say for an entity's attribute, by all `rows` of the league."""
    if attribute.startswith("TEAM-"):
        return str(_team(rows, row, entity, attribute.removeprefix("TEAM-")))
    return str(_player(rows, row, entity, attribute))


def _team(rows: list[dict], row: dict, team: str, name: str) -> int | str:
    own = side_of(row, team)
    other = SIDES[own]

    def ahead(*numbers: int) -> int:
        return quarters(row, own, *numbers) - quarters(row, other, *numbers)

    if name in ("WEEKDAY", "PLACE"):
        return f"{date(row):%A}" if name == "WEEKDAY" else {"home": "home", "vis": "road"}[own]
    margins = {
        "WON_BY": cell(row, own, "PTS") - cell(row, other, "PTS"),
        "LEAD_Q1": ahead(1),
        "LEAD_H1": ahead(1, 2),
        "LEAD_Q3": ahead(1, 2, 3),
        "WON_BY_Q3": ahead(3),
        "WON_BY_Q4": ahead(4),
        "WON_BY_H2": ahead(3, 4),
        "REB_EDGE": cell(row, own, "REB") - cell(row, other, "REB"),
        "AST_EDGE": cell(row, own, "AST") - cell(row, other, "AST"),
        "TOV_EDGE": cell(row, other, "TOV") - cell(row, own, "TOV"),
    }
    positive = name.replace("LOST_BY", "WON_BY").replace("DEFICIT", "LEAD")
    if positive in margins:
        margin = margins[positive] if positive == name else -margins[positive]
        assert margin > 0, (row["game_id"], team, name)
        return margin
    players = playing(row, own)
    if name in SUMMED:
        return sum(int(player[name]) for player in players)
    if name == "PTS_H1":
        return quarters(row, own, 1, 2)
    if name == "OVERTIMES":
        return (sum(int(player["MIN"]) for player in players) - 240) // 25
    if name == "PTS_BENCH":
        return sum(int(player["PTS"]) for player in players if player["START_POSITION"] == "N/A")
    if name == "DOUBLE_FIGURES":
        return sum(int(player["PTS"]) >= 10 for player in players)
    return _season_of_team(games_of(rows, team), row, team, name)


def _season_of_team(games: list[dict], row: dict, team: str, name: str) -> int | str:
    """`games`: all games of the team by date. Only the branch for `NEXT_` looks at later ones."""
    until = [game for game in games if date(game) <= date(row)]
    results = [won(game, side_of(game, team)) for game in until]
    if name.startswith("NEXT_"):
        following = next(game for game in games if date(game) > date(row))
        own = side_of(following, team)
        opponent = SIDES[own]
        return {
            "NEXT_OPPONENT": following[f"{opponent}_name"],
            "NEXT_CITY": following[f"{opponent}_city"],
            "NEXT_WEEKDAY": f"{date(following):%A}",
            "NEXT_PLACE": "home" if own == "home" else "road",
        }[name]
    if name == "MEETING_PTS":
        opponent = row["home_name"] if row["vis_name"] == team else row["vis_name"]
        meetings = [game for game in until[:-1] if opponent in (game["home_name"], game["vis_name"])]
        return cell(meetings[-1], side_of(meetings[-1], team), "PTS")
    if name.endswith("_LAST5"):
        last = results[-5:]
        assert len(last) == 5
        return {"WINS_LAST5": sum(last), "LOSSES_LAST5": last.count(False), "GAMES_LAST5": 5}[name]
    place, _, kind = name.partition("_")
    if place in ("HOME", "ROAD"):
        here = [won(game, side_of(game, team)) for game in until if (game["home_name"] == team) == (place == "HOME")]
        return here.count(kind == "WINS")
    if name.endswith("_BEFORE"):
        results = results[:-1]
    length = 0
    while length < len(results) and results[-1 - length] == name.startswith("WIN_"):
        length += 1
    assert length >= 2, (row["game_id"], team, name)
    return ORDINALS[length - 1] if name.endswith("_NTH") else length


def _player(rows: list[dict], row: dict, name: str, attribute: str) -> int | str:
    own = next(side for side in SIDES if any(player["PLAYER_NAME"] == name for player in playing(row, side)))
    [player] = [player for player in playing(row, own) if player["PLAYER_NAME"] == name]
    if attribute == "ROLE":
        return "bench" if player["START_POSITION"] == "N/A" else "starter"
    if attribute == "DOUBLE":
        return {2: "double - double", 3: "triple - double"}[_doubles(player)]
    if attribute in ("TEAM_HIGH_PTS", "GAME_HIGH_PTS"):
        rivals = playing(row, own) + (playing(row, SIDES[own]) if attribute == "GAME_HIGH_PTS" else [])
        assert int(player["PTS"]) == max(int(rival["PTS"]) for rival in rivals)
        return attribute.split("_")[0].lower() + " - high"
    lines = [
        line
        for game in sorted(rows, key=date)
        if date(game) <= date(row)
        for side in SIDES
        for line in playing(game, side)
        if line["PLAYER_NAME"] == name
    ]
    if attribute == "AVG_PTS":
        return int(sum(int(line["PTS"]) for line in lines) / len(lines) + 0.5)
    length = 0
    while length < len(lines):
        line = lines[-1 - length]
        if _doubles(line) < 2 if attribute == "DOUBLE_STREAK" else int(line["PTS"]) < 20:
            break
        length += 1
    return {"DOUBLE_STREAK": length, "TWENTY_STREAK": length}[attribute]


def _doubles(player: dict) -> int:
    return sum(int(player[column]) >= 10 for column in ("PTS", "REB", "AST", "STL", "BLK"))
