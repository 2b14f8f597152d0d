"""The previous game, and the season series. The Knicks lost to the Wizards on Monday."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import ANTHONY


CASES = [
    (ANTHONY + "The Knicks were unlucky after losing to the Wizards on Monday.", "Wizards", TRUE, None),
    (ANTHONY + "The Knicks were unlucky after losing to the Wizards on Monday.", "Monday", TRUE, None),
    (ANTHONY + "The Knicks were unlucky after losing to the Hawks on Monday.", "Hawks", None, None),  # an older game
    (ANTHONY + "The Knicks are two games behind the Wizards after the loss.", "Wizards", None, None),
    (ANTHONY + "The Wizards scored more.", "Wizards", None, None),
]
SERIES = [
    ("The Knicks trail in the season series, 0-1.", "1", TRUE, None),
    ("The Knicks trail in the season series, 0-2.", "2", FALSE, "1"),
    ("The Knicks went on a 0-1 run.", "1", UNKNOWN, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_previous_games(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), SERIES)
def test_season_series(verdict_in_short_season, text, piece, verdict, truth):
    assert verdict_in_short_season(text, piece) == (verdict, truth)
