"""A slow twin of the facts: plain loops over the JSON of all games, written from the meanings in `fact_schema.py`.

Every function returns values by attribute; a fact that does not exist is left out.
"""

import datetime
import unicodedata

from modeling_stg.nba import OTHER_NAMES


DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NTH = "first second third fourth fifth sixth seventh eighth ninth tenth 11th 12th 13th 14th 15th".split()
COLUMNS = "MIN PTS FGM FGA FG3M FG3A FTM FTA OREB REB AST STL BLK START_POSITION".split()


def plain(data: dict, sides: list[int]) -> dict:
    """A game's JSON as numbers and None: the date, two teams, and the players with `sides` (0 for the home team)."""
    month, day, year = map(int, data["day"].split("_"))
    teams = []
    for line in (data["home_line"], data["vis_line"]):
        team = {}
        for column, value in line.items():
            name = column.removeprefix("TEAM-")
            team[name] = None if value == "N/A" else value if name in ("NAME", "CITY") else int(value)
        teams.append(team)
    players = []
    for key, name in data["box_score"]["PLAYER_NAME"].items():
        player = {"name": name, "side": sides[int(key)]}
        for column in COLUMNS:
            value = data["box_score"][column][key]
            player[column] = None if value == "N/A" else value if column == "START_POSITION" else int(value)
        player["played"] = player["MIN"] is not None
        players.append(player)
    date = datetime.date(2000 + year, month, day)
    return {"date": date, "teams": teams, "players": players, "names": [team["NAME"] for team in teams]}


def one_name(name: str) -> str:
    letters = unicodedata.normalize("NFD", OTHER_NAMES.get(name, name)).casefold()
    words = "".join(letter for letter in letters.replace("-", " ") if letter.isalpha() or letter == " ").split()
    return " ".join(word for word in words if word not in ("jr", "sr", "ii", "iii", "iv"))


def season_year(date: datetime.date) -> int:
    return date.year - (date.month < 8)


def is_playoff(game: dict) -> bool:
    few = all(team["WINS"] + team["LOSSES"] <= 7 for team in game["teams"])
    return few and game["date"].month in (4, 5, 6, 7)


def nth(number: int) -> str:
    """ "first", "11th", "21st", "32nd"."""
    if number <= len(NTH):
        return NTH[number - 1]
    return f"{number}{'st' if number % 10 == 1 else 'nd' if number % 10 == 2 else 'rd' if number % 10 == 3 else 'th'}"


def half_up(numbers: list[int]) -> int:
    return int(sum(numbers) / len(numbers) + 0.5)


def facts_of_teams(game: dict) -> list[dict]:
    """The groups `result`, `line_score` and `totals`, for the home and the visiting team."""
    found: list[dict] = [{}, {}]
    quarters = [[team[f"PTS_QTR{n}"] for n in (1, 2, 3, 4)] for team in game["teams"]]
    finals = [team["PTS"] for team in game["teams"]]
    for side in (0, 1):
        own, facts = game["teams"][side], found[side]
        margin = finals[side] - finals[1 - side]
        facts["TEAM-RESULT"] = "won" if margin > 0 else "lost"
        facts["TEAM-MARGIN"] = abs(margin)
        facts["TEAM-WON_BY" if margin > 0 else "TEAM-LOST_BY"] = abs(margin)
        facts["TEAM-WEEKDAY"] = DAYS[game["date"].weekday()]
        facts["TEAM-PLACE"] = ["home", "road"][side]
        if None not in quarters[0] + quarters[1]:
            facts.update(_of_quarters(quarters[side], quarters[1 - side], finals[side], finals[1 - side], game))
        facts.update(_of_totals(own, [player for player in game["players"] if player["side"] == side]))
    for side in (0, 1):
        facts, pairs = found[side], {}
        for name in ("REB", "AST", "FG_PCT", "FG3_PCT", "TOV"):
            pairs[name] = game["teams"][side][name], game["teams"][1 - side][name]
        pairs["TOV"] = pairs["TOV"][::-1]
        if all("TEAM-PTS_BENCH" in each for each in found):
            pairs["PTS_BENCH"] = facts["TEAM-PTS_BENCH"], found[1 - side]["TEAM-PTS_BENCH"]
        for column in "FGM FGA FG3M FG3A FTM FTA OREB STL BLK".split():
            if all(f"TEAM-{column}" in each for each in found):
                pairs[column] = facts[f"TEAM-{column}"], found[1 - side][f"TEAM-{column}"]
        for name, (first, second) in pairs.items():
            if first > second:
                facts[f"TEAM-{name}_EDGE"] = first - second
    return found


