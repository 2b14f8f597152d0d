"""The facts beyond box-score cells: their names, groups and meanings. `game_facts.py` computes them.

A model reads the groups it was trained with; with none it has the paper's own inputs. To add a fact, describe it here
and compute it in the module of its group.
"""

from typing import NamedTuple

from .numbers import ordinal
from .schema import DOUBLE_COLUMNS, NUMBER_ATTRIBUTES, PLAYER_ATTRIBUTES, QUARTERS, SHOTS, TEAM_ATTRIBUTES


class FactKind(NamedTuple):
    """One attribute.

    Args:
        group: the group it is computed and configured with.
        meaning: what it is, for people: "lead after three quarters".
        symbol: joins the values of its sources into a formula: " - ", " + ", or ", ".
        is_number: whether its value is a number, which may be written in digits or as a word.
        is_stated: whether a recap may state it; otherwise it is an input only.
        is_record: whether models read it; the others are for annotation and checking alone.
    """

    group: str
    meaning: str
    symbol: str = ", "
    is_number: bool = True
    is_stated: bool = True
    is_record: bool = True


WEEKDAY = "TEAM-WEEKDAY"
MOST_GAMES = 15  # longer stretches ("12 of their last 20") are not computed
ORDINALS = tuple(ordinal(number) for number in range(1, MOST_GAMES + 1))
RECENT = (5, 10)  # the stretches that are records: "won four of their last five"
HIGH_COLUMNS = ("PTS", "REB", "AST", "STL", "BLK", "MIN")
AVERAGED = ("PTS", "REB", "AST")
BREAKS = {"Q1": 1, "H1": 2, "Q3": 3}  # breaks at which a team may lead -> quarters played
PERIODS = {  # parts of a game whose points are compared -> their quarters; overtime has none
    **{"Q2": QUARTERS[1:2], "Q3": QUARTERS[2:3], "Q4": QUARTERS[3:]},
    **{"H2": QUARTERS[2:], "OT": ()},
}
_BREAK_NAMES = {"Q1": "after the first quarter", "H1": "at halftime", "Q3": "after three quarters"}
_PERIOD_NAMES = {
    **{"Q2": "the second quarter", "Q3": "the third quarter", "Q4": "the fourth quarter"},
    **{"H2": "the second half", "OT": "overtime"},
}
SUMMED = {  # columns of players that add up to a team's
    **{"FGM": "shots made", "FGA": "shots taken", "FG3M": "threes made", "FG3A": "threes taken"},
    **{"FTM": "free throws made", "FTA": "free throws taken"},
    **{"OREB": "offensive rebounds", "STL": "steals", "BLK": "blocks"},
}
EDGES = {  # attribute -> its meaning; the team with more has the fact, with fewer for turnovers
    "TEAM-REB": "rebounds more than the opponent",
    "TEAM-AST": "assists more than the opponent",
    "TEAM-TOV": "turnovers fewer than the opponent",
    "TEAM-FG_PCT": "percentage points better from the field",
    "TEAM-FG3_PCT": "percentage points better from three",
    "TEAM-PTS_BENCH": "bench points more than the opponent",
}
SUMMED_EDGES = {f"TEAM-{column}": f"more {noun} than the opponent" for column, noun in SUMMED.items()}  # for checking
FEED_TEAM = {
    "TEAM-LARGEST_LEAD": "largest lead",
    "TEAM-PTS_PAINT": "points in the paint",
    "TEAM-PTS_FAST_BREAK": "fast-break points",
    "TEAM-PTS_OFF_TOV": "points off turnovers",
}


def edge(attribute: str) -> str:
    """The name of the advantage in an attribute: "TEAM-REB_EDGE"."""
    return f"{attribute}_EDGE"


def missed(shot: str) -> str:
    """The name of a player's missed shots; a team's has the team prefix: "FG3_MISSED"."""
    return f"{shot}_MISSED"


def _text(group: str, meaning: str, symbol: str = ", ", is_stated: bool = True, is_record: bool = True) -> FactKind:
    return FactKind(group, meaning, symbol, is_number=False, is_stated=is_stated, is_record=is_record)


