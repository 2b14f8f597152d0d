"""A team's points in a period. Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105."""

import copy

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import period_points
from tests.stg.checking.conftest import FIRST


RULES = (period_points.period_points,)
CASES = [
    ("The Knicks scored 17 points in the last quarter.", "17", TRUE, None),
    ("The Knicks scored 19 points in the last quarter.", "19", FALSE, "17"),
    ("The Bucks scored 27 in the first and 25 in the second.", "25", TRUE, None),
    ("The Bucks scored 27 in the first and 24 in the second.", "24", FALSE, "25"),
    ("The Bucks held the Knicks to 17 points in the fourth.", "17", TRUE, None),
    ("The Bucks held the Knicks to 19 points in the fourth.", "19", FALSE, "17"),
    ("The Bucks held them to 17 points in the fourth.", "17", TRUE, None),
    ("The Bucks allowed 35 points in the third quarter.", "35", TRUE, None),
    ("The Bucks allowed 21 points in the third quarter.", "21", FALSE, "35"),
    ("The Bucks scored 32 in the fourth to 17 for the Knicks.", "17", TRUE, None),
    ("The Bucks scored 32 in the fourth to 19 for the Knicks.", "19", FALSE, "17"),
    ("The Bucks scored 32 points in the fourth and allowed 17.", "17", TRUE, None),
    ("The Bucks scored 32 points in the fourth and allowed 20.", "20", FALSE, "17"),
    ("The Knicks could not stop a 32-point fourth from the Bucks.", "32", TRUE, None),
    ("The Bucks could not stop a 32-point fourth from the Knicks.", "32", FALSE, "17"),
    ("Both teams scored 25 points in the second quarter.", "25", FALSE, None),
    ("The teams played an even fourth at 23 points.", "23", FALSE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_points_of_a_period(verdict_on, text, piece, verdict, truth):
    assert verdict_on(FIRST + text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "Both teams scored {} points in the last quarter.",
        "The teams played an even fourth at {} points.",
        "The fourth quarter was even at {} points for both sides.",
    ],
)
def test_even_periods(apply_rules, paper, text):
    even = copy.deepcopy(paper)
    even["home_line"] |= {"TEAM-PTS_QTR3": "20", "TEAM-PTS_QTR4": "32"}
    assert apply_rules(RULES, FIRST + text.format(32), even) == [("32", "true", None)]
    assert apply_rules(RULES, FIRST + text.format(30), even) == [("30", "false", "32")]


@pytest.mark.parametrize(
    "text",
    [
        "Derrick Rose scored 12 points in the fourth quarter.",
        "Carmelo Anthony was great. He scored 12 points in the fourth quarter.",
        "The Bucks gained two points in the third.",
        "The Knicks got the margin down to 11 in the third.",
        "The Bucks pulled within six points in the fourth quarter.",
        "Rose scored the Knicks' first 15 points of the fourth.",
        "The Knicks scored 12 points in the first five minutes.",
    ],
)
def test_other_points_are_not_judged(apply_rules, text):
    assert apply_rules(RULES, FIRST + text) == []