def _of_quarters(own: list[int], other: list[int], final: int, allowed: int, game: dict) -> dict:
    facts: dict = {"TEAM-PTS_HALF": own[0] + own[1]}
    for n in range(4):
        if own[n] != other[n]:
            facts[f"TEAM-QTR{n + 1}"] = "won" if own[n] > other[n] else "lost"
    if sum(own[:2]) != sum(other[:2]):
        facts["TEAM-HALF"] = "ahead" if sum(own[:2]) > sum(other[:2]) else "behind"
    overtime = sum(own) == sum(other) and final > sum(own) and allowed > sum(own)
    if not overtime and (sum(own) != final or sum(other) != allowed):
        return facts
    facts |= {"TEAM-PTS_H1": sum(own[:2]), "TEAM-PTS_H2": sum(own[2:]), "TEAM-PTS_AFTER_Q3": sum(own[:3])}
    if own.count(max(own)) == 1:
        facts["TEAM-BEST_QTR"] = NTH[own.index(max(own))]
    margins = {"Q2": own[1] - other[1], "Q3": own[2] - other[2], "Q4": own[3] - other[3]}
    margins["H2"] = sum(own[2:]) - sum(other[2:])
    if overtime:
        facts |= {"TEAM-PTS_AFTER_Q4": sum(own), "TEAM-PTS_OT": final - sum(own)}
        margins["OT"] = final - allowed
        minutes = sum(player["MIN"] for player in game["players"] if player["played"])
        for periods in range(1, 9):
            if abs(minutes - 480 - 50 * periods) <= 12:
                facts["TEAM-OVERTIMES"] = periods
    for period, margin in margins.items():
        if margin:
            facts[f"TEAM-{'WON' if margin > 0 else 'LOST'}_BY_{period}"] = abs(margin)
    for name, n in (("Q1", 1), ("H1", 2), ("Q3", 3)):
        margin = sum(own[:n]) - sum(other[:n])
        if margin:
            facts[f"TEAM-{'LEAD' if margin > 0 else 'DEFICIT'}_{name}"] = abs(margin)
    return facts


def _of_totals(team: dict, listed: list[dict]) -> dict:
    players = [player for player in listed if player["played"]]
    if not players or sum(player["PTS"] for player in players) != team["PTS"]:
        return {}
    facts = {}
    for column in "FGM FGA FG3M FG3A FTM FTA OREB STL BLK".split():
        facts[f"TEAM-{column}"] = sum(player[column] for player in players)
    for shot in ("FG", "FG3", "FT"):
        misses = facts[f"TEAM-{shot}A"] - facts[f"TEAM-{shot}M"]
        if misses:
            facts[f"TEAM-{shot}_MISSED"] = misses
    starters = [player for player in players if player["START_POSITION"]]
    if len(starters) == 5:
        facts["TEAM-PTS_STARTERS"] = sum(player["PTS"] for player in starters)
        if len(players) > 5:
            facts["TEAM-PTS_BENCH"] = team["PTS"] - facts["TEAM-PTS_STARTERS"]
    tens = sum(player["PTS"] > 9 for player in players)
    if tens:
        facts["TEAM-DOUBLE_FIGURES"] = tens
    for name, column in (("SCORER", "PTS"), ("REBOUNDER", "REB"), ("ASSISTER", "AST")):
        ranked = sorted(players, key=lambda player: player[column], reverse=True)
        if len(ranked) == 1 or ranked[0][column] > ranked[1][column]:
            facts[f"TEAM-TOP_{name}"] = ranked[0]["name"]
    return facts


