"""Leads and scores at a break, quarters and halves won, overtime.

Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105.
"""

import copy

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import line_score, margins, scores
from tests.stg.checking.conftest import FIRST


LINE_SCORE = (scores.scores, margins.margins, margins.period_margins, line_score.overtime)
CASES = [
    ("The Bucks outscored the Knicks 53-49 in the second half.", "49", FALSE, "52"),
    ("The Bucks outscored the Knicks 53-52 in the second half.", "53", TRUE, None),
    (
        "The Knicks were beaten. The Bucks had the edge in the second half, when they outscored them 53-52.",
        "53",
        TRUE,
        None,
    ),
    ("The Bucks outscored the Knicks 50-40 in the paint in the first half.", "50", "unknown", None),
    ("The Bucks held the Knicks to 52 points in the second half.", "52", TRUE, None),
    ("The Bucks put up 53 second-half points.", "53", TRUE, None),
    ("The Bucks put up 60 second-half points.", "60", "unknown", None),  # perhaps allowed, or of both
    ("Giannis Antetokounmpo put up 53 second-half points.", "53", "unknown", None),
    ("The Bucks outscored the Knicks by one in the second half.", "one", TRUE, None),
    ("At halftime the Knicks had 52 points and the Bucks had 50.", "52", TRUE, None),
    ("At halftime the Knicks had 52 points and the Bucks had 50.", "50", FALSE, "52"),
    ("At halftime the score was 52 for the Knicks and 50 for the Bucks.", "50", FALSE, "52"),
    ("At halftime Derrick Rose had 10 points for the Knicks and the Bucks had 50.", "50", "unknown", None),
    ("The Bucks outscored the Knicks by five in the second half.", "five", FALSE, "1"),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_scores_of_a_half(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "The Bucks trailed 52-50 late in the first half.",
        "The Knicks and Bucks were tied 52-52 at the half, but the Bucks won the second half 53-52.",
        "Bucks won the second half 53-52 with Giannis Antetokounmpo scoring.",
    ],
)
def test_scores_during_a_half_are_not_false(false_parts, text):
    assert false_parts(text) == []


@pytest.mark.parametrize(
    ("text", "number", "truth"),
    [
        ("The Bucks took a two-point lead into the second quarter.", "two", None),
        ("The Bucks led by two after the first quarter.", "two", None),
        ("The Bucks were up five points after one quarter.", "five", "2"),
        ("It was a ten-point lead at halftime.", "ten", "0"),
        ("The Knicks took a 14-point lead into the fourth quarter.", "14", None),
        ("The Knicks took a 12-point advantage heading into the fourth.", "12", "14"),
        ("The Bucks trailed by 14 entering the final period.", "14", None),
        ("They cut it to a four-point deficit at the end of the third quarter.", "four", "14"),
        ("The Bucks outscored the Knicks by 15 in the fourth quarter.", "15", None),
        ("The Bucks outscored the Knicks by nine points in the final frame.", "nine", "15"),
        ("New York won the third quarter by a 14-point margin.", "14", None),
        ("New York won the second quarter by 10.", "10", "2"),
    ],
)
def test_leads_and_margins(apply_rules, text, number, truth):
    expected = (number, "true" if truth is None else "false", truth)
    assert apply_rules(LINE_SCORE, FIRST + text) == [expected]


def test_scores_at_a_break(apply_rules):
    assert apply_rules(LINE_SCORE, FIRST + "They took an 87-73 lead into the fourth.") == [
        ("took", "unknown", None),
        ("87", "true", None),
        ("73", "true", None),
    ]
    assert apply_rules(LINE_SCORE, FIRST + "They took a 64-52 lead into halftime.") == [
        ("64", "false", "52"),
        ("52", "true", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The Knicks led by as many as 16 points.",  # at any time of the game
        "The Knicks took a 16-point lead in the third quarter.",
        "Anthony led with ten points at the line.",
        "Last week the Bucks took a 30-point lead into the fourth.",  # another game
        "The Hawks had a 30-point lead at halftime against the Knicks.",
        "The Bucks will look for another ten-point lead at halftime.",
        "The Bucks outscored the Knicks by ten in the paint.",
    ],
)
def test_sentences_that_quarters_do_not_decide(apply_rules, text):
    assert apply_rules(LINE_SCORE, FIRST + text) == []


def test_overtime(apply_rules, paper):
    text = "The Milwaukee Bucks edged the New York Knicks, 105-104, in overtime."
    assert apply_rules(LINE_SCORE, text) == [("overtime", "false", None)]
    longer = copy.deepcopy(paper)
    longer["home_line"]["TEAM-PTS_QTR4"] = "8"  # 95 - 95 after four quarters
    longer["vis_line"]["TEAM-PTS_QTR4"] = "22"
    assert apply_rules(LINE_SCORE, text, longer) == [("overtime", "true", None)]
    longer["vis_line"]["TEAM-PTS_QTR4"] = "23"  # quarters and final score disagree
    assert apply_rules(LINE_SCORE, text, longer) == []
    assert apply_rules(LINE_SCORE, f"{FIRST}They had won in overtime before.") == []


def test_missing_quarters_decide_nothing(apply_rules, paper):
    bare = copy.deepcopy(paper)
    bare["home_line"]["TEAM-PTS_QTR2"] = "N/A"
    assert apply_rules(LINE_SCORE, f"{FIRST}It was a ten-point lead at halftime.", bare) == []
