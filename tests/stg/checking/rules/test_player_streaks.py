"""A player's streaks: Carmelo Anthony scored 20 or more in all seven games, with two double-doubles in a row."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import ANTHONY


CASES = [
    ("It was his seventh straight game with 20 or more points.", "seventh", TRUE, None),
    ("It was his seventh straight game with 20 or more points.", "20", TRUE, None),
    ("It was his seventh game in a row with 20 points or more.", "seventh", TRUE, None),
    ("It was his sixth straight game with 20 or more.", "sixth", FALSE, "seventh"),
    ("He reached 20 points for the 8th straight game.", "8th", FALSE, "seventh"),
    ("He has scored 20 or more in seven straight games.", "seven", TRUE, None),
    ("He has scored 20 or more in five straight games.", "five", FALSE, "7"),
    ("It was his seventh straight game with 25 or more points.", "seventh", None, None),
    ("He now has two double-doubles in a row.", "two", TRUE, None),
    ("He now has three straight double-doubles.", "three", FALSE, "2"),
    ("He had a double-double. He has done so in two straight games.", "two", TRUE, None),
    ("He had a double-double. He has done so in three straight games.", "three", FALSE, "2"),
    ("He scored 30 points. He has done so in three straight games.", "three", UNKNOWN, None),
    ("He snapped a streak of five straight games with 20 or more.", "five", UNKNOWN, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_streaks_of_a_player(verdict_in_short_season, text, piece, verdict, truth):
    assert verdict_in_short_season(ANTHONY + text, piece) == (verdict, truth)