def facts_of_players(game: dict) -> list[dict]:
    """The groups `result` (without the rank) and `players`."""
    everyone = [player for player in game["players"] if player["played"]]
    found = []
    for player in game["players"]:
        side = player["side"]
        facts: dict = {"TEAM_NAME": game["names"][side]}
        facts["RESULT"] = "won" if game["teams"][side]["PTS"] > game["teams"][1 - side]["PTS"] else "lost"
        found.append(facts)
        if not player["played"]:
            continue
        facts["DOUBLES"] = sum(player[column] >= 10 for column in ("PTS", "REB", "AST", "STL", "BLK"))
        if facts["DOUBLES"] >= 2:
            facts["DOUBLE"] = "double - double" if facts["DOUBLES"] == 2 else "triple - double"
        for shot in ("FG", "FG3", "FT"):
            if player[f"{shot}A"] > player[f"{shot}M"]:
                facts[f"{shot}_MISSED"] = player[f"{shot}A"] - player[f"{shot}M"]
        mates = [mate for mate in everyone if mate["side"] == side]
        if sum(mate["START_POSITION"] is not None for mate in mates) == 5:
            facts["ROLE"] = "starter" if player["START_POSITION"] else "bench"
        for column in ("PTS", "REB", "AST", "STL", "BLK", "MIN"):
            for scope, others in (("team", mates), ("game", everyone)):
                if player[column] and all(player[column] >= other[column] for other in others):
                    facts[f"{scope.upper()}_HIGH_{column}"] = f"{scope} - high"
    return found


def earlier_games(game: dict, side: int, games: list[dict]) -> tuple[list[dict], bool]:
    """A team's games before this one, without a gap, the latest first; and whether they are all of the season."""
    name, year = game["names"][side], season_year(game["date"])
    played = []
    for other in games:
        if name in other["names"] and season_year(other["date"]) == year and other["date"] < game["date"]:
            if is_playoff(other) == is_playoff(game):
                played.append(other)
    played.sort(key=lambda other: other["date"], reverse=True)
    team = game["teams"][side]
    number, known, latest = team["WINS"] + team["LOSSES"], [], game
    for other in played:
        its = other["teams"][other["names"].index(name)]
        if its["WINS"] + its["LOSSES"] != number - 1 or (latest["date"] - other["date"]).days > 11:
            break
        if is_playoff(game) and set(other["names"]) != set(game["names"]):
            break
        known.append(other)
        number, latest = number - 1, other
    return known, number == 1 and not is_playoff(game)


def season_of_team(game: dict, side: int, games: list[dict], schedule: list[tuple] | None) -> dict:
    """The group `season` of a team. `schedule` has (date, names, cities); None to look at the games."""
    facts: dict = {}
    name, rival = game["names"][side], game["names"][1 - side]
    earlier, complete = earlier_games(game, side, games)
    rows = []  # this game first: won, at home, points, opponent
    for other in [game, *earlier]:
        own = other["names"].index(name)
        scores = other["teams"][own]["PTS"], other["teams"][1 - own]["PTS"]
        rows.append((scores[0] > scores[1], own == 0, scores[0], other["names"][1 - own]))
    for suffix, part in (("", rows), ("_BEFORE", rows[1:])):
        length = 0
        while length < len(part) and part[length][0] == part[0][0]:
            length += 1
        if length >= 2 and (complete or length < len(part)):
            word = "WIN" if part[0][0] else "LOSS"
            facts[f"TEAM-{word}_STREAK{suffix}"] = length
            if not suffix and length <= 15:
                facts[f"TEAM-{word}_NTH"] = NTH[length - 1]
    for number in range(2, 16):
        if len(rows) >= number:
            wins = sum(row[0] for row in rows[:number])
            facts[f"TEAM-GAMES_LAST{number}"] = number
            facts[f"TEAM-WINS_LAST{number}"] = wins
            facts[f"TEAM-LOSSES_LAST{number}"] = number - wins
    if complete:
        for place, at_home in (("HOME", True), ("ROAD", False)):
            results = [row[0] for row in rows if row[1] == at_home]
            if results:
                facts |= {f"TEAM-{place}_WINS": results.count(True), f"TEAM-{place}_LOSSES": results.count(False)}
                facts[f"TEAM-{place}_GAMES"] = len(results)
        if len(rows) > 1:
            facts["TEAM-AVG_PTS"] = half_up([row[2] for row in rows])
        results = [row[0] for row in rows if row[3] == rival]
        facts |= {"TEAM-SERIES_WINS": results.count(True), "TEAM-SERIES_LOSSES": results.count(False)}
        facts["TEAM-SERIES_GAMES"] = len(results)
    for row in rows[1:]:
        if row[3] == rival:
            facts |= {"TEAM-MEETING_PTS": row[2], "TEAM-MEETING_RESULT": "won" if row[0] else "lost"}
            break
    if earlier:
        facts["TEAM-LAST_OPPONENT"] = rows[1][3]
        facts["TEAM-LAST_RESULT"] = "won" if rows[1][0] else "lost"
        facts["TEAM-LAST_WEEKDAY"] = DAYS[earlier[0]["date"].weekday()]
        facts["TEAM-REST_DAYS"] = (game["date"] - earlier[0]["date"]).days - 1
    return facts | _next_game(game, side, games, schedule)


