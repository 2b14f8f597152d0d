"""The next game: opponent, day and place."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import ANTHONY


CASES = [
    (ANTHONY + "The Knicks next host the Atlanta Hawks on Friday.", "Atlanta Hawks", TRUE, None),
    (ANTHONY + "The Knicks next host the Boston Celtics on Friday.", "Boston Celtics", FALSE, "Atlanta Hawks"),
    (ANTHONY + "The Knicks next host the Atlanta Hawks on Sunday.", "Sunday", FALSE, "Friday"),
    (ANTHONY + "The Knicks travel to face the Atlanta Hawks on Friday.", "travel", FALSE, "at home"),
    (ANTHONY + "The Bucks have three days off before they visit the Wizards.", "three", TRUE, None),
    (ANTHONY + "The Bucks have two days off before they visit the Wizards.", "two", UNKNOWN, None),
    (ANTHONY + "The Bucks had three days off this month.", "three", UNKNOWN, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_next_opponent_day_and_place(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        ANTHONY + "The Bucks will visit the Wizards on Sunday before returning home to host the Spurs on Tuesday.",
        ANTHONY + "Coming off Wednesday's win, the Bucks will travel to face the Wizards on Sunday.",
        ANTHONY + "The Knicks will host the Hawks on Friday and the Pelicans on Monday.",
        ANTHONY + "The Hawks visit the Knicks next on Friday.",
        ANTHONY + "He will be back home on Friday when the Knicks face the Hawks.",
    ],
)
def test_outlooks_of_several_games_are_not_false(false_parts, text):
    assert false_parts(text) == []
