"""The next game: opponent, day and place."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import ANTHONY


CASES = [
    (ANTHONY + "The Knicks next host the Atlanta Hawks on Friday.", "Atlanta Hawks", TRUE, None),
    (ANTHONY + "The Knicks next host the Boston Celtics on Friday.", "Boston Celtics", FALSE, "Atlanta Hawks"),
    (ANTHONY + "The Knicks next host the Atlanta Hawks on Sunday.", "Sunday", FALSE, "Friday"),
    (ANTHONY + "The Knicks travel to face the Atlanta Hawks on Friday.", "travel", FALSE, "at home"),
    (ANTHONY + "The Knicks host the Atlanta Hawks on Friday.", "Atlanta Hawks", TRUE, None),
    (ANTHONY + "The Knicks host the Atlanta Hawks on Friday.", "host", TRUE, None),
    (ANTHONY + "The Knicks visit the Atlanta Hawks on Friday.", "visit", FALSE, "at home"),
    (ANTHONY + "The Knicks host the Boston Hawks on Friday.", "Boston Hawks", FALSE, "Atlanta Hawks"),
    (
        ANTHONY + "The Knicks host the Hawks on Friday, and the Bucks are at the Wizards on Sunday.",
        "Sunday",
        TRUE,
        None,
    ),
    (
        ANTHONY + "The Knicks host the Hawks on Friday, and the Bucks are at the Wizards on Monday.",
        "Monday",
        FALSE,
        "Sunday",
    ),
    (ANTHONY + "The Bucks host the Hawks on Friday, and the Knicks are at the Wizards.", "Hawks", FALSE, "Wizards"),
    (ANTHONY + "The Knicks, 4-9 on the road, go home to face the Hawks on Friday.", "home", TRUE, None),
    (ANTHONY + "The Bucks return home to face the Wizards on Sunday.", "home", FALSE, "away"),
    (ANTHONY + "The Bucks go on the road Sunday against the Wizards.", "Wizards", TRUE, None),
    (ANTHONY + "The Bucks are off until Sunday, when they visit the Wizards.", "Wizards", TRUE, None),
    (ANTHONY + "They host the Atlanta Hawks on Friday.", "Atlanta Hawks", TRUE, None),
    (ANTHONY + "They host the Utah Jazz on Friday.", "Utah Jazz", FALSE, "Atlanta Hawks"),
    (
        ANTHONY + "The Knicks host the Hawks on Friday, and the Bucks visit the Wizards the same day.",
        "same day",
        FALSE,
        "Sunday",
    ),
    (
        ANTHONY + "The Knicks host the Hawks on Friday, and the Bucks visit the Wizards two days later.",
        "two days later",
        TRUE,
        None,
    ),
    (
        ANTHONY + "Both teams play on Friday, the Knicks at home against the Hawks and the Bucks at the Wizards.",
        "Friday",
        FALSE,
        "Sunday",
    ),
    (
        ANTHONY + "Both teams play soon, the Knicks at home against the Hawks and the Bucks next at the Wizards.",
        "Hawks",
        TRUE,
        None,
    ),
    (ANTHONY + "The Bucks travel to Washington to take on the Wizards on Sunday.", "Wizards", TRUE, None),
    (ANTHONY + "The Bucks travel to Washington to take on the Jazz on Sunday.", "Jazz", FALSE, "Wizards"),
    (ANTHONY + "The Knicks will travel to Atlanta to face the Hawks on Friday.", "travel", FALSE, "at home"),
    (ANTHONY + "The Knicks will travel to Atlanta to face the Hawks on Friday.", "to", None, None),
    (ANTHONY + "The Bucks play host to the Wizards on Sunday.", "host", FALSE, "away"),
    (ANTHONY + "The Bucks remain home and await the Wizards on Sunday.", "home", FALSE, "away"),
    (ANTHONY + "The two teams meet again on Friday.", "again", FALSE, None),
    (ANTHONY + "The Bucks, 2-0 against the Knicks this season, visit the Wizards on Sunday.", "Wizards", TRUE, None),
    (ANTHONY + "The Bucks visited the Jazz on Sunday.", "Jazz", None, None),
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
        ANTHONY + "The Bucks visit the Wizards on Sunday, and the Bucks then host the Spurs on Tuesday.",
        ANTHONY + "The Bucks, 9-9 at home, visit the Wizards on Sunday.",
        ANTHONY + "He will be back home on Friday when the Knicks face the Hawks.",
    ],
)
def test_outlooks_of_several_games_are_not_false(false_parts, text):
    assert false_parts(text) == []
