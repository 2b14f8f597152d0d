"""Basketball box scores: columns, periods, limits, and the words for them. League names are in `nba.py`."""

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

# The parts of a full name in writing order
TEAM_FULL_NAME = ("TEAM-CITY", "TEAM-NAME")
PLAYER_FULL_NAME = ("FIRST_NAME", "SECOND_NAME")
NAME_ATTRIBUTES = ("FIRST_NAME", "SECOND_NAME", "TEAM-NAME", "TEAM-CITY")

ATTEMPTS = {"FGM": "FGA", "FG3M": "FG3A", "FTM": "FTA"}  # shots made -> attempts
SHOTS = ("FG", "FG3", "FT")  # with the suffixes M, A and _PCT
PERCENTAGES = {f"{shot}_PCT": (f"{shot}M", f"{shot}A") for shot in SHOTS}  # -> made, attempted
SHOT_POINTS = {"FGM": 2, "FG3M": 1, "FTM": 1}  # a three counts as a field goal too
DOUBLE_COLUMNS = ("PTS", "REB", "AST", "STL", "BLK")
DOUBLE_FIGURES = 10  # reached in two of DOUBLE_COLUMNS, a double-double
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAY_WORDS = tuple(day.lower() for day in WEEKDAYS)

# Which quarter a word before "quarter", "period" or "frame" means
QUARTER_WORDS = {"first": 1, "opening": 1, "second": 2, "third": 3, "fourth": 4, "final": 4}
QUARTER_MINUTES = 12

_NOUNS = {
    "PTS": "point points pts",
    "REB": "rebound rebounds board boards rebs",
    "AST": "assist assists dime dimes helper helpers",
    "STL": "steal steals theft thefts swipe swipes",
    "BLK": "block blocks rejection rejections swat swats",
    "TO": "turnover turnovers giveaway giveaways",
    "MIN": "minute minutes",
    "PF": "foul fouls",
    "FG3M": "threes treys trey 3-pointers three-pointers triples 3s",
    "FGM": "shots baskets buckets shot field",
    "FTM": "free ft",
    "FGA": "attempts",
    "PCT": "percent % percentage",
}
# What a number before a noun counts, as a column without team prefix; PCT is a percentage of any shot.
COLUMN_OF_NOUN = {noun: column for column, nouns in _NOUNS.items() for noun in nouns.split()}

SINGULARS = {  # nouns that are printed right after a number
    **{f"{noun}s": noun for noun in ("point", "rebound", "board", "assist", "steal", "block", "turnover", "minute")},
    **{f"{noun}s": noun for noun in ("foul", "three", "trey", "three-pointer", "3-pointer", "triple-double", "game")},
}
PLURALS = {singular: plural for plural, singular in SINGULARS.items()}

WRITERS = tuple(str(writer) for writer in range(32))  # of RotoWire-Modified, anonymous
UNKNOWN_WRITER = "unknown"
STYLES = ("wire", "story", "players", "numbers", "plain", "season")  # of our own recaps, the dataset's config `house`
ANY_STYLE = "any"  # as default writer: one of the styles, drawn for each game
WRITER_LABELS = (*WRITERS, UNKNOWN_WRITER, *STYLES)  # the dataset's numbers for writers

MOST_OVERTIMES = 10  # the longest game had six
STARTERS = 5  # of a team
MAX_PLAYERS = 40
MAX_NAME = 100  # characters

_TEAM_PREFIX = "TEAM-"
_TEAM_NAMES = {"TO": "TEAM-TOV"}  # the column of a team's turnovers has another name
# Published relation types are a team's columns as they are, and a player's with this prefix: "PLAYER-PTS".
_PLAYER_PREFIX = "PLAYER-"


_LIMITS = {"TEAM-PTS": 400, "TEAM-ATTENDANCE": 200_000}


def limit(attribute: str) -> int:
    """The largest value of a number column."""
    return 100 if attribute.endswith("_PCT") else _LIMITS.get(attribute, 200)


def weekday(date: datetime.date) -> str:
    """The English name of a date's weekday."""
    return WEEKDAYS[date.weekday()]


def relation_type(attribute: str) -> str:
    """The published relation type of a number column: "PLAYER-PTS" for "PTS", "TEAM-PTS" as it is."""
    return attribute if attribute.startswith(_TEAM_PREFIX) else f"{_PLAYER_PREFIX}{attribute}"


def attribute_of_type(relation_type: str) -> str:
    """The column of a published relation type, the inverse of `relation_type`."""
    return relation_type.removeprefix(_PLAYER_PREFIX)


def number_attribute(column: str, is_team: bool) -> str | None:
    """A column without team prefix as a team's or a player's attribute: "TEAM-PTS" or "PTS"; None if there is none."""
    attribute = _TEAM_NAMES.get(column, f"{_TEAM_PREFIX}{column}") if is_team else column
    return attribute if attribute in (TEAM_NUMBERS if is_team else PLAYER_NUMBERS) else None


def column_of(attribute: str) -> str:
    """An attribute's column without team prefix, the inverse of `number_attribute`."""
    return next(
        (column for column, name in _TEAM_NAMES.items() if name == attribute), attribute.removeprefix(_TEAM_PREFIX)
    )
