"""Scores of periods and at breaks, and ties. Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105."""

import copy

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import scores
from tests.stg.checking.conftest import FIRST


CASES = [
    # who was ahead
    ("The Knicks led 87-73 after three quarters.", "led", TRUE, None),
    ("The Bucks led 87-73 after three quarters.", "led", FALSE, None),
    ("The Bucks trailed 87-73 after three quarters.", "trailed", TRUE, None),
    ("The Knicks trailed 87-73 after three quarters.", "trailed", FALSE, None),
    ("The visitors led 87-73 after three.", "led", FALSE, None),
    ("The hosts were ahead 87-73 after three.", "ahead", TRUE, None),
    ("The Bucks had no answer, and it was an 87-73 New York lead after three.", "lead", TRUE, None),
    ("The Knicks had no answer, and it was an 87-73 Milwaukee lead after three.", "lead", FALSE, None),
    ("The Bucks led 27-25 after the first quarter and 52-52 at halftime.", "-", FALSE, None),
    ("The Bucks led 27-25 after the first quarter and 87-73 after three.", "-", FALSE, None),
    # scores at a break
    ("The Knicks led 87-70 after three quarters.", "70", FALSE, "73"),
    ("The Knicks led 85-73 heading into the fourth.", "85", FALSE, "87"),
    ("The Bucks led 27-25 at the start of the second quarter.", "27", TRUE, None),
    ("The Bucks led 29-25 through the first quarter.", "29", FALSE, "27"),
    ("Trailing 87-73 after three, the Bucks won the fourth 32-17.", "Trailing", TRUE, None),
    ("Trailing 87-73 after three, the Knicks won the fourth 32-17.", "Trailing", FALSE, None),
    ("The Bucks, as they outscored the Knicks, 32-17, in the fourth quarter, led the second half.", "32", TRUE, None),
    ("The Bucks owned the second half, as they outscored the Knicks, 32-17, in the fourth quarter.", "17", TRUE, None),
    (
        "The Bucks owned the second half, as they outscored the Knicks, 32-19, in the fourth quarter.",
        "19",
        FALSE,
        "17",
    ),
    # scores of a period
    ("The Bucks outscored the Knicks 32-17 in the fourth.", "outscored", TRUE, None),
    ("The Knicks outscored the Bucks 32-17 in the fourth.", "outscored", FALSE, None),
    ("The Knicks were outscored 32-17 in the fourth.", "outscored", TRUE, None),
    ("The Bucks won the last quarter 32-17.", "won", TRUE, None),
    ("The Knicks won the last quarter 32-17.", "won", FALSE, None),
    ("The Bucks won the last quarter 32-20.", "20", FALSE, "17"),
    ("The Bucks took the opening period 27-25.", "took", TRUE, None),
    ("The Bucks won the second half 53-50.", "50", FALSE, "52"),
    ("In the fourth, the Bucks won the period 32-17.", "32", TRUE, None),
    ("In the fourth, the Bucks won the period 30-17.", "30", FALSE, "32"),
    ("The Knicks opened the third well. They won that period 35-21.", "35", TRUE, None),
    ("The Knicks opened the third well. They won that period 36-21.", "36", FALSE, "35"),
    ("The Knicks survived a 32-17 fourth.", "32", TRUE, None),
    # chains
    ("The Knicks won the third 35-21 for an 87-73 lead.", "87", TRUE, None),
    ("The Knicks won the third 35-21 for an 87-70 lead.", "70", FALSE, "73"),
    ("The Bucks won the third 35-21 for an 87-73 lead.", "lead", FALSE, None),
    ("The Knicks led 87-73 entering the fourth, which the Bucks won 32-17.", "won", TRUE, None),
    ("The Knicks led 87-73 entering the fourth, which the Knicks won 32-17.", "won", FALSE, None),
    ("The Knicks led 87-73 entering the fourth, which the Bucks won 32-15.", "15", FALSE, "17"),
    ("The Bucks trimmed it to 87-73 by winning the third.", "73", TRUE, None),
    ("The Knicks won the third quarter and turned the deficit into an 87-73 lead.", "lead", TRUE, None),
    # ties
    ("It was tied at 52 at halftime.", "52", TRUE, None),
    ("It was level at 50 at the break.", "50", FALSE, "52"),
    ("It was tied at 87 after three quarters.", "87", FALSE, None),
    ("The teams were tied 27-25 after the first quarter.", "tied", FALSE, None),
    ("The season series is tied at 1-3.", "tied", FALSE, None),
    ("The Knicks won the second 27-25 to tie the game at 52.", "52", TRUE, None),
    ("The Knicks won the second 27-25 to tie the game at 50.", "50", FALSE, "52"),
    ("The Bucks won the fourth 32-17 to force overtime at 103.", "103", FALSE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_scores_of_periods(verdict_on, text, piece, verdict, truth):
    assert verdict_on(FIRST + text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "The Knicks led 95-90 with two minutes left in the fourth.",
        "The Knicks led 95-90 in the fourth quarter.",  # at any moment of it
        "The Bucks trailed 95-90 in the fourth quarter.",
        "The Knicks had a 14-2 run in the third quarter.",
        "In the second half Derrick Rose had 15 points (6-14 FG, 1-4 3Pt, 2-2 FT).",
        "The Bucks outscored the Knicks 80-60 over the second and third quarters.",
        "The Knicks led 20-10 across the first eight minutes.",
        "It was their first loss after a 3-1 start.",
        "The Knicks have been poor in the first quarter of the 2016-17 campaign.",
        "The Knicks will try to win the third quarter 30-20.",
        "The game was tied at 95 in the fourth.",
    ],
)
def test_other_scores_are_not_judged(apply_rules, text):
    assert apply_rules((scores.scores, scores.tied), FIRST + text) == []


def test_a_tie_of_equal_numbers_is_one(apply_rules):
    assert apply_rules((scores.uneven_ties,), FIRST + "The teams were tied 52-52 at halftime.") == []


def test_a_tie_that_forced_overtime(apply_rules, paper):
    longer = copy.deepcopy(paper)
    longer["home_line"]["TEAM-PTS_QTR4"] = "8"  # 95 - 95 after four quarters
    longer["vis_line"]["TEAM-PTS_QTR4"] = "22"
    text = FIRST + "The Bucks won the fourth 22-8 to tie the game at {}."
    assert ("95", "true", None) in apply_rules((scores.tied,), text.format(95), longer)
    assert ("97", "false", "95") in apply_rules((scores.tied,), text.format(97), longer)


def test_missing_quarters_decide_nothing(apply_rules, paper):
    bare = copy.deepcopy(paper)
    bare["home_line"]["TEAM-PTS_QTR3"] = "N/A"
    judged = apply_rules((scores.scores,), FIRST + "The Knicks led 87-73 after three quarters.", bare)
    assert judged == [("87", "unknown", None), ("73", "unknown", None)]
