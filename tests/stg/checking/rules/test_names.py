"""Wrong names of players and teams."""

import pytest

from stg.checking.findings import FALSE, TRUE
from tests.stg.checking.conftest import FIRST


CASES = [
    (FIRST.replace("New York Knicks", "Milwaukee Bucks"), "Milwaukee Bucks", FALSE, "New York Knicks"),
    ("Ron Baker had 12 points.", "Ron Baker", FALSE, None),
    ("Carmelo Anthony led Milwaukee with 30 points.", "Milwaukee", FALSE, "New York"),
    ("Carmelo Anthony led the Bucks with 30 points.", "Bucks", FALSE, "Knicks"),
    ("Carmelo Anthony led the Knicks with 30 points.", "Knicks", TRUE, None),
    (FIRST + "The Bucks rallied against the Bucks.", "Bucks", FALSE, "Knicks"),
    (FIRST + "The Bucks rallied against the Knicks.", "Knicks", None, None),
    (FIRST + "The Bucks rested before the Bucks reserves played.", "Bucks", None, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_names_of_players_and_teams(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "After losing to Washington, the Bucks beat the Knicks 105-104.",
        "Former Denver Nuggets star Carmelo Anthony scored 30 points in the Knicks' loss to the Bucks.",
        "The Bucks beat the Knicks 105-104 on Wednesday, two days after losing to the Thunder in Oklahoma City.",
    ],
)
def test_opponents_of_other_games_are_not_false(false_parts, text):
    assert false_parts(text) == []


def test_correction_of_a_repeated_team_is_the_other_team(check):
    text = "The Milwaukee Bucks defeated the Bucks on Wednesday against the Knicks, 105-104."
    assert [truth for part, verdict, truth in check(text) if verdict == FALSE and part == "Bucks"] == ["Knicks"]
