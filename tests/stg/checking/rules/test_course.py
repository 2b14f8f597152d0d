"""The course of a game. Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105."""

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import course
from tests.stg.checking.conftest import FIRST


RULES = (
    course.pulled_away,
    course.battled_back,
    course.coasted,
    course.throughout,
    course.neither_by_more,
    course.game_of_points,
    course.superior_shooters,
)
CASES = [
    ("The Bucks were able to pull away in the fourth quarter.", "pull away", TRUE, None),
    ("The Bucks were able to pull away in the third quarter.", "pull away", FALSE, None),
    ("The Knicks were able to pull away in the fourth quarter.", "pull away", FALSE, None),
    ("The Bucks battled back in the fourth quarter.", "battled back", TRUE, None),
    ("The Bucks battled back in the second half.", "battled back", TRUE, None),
    ("The Knicks battled back in the fourth quarter.", "battled back", FALSE, None),
    ("The Bucks were able to coast to a victory.", "coast to", FALSE, None),
    ("The Knicks coasted to a victory.", "coasted to", FALSE, None),
    ("The Bucks never trailed.", "never trailed", FALSE, None),
    ("The Knicks never led.", "never led", FALSE, None),
    ("The Bucks led for the entirety of the second half.", "led for the entirety of", FALSE, None),
    ("The Bucks led for the majority of the game.", "led", TRUE, None),
    ("There were seven ties, with neither team leading by more than eight points.", "eight", FALSE, None),
    ("The Knicks made it a 14-point game at the end of the third quarter.", "14", TRUE, None),
    ("The Knicks made it a two-point game at the end of the third quarter.", "two", FALSE, "14"),
    ("The Knicks were the superior shooters against the Bucks.", "superior", FALSE, None),
    ("The Bucks were the superior shooters against the Knicks.", "superior", TRUE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_course_of_the_game(apply_rules, text, piece, verdict, truth):
    assert (piece, verdict, truth) in apply_rules(RULES, FIRST + text)


@pytest.mark.parametrize(
    "text",
    [
        "The Knicks could not pull away in the fourth quarter.",
        "A big third quarter allowed them to coast to a victory.",
        "The Bucks never trailed in the fourth quarter.",
        "The game stayed close wire-to-wire.",
        "The Knicks never led by more than 14 points.",
        "Last week the Bucks pulled away in the third quarter.",
    ],
)
def test_what_only_looks_like_it(apply_rules, text):
    assert apply_rules(RULES, FIRST + text) == []
