"""Numbers of one cell, of a player or a team."""

import json

import pytest

from stg.checking.checker import Checker
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import changed_game


CASES = [
    ("Giannis Antetokounmpo had 27 points.", "27", TRUE, None),
    ("Giannis Antetokounmpo had 28 points.", "28", FALSE, "27"),
    ("Giannis Antetokounmpo had 27 points and a steal.", "a", TRUE, None),
    ("Jabari Parker had 15 points and a block.", "a", FALSE, "0"),
    ("Jason Terry had eight points and a pair of steals.", "pair", TRUE, None),
    ("Derrick Rose had 15 points and a pair of steals.", "pair", FALSE, "1"),
    ("Jabari Parker scored 15 points. He added four rebounds.", "four", TRUE, None),
    ("Jabari Parker scored 15 points. He added six rebounds.", "six", FALSE, "4"),
    ("Carmelo Anthony scored 30 points in 36 minutes.", "36", TRUE, None),  # 37, rounded down
    ("Carmelo Anthony scored 30 points in 31 minutes.", "31", FALSE, "37"),
    ("Carmelo Anthony had 12 points by halftime.", "12", UNKNOWN, None),
    ("The Knicks led by 14 points in the third quarter.", "14", UNKNOWN, None),
    ("The Knicks were outscored by the Bucks 32-17 in the fourth quarter.", "32", TRUE, None),
    ("The Bucks shot 45 percent from the field and 46 percent from long range.", "Bucks", FALSE, "Knicks"),
    ("The Bucks shot 45 percent from the field and 46 percent from long range.", "46", TRUE, None),
    ("The Bucks shot 47 percent from the field and 32 percent from long range.", "Bucks", None, None),
    ("The Bucks shot 43 percent from the field and 39 percent from long range.", "Bucks", None, None),
    ("The Bucks shot 45 percent from the field and 32 percent from long range.", "45", FALSE, "47"),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_numbers_are_compared_with_their_cells(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "Mirza Teletovic made 3 of 8 three-pointers.",
        "The Knicks grabbed 46 boards compared to 42 for the Bucks.",
        "Giannis Antetokounmpo, 22, scored 27 points.",
        "Giannis Antetokounmpo, who averages 23 points, had 27.",
        "Giannis Antetokounmpo scored nine of his 27 points in the final six minutes.",
        "Derrick Rose missed 11 of 18 shots.",
        "The Bucks won. Carmelo Anthony had been scoring 35 in the loss to the Thunder on Monday.",
    ],
)
def test_parts_of_totals_and_other_numbers_are_not_false(false_parts, text):
    assert false_parts(text) == []


@pytest.mark.parametrize(
    "text, false",
    [
        ("The Bucks (16-19) beat the Knicks (18-16).", ["16", "19", "18", "16"]),
        ("Derrick Rose and Courtney Lee had 15 points apiece.", ["15"]),
        ("The Bucks outrebounded the Knicks 46-42.", ["46", "42"]),
        ("The Bucks outscored the Knicks 17-32 in the fourth quarter.", ["17", "32"]),
    ],
)
def test_false_sentences_that_look_true(false_parts, text, false):
    assert false_parts(text) == false


def test_unreadable_numbers_are_unknown(check):
    unreadable = ("27.5", "1,000", "27pts", "9" * 30, "２７", "+12", "~27")
    text = f"He averaged {' points and '.join(unreadable)} in all."
    verdicts = {part: verdict for part, verdict, _ in check(text)}
    assert all(verdicts[token] == UNKNOWN for token in unreadable)


def test_numbers_above_a_hundred_in_words(false_parts):
    text = "The Bucks defeated the Knicks, one hundred and five to one hundred four."
    assert not false_parts(text)


def test_players_who_share_a_last_name(extractor, paper):
    """Two Plumlees: Miles, of the Bucks, and Marshall, of the Knicks, who did not play."""
    data = json.loads(json.dumps(paper))
    [marshall] = [key for key, name in data["box_score"]["PLAYER_NAME"].items() if name == "Marshall Plumlee"]
    for column in ("MIN", "PTS", "REB"):
        data["box_score"][column][marshall] = "7"
    for text, verdict in (("Plumlee had seven rebounds.", TRUE), ("Plumlee had nine rebounds.", FALSE)):
        [finding] = Checker(extractor).check(text, changed_game(data))
        assert finding.verdict == verdict