def _result() -> dict[str, FactKind]:
    """What the first released weights read. Only the weekday is stated; `line_score` has margins that are."""
    inputs = {
        "TEAM-RESULT": _text("result", "won or lost", " - ", is_stated=False),
        "TEAM-MARGIN": FactKind("result", "final margin", " - ", is_stated=False),
        "TEAM-PTS_HALF": FactKind("result", "points in the first half", " + ", is_stated=False),
        "TEAM-HALF": _text("result", "ahead or behind at halftime", " - ", is_stated=False),
        WEEKDAY: _text("result", "day of the game"),
    }
    for number, quarter in enumerate(QUARTERS, 1):
        name = f"TEAM-{quarter.removeprefix('TEAM-PTS_')}"
        inputs[name] = _text("result", f"quarter {number} won or lost", " - ", is_stated=False)
    return inputs


def _line_score() -> dict[str, FactKind]:
    kinds = {
        "TEAM-PLACE": _text("line_score", "at home or on the road", " at "),
        "TEAM-OVERTIMES": FactKind("line_score", "overtime periods"),
        "TEAM-WON_BY": FactKind("line_score", "won by", " - "),
        "TEAM-LOST_BY": FactKind("line_score", "lost by", " - "),
        "TEAM-PTS_H1": FactKind("line_score", "points in the first half", " + "),
        "TEAM-PTS_H2": FactKind("line_score", "points in the second half", " + "),
        "TEAM-PTS_OT": FactKind("line_score", "points in overtime", " - "),
        "TEAM-PTS_AFTER_Q3": FactKind("line_score", "points after three quarters", " + "),
        "TEAM-PTS_AFTER_Q4": FactKind("line_score", "points after regulation", " + "),
        "TEAM-BEST_QTR": _text("line_score", "its quarter with the most points"),
        "TEAM-ENDED_IN": _text("line_score", "ended in regulation or overtime", is_record=False),
        "TEAM-ARENA": _text("line_score", "the home team's court"),
    }
    for name, when in _BREAK_NAMES.items():
        kinds[f"TEAM-LEAD_{name}"] = FactKind("line_score", f"lead {when}", " - ")
        kinds[f"TEAM-DEFICIT_{name}"] = FactKind("line_score", f"deficit {when}", " - ")
        kinds[f"TEAM-TIED_{name}"] = _text("line_score", f"tied {when}", " - ", is_record=False)
    for name, period in _PERIOD_NAMES.items():
        kinds[f"TEAM-WON_BY_{name}"] = FactKind("line_score", f"won {period} by", " - ")
        kinds[f"TEAM-LOST_BY_{name}"] = FactKind("line_score", f"lost {period} by", " - ")
        kinds[f"TEAM-TIED_IN_{name}"] = _text("line_score", f"as many points in {period}", " - ", is_record=False)
    return kinds


def _totals() -> dict[str, FactKind]:
    kinds = {f"TEAM-{column}": FactKind("totals", f"team {noun}", " + ") for column, noun in SUMMED.items()}
    kinds["TEAM-PTS_BENCH"] = FactKind("totals", "points by reserves", " + ")
    kinds["TEAM-PTS_STARTERS"] = FactKind("totals", "points by starters", " + ")
    kinds["TEAM-DOUBLE_FIGURES"] = FactKind("totals", "players with ten points or more")
    for role in ("starters", "reserves"):
        kinds[f"TEAM-DOUBLE_FIGURES_{role.upper()}"] = FactKind(
            "totals", f"{role} with ten points or more", is_record=False
        )
    kinds |= {edge(attribute): FactKind("totals", meaning, " - ") for attribute, meaning in EDGES.items()}
    kinds |= {
        edge(attribute): FactKind("totals", meaning, " - ", is_record=False)
        for attribute, meaning in SUMMED_EDGES.items()
    }
    for shot in SHOTS:
        kinds[f"TEAM-{missed(shot)}"] = FactKind("totals", f"{shot} missed by the team", " - ", is_record=False)
    for name, noun in (("SCORER", "points"), ("REBOUNDER", "rebounds"), ("ASSISTER", "assists")):
        kinds[f"TEAM-TOP_{name}"] = _text("totals", f"most {noun} on the team", is_stated=False)
    return kinds


