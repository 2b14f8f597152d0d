"""A player's totals and averages over several games."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import ANTHONY


CASES = [
    (ANTHONY + "He has combined for 50 points over his last two games.", "50", TRUE, None),
    (ANTHONY + "He has combined for 60 points over his last two games.", "60", FALSE, "50"),
    (ANTHONY + "He is averaging 25 points over his last two games.", "25", TRUE, None),
    (ANTHONY + "He is averaging 29 points over his last two games.", "29", FALSE, "25.0"),
    (ANTHONY + "He is averaging 29 points over his career.", "29", UNKNOWN, None),
    (ANTHONY + "He is averaging 29 points over the past two weeks.", "29", UNKNOWN, None),
    (ANTHONY + "He averaged 29 points over his last two games of last season.", "29", UNKNOWN, None),
    (ANTHONY + "He has combined with Derrick Rose for 45 points.", "45", UNKNOWN, None),
]


@pytest.mark.parametrize(("points", "verdict", "truth"), [(21, TRUE, None), (24, FALSE, "21.4")])
def test_points_per_game(verdict_in_short_season, points, verdict, truth):
    text = f"{ANTHONY}He now has {points} points per game this season."
    assert verdict_in_short_season(text, str(points)) == (verdict, truth)
    other_year = text.replace("this season", "over his career")
    assert verdict_in_short_season(other_year, str(points)) == (UNKNOWN, None)


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_totals_and_averages_over_several_games(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)
