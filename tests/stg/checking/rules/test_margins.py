"""Margins at breaks, of periods and at the end. Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105."""

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import margins
from tests.stg.checking.conftest import FIRST


RULES = (margins.margins, margins.period_margins, margins.compared_margins, margins.final_margin)
CASES = [
    # at a break
    ("The Knicks led by 14 entering the fourth.", "14", TRUE, None),
    ("The Knicks led by 12 entering the fourth.", "12", FALSE, "14"),
    ("The Bucks led by 14 entering the fourth.", "14", FALSE, None),
    ("The Bucks trailed by 14 entering the last quarter.", "14", TRUE, None),
    ("The Knicks trailed by two after one.", "two", TRUE, None),
    ("The Bucks trailed by two after one.", "two", FALSE, None),
    ("The Knicks trailed by only two after one.", "two", TRUE, None),
    ("The Knicks were within two after the first quarter.", "two", TRUE, None),
    ("The Knicks got within four after the first quarter.", "four", FALSE, "2"),
    ("The Knicks took a 14-point lead into the fourth quarter.", "14", TRUE, None),
    ("The Knicks took an 11-point lead into the fourth quarter.", "11", FALSE, "14"),
    ("The Bucks faced a 14-point deficit after three quarters.", "14", TRUE, None),
    ("The Knicks faced a 14-point deficit after three quarters.", "14", FALSE, None),
    ("The Knicks were 14 points up after three quarters.", "14", TRUE, None),
    ("Down 12 entering the fourth, the Bucks won it 32-17.", "12", FALSE, "14"),
    ("The lead was still 14 points entering the fourth.", "14", TRUE, None),
    ("The lead was still 10 points entering the fourth.", "10", FALSE, "14"),
    ("The Knicks stretched the lead to 14 points with a 35-21 third quarter.", "14", TRUE, None),
    ("The Knicks won the third 35-21 to go in front by 14 points.", "14", TRUE, None),
    ("The Knicks won the third 35-21 to go in front by six points.", "six", FALSE, "14"),
    # of a period
    ("The Bucks won the fourth by 15.", "15", TRUE, None),
    ("The Bucks won the fourth by five.", "five", FALSE, "15"),
    ("The Knicks won the fourth by 15.", "15", FALSE, None),
    ("The Knicks lost the fourth by 15.", "15", TRUE, None),
    ("The Bucks outscored the Knicks by 15 in the fourth quarter.", "15", TRUE, None),
    ("The Knicks were outscored by 15 in the fourth quarter.", "15", TRUE, None),
    ("The Bucks won the first quarter by two.", "two", TRUE, None),
    ("The Knicks won the third quarter by a 12-point margin.", "12", FALSE, "14"),
    ("New York led 87-73 and survived a fourth that Milwaukee won by 15.", "15", TRUE, None),
    ("The Bucks had 15 points more than the Knicks in the fourth quarter.", "15", TRUE, None),
    ("The Knicks had 15 points more than the Bucks in the fourth quarter.", "15", FALSE, None),
    ("The Knicks had 15 points fewer than the Bucks in the fourth quarter.", "15", TRUE, None),
    ("The Knicks had 12 points fewer than the Bucks in the fourth quarter.", "12", FALSE, "15"),
    # at the end
    ("The Knicks fell one point short.", "one", TRUE, None),
    ("The Knicks fell two points short.", "two", FALSE, "1"),
    ("The Bucks fell one point short.", "one", FALSE, None),
    ("The Knicks came up two short.", "two", FALSE, "1"),
    ("The Bucks held on by one.", "one", TRUE, None),
    ("The Bucks held on by three.", "three", FALSE, "1"),
    ("The Bucks finished with a 12-point margin.", "12", FALSE, "1"),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_margins(verdict_on, text, piece, verdict, truth):
    assert verdict_on(FIRST + text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "The Knicks led by as many as 16 points.",
        "The Knicks took a 16-point lead in the third quarter.",  # at any moment of it
        "The Knicks went up by 16 points with two minutes left in the third quarter.",
        "The Knicks put up 41 points by halftime.",
        "The Bucks turned an eight-point deficit into a 105-104 win.",
        "The Bucks outscored the Knicks 32-17 in the fourth and won by one.",  # not the margin of the quarter
        "The Bucks outscored the Knicks by ten in the paint.",
        "The Bucks will hope for another ten-point lead at halftime.",
    ],
)
def test_other_margins_are_not_judged(apply_rules, text):
    assert apply_rules(RULES, FIRST + text) == []