def _players() -> dict[str, FactKind]:
    kinds = {
        "DOUBLE": _text("players", "double figures in two columns, or three"),
        "ROLE": _text("players", "started, or came off the bench"),
        "BENCH_HIGH_PTS": _text("players", "most PTS of the team's reserves", is_record=False),
        "STARTER_HIGH_PTS": _text("players", "most PTS of the team's starters", is_record=False),
        "PTS_NTH": _text("players", "place by points on his team; equals share it", is_record=False),
    }
    for shot in SHOTS:
        kinds[missed(shot)] = FactKind("players", f"{shot} missed", " - ", is_record=False)
    for column in HIGH_COLUMNS:
        for scope in ("team", "game"):
            kind = _text("players", f"most {column} of the {scope}")
            kinds[f"{scope.upper()}_HIGH_{column}"] = kind._replace(is_record=column in AVERAGED)
    return kinds


def _season_of_team() -> dict[str, FactKind]:
    kinds = {}
    for result, past in (("WIN", "won"), ("LOSS", "lost")):
        kinds[f"TEAM-{result}_STREAK"] = FactKind("season", f"games {past} in a row, this one included")
        kinds[f"TEAM-{result}_STREAK_BEFORE"] = FactKind("season", f"games {past} in a row before this one")
        kinds[f"TEAM-{result}_NTH"] = _text("season", f"which game in a row that it {past}")
    for games in range(2, MOST_GAMES + 1):
        for name, meaning in (("WINS", "games won of"), ("LOSSES", "games lost of"), ("GAMES", "number of")):
            last = f"{meaning} the last {games}"
            kinds[f"TEAM-{name}_LAST{games}"] = FactKind("season", last, is_record=games in RECENT)
            kinds[f"TEAM-{name}_LAST{games}_BEFORE"] = FactKind("season", f"{last} before this one", is_record=False)
    for place, where in (("HOME", "at home"), ("ROAD", "on the road")):
        for result in ("WINS", "LOSSES"):
            kinds[f"TEAM-{place}_{result}"] = FactKind("season", f"{result.lower()} {where} this season")
        kinds[f"TEAM-{place}_GAMES"] = FactKind("season", f"games {where} this season", is_record=False)
    return kinds | {
        "TEAM-AVG_PTS": FactKind("season", "points per game this season"),
        "TEAM-MEETING_PTS": FactKind("season", "points in the previous meeting"),
        "TEAM-MEETING_RESULT": _text("season", "result of the previous meeting", " - ", is_stated=False),
        "TEAM-SERIES_WINS": FactKind("season", "wins against this opponent this season"),
        "TEAM-SERIES_LOSSES": FactKind("season", "losses to this opponent this season"),
        "TEAM-SERIES_GAMES": FactKind("season", "games against this opponent this season", is_record=False),
        "TEAM-LAST_OPPONENT": _text("season", "opponent of the previous game"),
        "TEAM-LAST_WEEKDAY": _text("season", "day of the previous game"),
        "TEAM-LAST_RESULT": _text("season", "result of the previous game", " - ", is_stated=False),
        "TEAM-REST_DAYS": FactKind("season", "days without a game before this one"),
        "TEAM-NEXT_OPPONENT": _text("season", "next opponent"),
        "TEAM-NEXT_CITY": _text("season", "city of the next opponent"),
        "TEAM-NEXT_WEEKDAY": _text("season", "day of the next game"),
        "TEAM-NEXT_PLACE": _text("season", "next game at home or on the road", " at "),
        "TEAM-NEXT_REST_DAYS": FactKind("season", "days without a game before the next one", is_record=False),
    }


