"""How a game went. Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105."""

import copy

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import course, names, story
from tests.stg.checking.conftest import FIRST


CASES = [
    ("The Bucks outrebounded the Knicks 42-46.", "outrebounded", FALSE, None),
    ("The Knicks outrebounded the Bucks 46-42.", None, None, None),
    ("The Bucks outrebounded the Knicks 42-42.", "outrebounded", FALSE, None),
    ("The Knicks won the rebounds 46-46.", "rebounds", FALSE, None),
    ("Milwaukee outscored the Bucks 32-17 in the fourth quarter.", "Bucks", FALSE, "Knicks"),
    ("Both teams scored 52 points in the first half.", None, None, None),
    ("Both teams had 46 rebounds.", "Both teams", FALSE, None),
    ("Carmelo Anthony led all scorers with 30 points.", "led all scorers", TRUE, None),
    ("Giannis Antetokounmpo led all scorers with 27 points.", "led all scorers", FALSE, "Carmelo Anthony"),
    ("The Bucks improved to 18-16.", "improved to", TRUE, None),
    ("The Knicks improved to 16-19.", "improved to", FALSE, None),
    ("The Bucks fell to 18-16.", "fell to", FALSE, None),
]
OTHERS = (story.outdone, names.outdoes_itself, story.both_teams, story.led_all_scorers, story.improved)


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_words_between_numbers(apply_rules, text, piece, verdict, truth):
    found = apply_rules(OTHERS, FIRST + text)
    assert [] == found if piece is None else (piece, verdict, truth) in found


RULES = (story.comeback, story.margin_words, story.every_break, course.pulled_away)
WON = "The Milwaukee Bucks {} the New York Knicks, 105-104, on Wednesday."


CASES = [
    (WON.format("edged"), "edged", TRUE, None),
    (WON.format("nipped"), "nipped", TRUE, None),
    (WON.format("routed"), "routed", FALSE, None),
    (WON.format("rolled past"), "rolled past", FALSE, None),
    (WON.format("held off"), "held off", TRUE, None),
    (FIRST + "The Bucks pulled away in the fourth.", "pulled away", TRUE, None),
    (WON.format("rallied past"), "rallied", TRUE, None),
    (FIRST + "It was quite a comeback.", "comeback", TRUE, None),
    (FIRST + "The Bucks came back in the fourth.", "came back", TRUE, None),
    (FIRST + "The Bucks overturned a large deficit.", "overturned", TRUE, None),
    (FIRST + "The Knicks led at every break.", "at every break", FALSE, None),
    (FIRST + "The Bucks trailed at each break.", "at each break", FALSE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_story_of_a_narrow_comeback(apply_rules, text, piece, verdict, truth):
    assert (piece, verdict, truth) in apply_rules(RULES, text)


@pytest.mark.parametrize(
    ("text", "piece", "verdict"),
    [
        ("The Milwaukee Bucks edged the New York Knicks, 130-104, on Wednesday.", "edged", FALSE),
        ("The Milwaukee Bucks routed the New York Knicks, 130-104, on Wednesday.", "routed", TRUE),
        (FIRST + "The Bucks held on.", "held on", FALSE),
        (FIRST + "The Bucks pulled away.", "pulled away", TRUE),
        (FIRST + "It was quite a comeback.", "comeback", FALSE),
        (FIRST + "The Bucks rallied.", "rallied", FALSE),
        (FIRST + "The Bucks led at every break.", "at every break", TRUE),
        (FIRST + "The Knicks trailed after each quarter.", "after each quarter", TRUE),
        (FIRST + "The Knicks led at every break.", "at every break", FALSE),
    ],
)
def test_story_of_a_rout(apply_rules, paper, text, piece, verdict):
    rout = copy.deepcopy(paper)
    rout["vis_line"] |= {"TEAM-PTS_QTR2": "35", "TEAM-PTS_QTR3": "36", "TEAM-PTS": "130"}
    assert (piece, verdict, None) in apply_rules(RULES, text, rout)


@pytest.mark.parametrize(
    "text",
    [
        "The Bucks survived a long New York comeback.",
        "The Knicks could not complete the comeback.",
        "Poor shooting hampered the Knicks' comeback efforts.",
        "Derrick Rose came back firing.",
        "The Knicks edged in front early.",
        "The lead changed hands at every break.",
        "Last week the Bucks rallied against the Hawks.",
    ],
)
def test_other_stories_are_not_judged(apply_rules, text):
    assert [piece for piece, _, _ in apply_rules(RULES, FIRST + text)] == ["edged"]
