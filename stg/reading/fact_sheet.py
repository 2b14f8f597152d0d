"""A game as one page of plain text, for people and language models who write or judge recaps."""

from collections.abc import Iterable

from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import QUARTERS


_NAME_WIDTH = 22  # of the players' column, unless a name is longer
_COLUMNS = ("MIN", "PTS", "REB", "AST", "STL", "BLK", "TO")
_SHOTS = {"FG": ("FGM", "FGA"), "3P": ("FG3M", "FG3A"), "FT": ("FTM", "FTA")}
_REMARKS = {  # facts of a player in words
    "DOUBLE_STREAK": "{} double-doubles in a row",
    "TWENTY_STREAK": "{} games in a row with 20+ points",
    "SEASON_HIGH_PTS": "season-high PTS",
    "SEASON_HIGH_REB": "season-high REB",
    "SEASON_HIGH_AST": "season-high AST",
}


def fact_sheet(facts: GameFacts) -> str:
    """The line score, team totals, season and players of a game.

    Example:
        >>> print(fact_sheet(GameFacts(game, season)))
        Milwaukee Bucks at New York Knicks, Wednesday 2017-01-04, Madison Square Garden
        ...
    """
    game = facts.game
    where = (facts.value(0, "TEAM-VENUE") or facts.value(0, "TEAM-ARENA") or "").replace(" & ", "&")
    title = f"{game.visitor.full_name} at {game.home.full_name}, {facts.value(0, 'TEAM-WEEKDAY')} {game.date}"
    lines = [f"{title}, {where}" if where else title, *_line_score(facts)]
    for team in (1, 0):
        lines += ["", *_team(facts, team), *_players(facts, team)]
    return "\n".join(lines) + "\n"


def _line_score(facts: GameFacts) -> list[str]:
    game = facts.game
    overtimes = facts.number(0, "TEAM-OVERTIMES")  # None also if minutes are missing
    is_overtime = facts.value(0, "TEAM-ENDED_IN") == "overtime"
    width = max(len(game.entities[team].name) for team in (0, 1))
    rows = [f"{'':{width}}  Q1  Q2  Q3  Q4{'  OT' if is_overtime else ''}  total"]
    for team in (1, 0):
        cells = [facts.value(team, quarter) or "?" for quarter in QUARTERS]
        cells += [facts.value(team, "TEAM-PTS_OT") or "?"] if is_overtime else []
        row = "".join(f"{cell:>4}" for cell in cells)
        rows.append(f"{game.entities[team].name:{width}}{row}{facts.value(team, 'TEAM-PTS') or '?':>7}")
    if overtimes:
        rows.append(f"({overtimes} overtime{'s' if overtimes > 1 else ''})")
    scores = {"after Q1": "TEAM-PTS_QTR1", "halftime": "TEAM-PTS_H1", "after Q3": "TEAM-PTS_AFTER_Q3"}
    scores |= {"end of regulation": "TEAM-PTS_AFTER_Q4"} if is_overtime else {}
    breaks = []
    for when, attribute in scores.items():
        points = [facts.value(team, attribute) for team in (1, 0)]
        if None not in points:
            breaks.append(f"{when} {game.visitor.name} {points[0]}, {game.home.name} {points[1]}")
    return rows + (["Score " + "; ".join(breaks)] if breaks else [])


