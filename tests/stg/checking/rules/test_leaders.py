"""Scoring leaders, game and team highs, and ranks."""

import pytest

from stg.checking.findings import FALSE, TRUE
from tests.stg.checking.conftest import ANTHONY, without_cells


CASES = [
    ("Derrick Rose led the team with 15 points.", "led", FALSE, "Carmelo Anthony"),
    ("Greg Monroe led the bench with 18 points.", "led", TRUE, None),
    ("Greg Monroe came off the bench to lead the Bucks with 18 points.", "lead", FALSE, "Giannis Antetokounmpo"),
    ("The Knicks were led by Carmelo Anthony, who had 30 points.", "led", TRUE, None),
    ("Joakim Noah led the team with 16 rebounds.", "led", None, None),
    ("Carmelo Anthony had a game-high 30 points.", "game - high", TRUE, None),
    ("Derrick Rose had a team-high 15 points.", "team - high", FALSE, "30 is the most"),
    (ANTHONY + "Derrick Rose was next with 15 points.", "next", TRUE, None),
    (ANTHONY + "Courtney Lee was next with 11 points.", "next", FALSE, "Derrick Rose and Mindaugas Kuzminskas"),
    ("Derrick Rose was second on the team with 15 points.", "second", TRUE, None),
    ("Courtney Lee was second on the team with 11 points.", "second", FALSE, "fourth"),
    ("Derrick Rose had a season-high 15 points.", "season - high", None, None),
    ("Derrick Rose saw a game-high 30 points from Carmelo Anthony.", "game - high", TRUE, None),
    ("Carmelo Anthony added to his game-high scoring total with seven rebounds.", "game - high", TRUE, None),
    ("Joakim Noah had a team-high 16 rebounds in 30 minutes.", "team - high", TRUE, None),
    ("Jabari Parker led the starters with 15 points.", "led", FALSE, "Giannis Antetokounmpo"),
    ("Among the starters, Giannis Antetokounmpo led the way with 27 points.", "led", TRUE, None),
    ("Derrick Rose hit a team-high number of shots for 15 points.", "team - high", None, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_leaders_highs_and_ranks(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "Joakim Noah was first on the team with 16 rebounds.",
        "Brandon Jennings was second on the team with five assists.",
    ],
)
def test_ranks_in_other_columns_are_not_false(false_parts, text):
    assert false_parts(text) == []


def test_highs_in_missing_cells_are_not_judged(judged_words, paper, game):
    text = "Giannis Antetokounmpo had a game-high 13 rebounds."
    assert not judged_words(text, without_cells(paper, "REB"))
    assert judged_words(text, game)


@pytest.mark.parametrize(
    ("text", "verdict", "truth"),
    [
        ("Carmelo Anthony scored a season-high 30 points.", TRUE, None),
        ("Carmelo Anthony matched a season-high with 11 rebounds.", TRUE, None),
        ("Carmelo Anthony handed out a season-high of seven assists.", FALSE, "9 is the most"),
        ("Carmelo Anthony sat after a season-high 40 points on Monday.", None, None),  # another game's
        ("The Knicks allowed a season-high 100 points.", None, None),  # a team's
    ],
)
def test_season_highs(verdict_in_short_season, text, verdict, truth):
    assert verdict_in_short_season(text, "season - high") == (verdict, truth)
