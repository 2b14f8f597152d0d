"""Scores, leads and ties at a break. Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105."""

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import margins, scores
from tests.stg.checking.conftest import FIRST


BREAKS = (scores.scores, margins.margins, scores.tied)
CASES = [
    ("The Knicks led 87-73 heading into the fourth.", "73", TRUE, None),
    ("The Knicks led 87-70 heading into the fourth.", "70", FALSE, "73"),
    ("The Bucks jumped out to a 27-25 lead after one quarter.", "27", TRUE, None),
    ("It was tied at 52 at halftime.", "52", TRUE, None),
    ("It was tied at 50 at halftime.", "50", FALSE, "52"),
    ("The Knicks took a 14-point third-quarter lead.", "14", "unknown", None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_scores_at_a_break(verdict_on, text, piece, verdict, truth):
    assert verdict_on(FIRST + text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Bucks trailed 87-73 after three quarters.", ["trailed true", "87 true", "73 true"]),
        ("They were up 27-25 after 12 minutes.", ["up true", "27 true", "25 true"]),
        ("The teams went into the break tied at 52.", ["52 true"]),
        ("The score was tied, 52-52, at the half.", ["52 true", "52 true"]),
        ("They built a 52-50 halftime lead.", ["52 true", "50 false"]),
        ("Entering the fourth quarter, the Knicks led 87-73.", ["led true", "87 true", "73 true"]),
        ("The Knicks went into the final period up 14.", ["14 true"]),
        ("Entering the fourth quarter, the Knicks led 89-73.", ["89 false", "73 true"]),
        ("The Knicks went into the final period up 16.", ["16 false"]),
        # another moment may be meant
        ("The Knicks led 95-90 in the fourth quarter.", []),
        ("The Knicks led by 20 in the third quarter.", []),
        ("The Knicks went on a 14-0 run into halftime.", []),
        ("The Knicks racked up 80 points by halftime.", []),
        ("The game was tied at 95 with two minutes left in the fourth.", []),
    ],
)
def test_breaks_in_other_words(apply_rules, text, expected):
    assert [f"{piece} {verdict}" for piece, verdict, _ in apply_rules(BREAKS, FIRST + text)] == expected