def _season_of_player() -> dict[str, FactKind]:
    kinds = {}
    for column in DOUBLE_COLUMNS:
        of_season, of_games = f"{column} per game this season", f"{column} per game in the last {{}} games"
        kinds[f"AVG_{column}"] = FactKind("season", of_season, is_record=column in AVERAGED)
        kinds[f"MEAN_{column}"] = _text("season", f"{of_season}, to one decimal", is_record=False)
        if column in AVERAGED:
            kinds[f"SEASON_HIGH_{column}"] = _text("season", f"more {column} than in any earlier game this season")
            kinds[f"SEASON_MOST_{column}"] = FactKind("season", f"his most {column} in a game", is_record=False)
        for games in range(2, MOST_GAMES + 1):
            last, is_record = of_games.format(games), column in AVERAGED and games == RECENT[0]
            kinds[f"AVG_{column}_LAST{games}"] = FactKind("season", last, is_record=is_record)
            kinds[f"MEAN_{column}_LAST{games}"] = _text("season", f"{last}, to one decimal", is_record=False)
            total = f"{column} in the last {games} games"
            kinds[f"TOTAL_{column}_LAST{games}"] = FactKind("season", total, is_record=False)
    return kinds | {
        "DOUBLE_STREAK": FactKind("season", "double-doubles in a row"),
        "TWENTY_STREAK": FactKind("season", "games with 20 points or more in a row"),
        "TWENTY_STREAK_NTH": _text("ordinals", "which game with 20 points or more in a row"),
        "DOUBLE_COUNT": FactKind("season", "double-doubles this season"),
        "DOUBLE_NTH": _text("season", "which double-double this season", is_record=False),
        "DOUBLE_STREAK_NTH": _text("ordinals", "which double-double in a row"),
        "TRIPLE_NTH": _text("season", "which triple-double this season", is_record=False),
    }


def _feed() -> dict[str, FactKind]:
    return {
        **{attribute: FactKind("feed", meaning) for attribute, meaning in FEED_TEAM.items()},
        "TEAM-VENUE": _text("feed", "where the game was played"),
        "TEAM-ATTENDANCE": FactKind("feed", "attendance"),
        "TEAM-LEAD_CHANGES": FactKind("feed", "lead changes"),
        "TEAM-TIES": FactKind("feed", "ties"),
    }


TEAM_FACTS: dict[str, FactKind] = {**_result(), **_line_score(), **_totals(), **_season_of_team(), **_feed()}
PLAYER_FACTS: dict[str, FactKind] = {
    "RESULT": _text("result", "his team won or lost", is_stated=False),
    "TEAM_NAME": _text("result", "his team", is_stated=False),
    "RANK": FactKind("result", "rank by points on his team", is_stated=False),
    "DOUBLES": FactKind("result", "columns in double figures", is_stated=False),
    **_players(),
    **_season_of_player(),
}
FACT_KINDS: dict[str, FactKind] = {**TEAM_FACTS, **PLAYER_FACTS}
OF_SEASON = ("season", "ordinals")  # groups that need other games; "ordinals" has a player's streaks as "fifth"
GROUPS = tuple(dict.fromkeys(kind.group for kind in FACT_KINDS.values()))


def attribute_lists(groups: tuple[str, ...] | list[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of teams and of players that a model with these groups of facts reads: cells, then facts."""
    team, player = (
        tuple(attribute for attribute, kind in kinds.items() if kind.is_record and kind.group in groups)
        for kinds in (TEAM_FACTS, PLAYER_FACTS)
    )
    return TEAM_ATTRIBUTES + team, PLAYER_ATTRIBUTES + player


# Facts that decide which sentences can be written at all, whatever their values.
_DECISIVE = frozenset(
    [
        *(f"TEAM-{sign}_{name}" for name in BREAKS for sign in ("LEAD", "DEFICIT")),
        *("TEAM-OVERTIMES", "TEAM-WIN_STREAK", "TEAM-LOSS_STREAK", "TEAM-WINS_LAST5", "TEAM-MEETING_PTS"),
        *("TEAM-NEXT_PLACE", "DOUBLE", "ROLE", "DOUBLE_STREAK", "TWENTY_STREAK"),
    ]
)


def is_summarized(attribute: str) -> bool:
    """Whether an attribute is part of e-bar, an entity's summary: cells, the group `result`, and decisive facts.

    The others are there to be stated. Summed into e-bar, a hundred of them drown who won, and small training sets are
    memorised by them.
    """
    return attribute not in FACT_KINDS or FACT_KINDS[attribute].group == "result" or attribute in _DECISIVE


def is_number(attribute: str) -> bool:
    """Whether an attribute's values are numbers."""
    return attribute in NUMBER_ATTRIBUTES or (attribute in FACT_KINDS and FACT_KINDS[attribute].is_number)


def is_stated(attribute: str) -> bool:
    """Whether a recap may state an attribute; all cells may be stated."""
    return attribute not in FACT_KINDS or FACT_KINDS[attribute].is_stated
