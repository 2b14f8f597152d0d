"""The weekday and the arena of the game."""

import pytest

from stg.checking.findings import FALSE, TRUE
from tests.stg.checking.conftest import FIRST


CASES = [
    (FIRST, "Wednesday", TRUE, None),
    (FIRST.replace("Wednesday", "Friday"), "Friday", FALSE, "Wednesday"),
    (FIRST, "Madison Square Garden", TRUE, None),
    (FIRST.replace("Madison Square Garden", "Barclays Center"), "Barclays Center", FALSE, "Madison Square Garden"),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_weekdays_and_arenas_are_those_of_the_game(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "The Bucks, who lost to the Wizards on Monday, beat the Knicks 105-104 on Wednesday.",
        "The Bucks beat the Knicks 105-104 on Wednesday night and the teams meet again Friday in Milwaukee.",
        "The Bucks won. The Knicks had won at Barclays Center last month.",
        "The Bucks won. The Bucks beat the Nets at Barclays Center on Sunday.",
    ],
)
def test_days_and_arenas_of_other_games_are_not_false(false_parts, text):
    assert false_parts(text) == []