def _next_game(game: dict, side: int, games: list[dict], schedule: list[tuple] | None) -> dict:
    name, team = game["names"][side], game["teams"][side]
    coming = schedule or []
    if schedule is None:
        for other in games:
            if name in other["names"]:
                its = other["teams"][other["names"].index(name)]
                if its["WINS"] + its["LOSSES"] == team["WINS"] + team["LOSSES"] + 1:
                    coming.append((other["date"], other["names"], [each["CITY"] for each in other["teams"]]))
    coming = [row for row in coming if name in row[1] and 0 < (row[0] - game["date"]).days <= 11]
    if not coming:
        return {}
    date, names, cities = min(coming, key=lambda row: row[0])
    own = list(names).index(name)
    return {
        **{"TEAM-NEXT_OPPONENT": names[1 - own], "TEAM-NEXT_CITY": cities[1 - own]},
        **{"TEAM-NEXT_WEEKDAY": DAYS[date.weekday()], "TEAM-NEXT_PLACE": ["home", "road"][own]},
    }


def season_of_players(game: dict, games: list[dict]) -> list[dict]:
    """The group `season` of all players, without the totals and averages that are no records."""
    appearances: dict = {}
    for other in sorted(games, key=lambda other: other["date"], reverse=True):
        if other["date"] < game["date"] and season_year(other["date"]) == season_year(game["date"]):
            for player in other["players"]:
                if player["played"]:
                    appearances.setdefault(one_name(player["name"]), []).append(player)
    complete = [earlier_games(game, side, games)[1] for side in (0, 1)]
    found = []
    for player in game["players"]:
        facts: dict = {}
        found.append(facts)
        if not player["played"] or not complete[player["side"]]:
            continue
        played = [player, *appearances.get(one_name(player["name"]), [])]
        for column in ("PTS", "REB", "AST"):
            numbers = [each[column] for each in played]
            if len(numbers) > 1:
                facts[f"AVG_{column}"] = half_up(numbers)
            if len(numbers) >= 5:
                facts[f"AVG_{column}_LAST5"] = half_up(numbers[:5])
            if len(numbers) > 5 and all(numbers[0] > number for number in numbers[1:]):
                facts[f"SEASON_HIGH_{column}"] = "season - high"
        doubles = [sum(each[c] >= 10 for c in ("PTS", "REB", "AST", "STL", "BLK")) > 1 for each in played]
        twenties = [each["PTS"] >= 20 for each in played]
        for name, reached in (("DOUBLE", doubles), ("TWENTY", twenties)):
            length = (reached + [False]).index(False)
            if length > 1:
                facts[f"{name}_STREAK"] = length
                facts[f"{name}_STREAK_NTH"] = nth(length)
        if doubles[0]:
            facts["DOUBLE_COUNT"] = doubles.count(True)
    return found
