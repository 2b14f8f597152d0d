"""What a basketball box score is made of: its columns, periods, limits and roles. League names are in `nba.py`."""

import datetime


NOT_AVAILABLE = "N/A"
TEAM_TEXT = ("TEAM-NAME", "TEAM-CITY")
QUARTERS = ("TEAM-PTS_QTR1", "TEAM-PTS_QTR2", "TEAM-PTS_QTR3", "TEAM-PTS_QTR4")
TEAM_NUMBERS = (
    *("TEAM-WINS", "TEAM-LOSSES", "TEAM-PTS", *QUARTERS),
    *("TEAM-FG_PCT", "TEAM-FG3_PCT", "TEAM-FT_PCT", "TEAM-REB", "TEAM-AST", "TEAM-TOV"),
)
PLAYER_TEXT = ("FIRST_NAME", "SECOND_NAME", "TEAM_CITY", "START_POSITION")
PLAYER_NUMBERS = (
    *("MIN", "PTS", "FGM", "FGA", "FG_PCT", "FG3M", "FG3A", "FG3_PCT", "FTM", "FTA", "FT_PCT"),
    *("OREB", "DREB", "REB", "AST", "TO", "STL", "BLK", "PF"),
)
TEAM_ATTRIBUTES = TEAM_TEXT + TEAM_NUMBERS
PLAYER_ATTRIBUTES = PLAYER_TEXT + PLAYER_NUMBERS
NUMBER_ATTRIBUTES = frozenset(TEAM_NUMBERS + PLAYER_NUMBERS)

# Full names in the order they are written, of a team and of a player
TEAM_FULL_NAME = ("TEAM-CITY", "TEAM-NAME")
PLAYER_FULL_NAME = ("FIRST_NAME", "SECOND_NAME")
NAME_ATTRIBUTES = ("FIRST_NAME", "SECOND_NAME", "TEAM-NAME", "TEAM-CITY")

ATTEMPTS = {"FGM": "FGA", "FG3M": "FG3A", "FTM": "FTA"}  # by the shots made
DOUBLE_COLUMNS = ("PTS", "REB", "AST", "STL", "BLK")
DOUBLE_FIGURES = 10  # in two of DOUBLE_COLUMNS make a double-double
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAY_WORDS = tuple(day.lower() for day in WEEKDAYS)  # as rules over lower-case words want them

MAX_PLAYERS = 40
MAX_NAME = 100  # characters

# The published relation types name a team's columns as they are and a player's with this prefix: "PLAYER-PTS".
_PLAYER_PREFIX = "PLAYER-"


def limit(attribute: str) -> int:
    """The largest value that a number column may hold."""
    return 100 if attribute.endswith("_PCT") else 400 if attribute == "TEAM-PTS" else 200


def weekday(date: datetime.date) -> str:
    """The English name of a date's weekday."""
    return WEEKDAYS[date.weekday()]


def relation_type(attribute: str) -> str:
    """The published relation type of a number column: "PLAYER-PTS" for "PTS", "TEAM-PTS" as it is."""
    return attribute if attribute.startswith("TEAM-") else f"{_PLAYER_PREFIX}{attribute}"


def attribute_of_type(relation_type: str) -> str:
    """The column of a published relation type, the inverse of `relation_type`."""
    return relation_type.removeprefix(_PLAYER_PREFIX)