def _team(facts: GameFacts, team: int) -> list[str]:
    game = facts.game
    entity = game.entities[team]
    result = facts.value(team, "TEAM-RESULT") or "result unknown"
    record = "-".join(facts.value(team, name) or "?" for name in ("TEAM-WINS", "TEAM-LOSSES"))
    place = facts.value(team, "TEAM-PLACE")
    head = f"{entity.full_name.upper()}: {result}, {place} team, record after the game {record}"
    shots = [
        f"{name} {_made(facts, team, columns, 'TEAM-')}{_percent(facts, team, name)}"
        for name, columns in _SHOTS.items()
    ]
    rest = {
        **{"rebounds": "TEAM-REB", "offensive": "TEAM-OREB", "assists": "TEAM-AST", "turnovers": "TEAM-TOV"},
        **{"steals": "TEAM-STL", "blocks": "TEAM-BLK", "bench points": "TEAM-PTS_BENCH"},
        "players in double figures": "TEAM-DOUBLE_FIGURES",
        **{"points in the paint": "TEAM-PTS_PAINT", "fast-break points": "TEAM-PTS_FAST_BREAK"},
    }
    totals = [
        f"{name} {facts.value(team, attribute)}" for name, attribute in rest.items() if facts.value(team, attribute)
    ]
    return [head, "  Team: " + ", ".join(shots + totals), *_season(facts, team)]


def _season(facts: GameFacts, team: int) -> Iterable[str]:
    def value(name: str) -> str | None:
        return facts.value(team, f"TEAM-{name}")

    said = []
    for name, word in (("WIN", "won"), ("LOSS", "lost")):
        if value(f"{name}_STREAK"):
            said.append(f"has {word} {value(f'{name}_STREAK')} in a row including this one")
        if value(f"{name}_STREAK_BEFORE"):
            said.append(f"had {word} {value(f'{name}_STREAK_BEFORE')} in a row before this one")
    for games in (5, 10):
        if value(f"WINS_LAST{games}"):
            said.append(f"{value(f'WINS_LAST{games}')}-{value(f'LOSSES_LAST{games}')} in the last {games}")
    for place, words in (("HOME", "at home"), ("ROAD", "on the road")):
        if value(f"{place}_WINS"):
            said.append(f"{value(f'{place}_WINS')}-{value(f'{place}_LOSSES')} {words}")
    if value("SERIES_WINS"):
        said.append(f"{value('SERIES_WINS')}-{value('SERIES_LOSSES')} against this opponent this season")
    if value("NEXT_OPPONENT"):
        place = "at home against" if value("NEXT_PLACE") == "home" else "at"
        said.append(f"NEXT: {place} the {value('NEXT_CITY')} {value('NEXT_OPPONENT')} on {value('NEXT_WEEKDAY')}")
    if said:
        yield "  Season: " + "; ".join(said)


def _players(facts: GameFacts, team: int) -> Iterable[str]:
    game = facts.game
    own = [at for at in range(2, len(game.entities)) if game.team_of(at) == team and game.entities[at].did_play]
    width = max([_NAME_WIDTH, *(len(game.entities[at].name) + 1 for at in own)])
    yield "  " + f"{'':{width}}{'role':8}" + "".join(f"{column:>5}" for column in _COLUMNS) + "     FG     3P     FT"
    for at in sorted(own, key=lambda player: -(facts.number(player, "PTS") or 0)):
        cells = "".join(f"{facts.value(at, column) or '?':>5}" for column in _COLUMNS)
        shots = "".join(f"{_made(facts, at, columns):>7}" for columns in _SHOTS.values())
        who = f"  {game.entities[at].name:{width}}{facts.value(at, 'ROLE') or '?':8}"
        yield f"{who}{cells}{shots}  {_remarks(facts, at)}".rstrip()


def _remarks(facts: GameFacts, player: int) -> str:
    double = facts.value(player, "DOUBLE")
    said = [double.replace(" - ", "-")] if double else []
    for attribute, words in _REMARKS.items():
        value = facts.value(player, attribute)
        if value and (not value.isdecimal() or int(value) > 1):
            said.append(words.format(value))
    return ", ".join(said)


def _made(facts: GameFacts, entity: int, columns: tuple[str, str], prefix: str = "") -> str:
    return "-".join(facts.value(entity, f"{prefix}{column}") or "?" for column in columns)


def _percent(facts: GameFacts, team: int, shot: str) -> str:
    attribute = {"FG": "TEAM-FG_PCT", "3P": "TEAM-FG3_PCT", "FT": "TEAM-FT_PCT"}[shot]
    return f" ({facts.value(team, attribute)}%)" if facts.value(team, attribute) else ""
