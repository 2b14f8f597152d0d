"""Players in double figures."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import ANTHONY, ROSE


CASES = [
    (ANTHONY + ROSE + "Courtney Lee was the only other starter in double figures.", "only other", TRUE, None),
    (ANTHONY + "Courtney Lee was the only other starter in double figures.", "only other", FALSE, "Derrick Rose"),
    ("The Knicks had four players score in double figures.", "four", TRUE, None),
    ("The Knicks had six players score in double figures.", "six", FALSE, "4"),
    (ANTHONY + "Courtney Lee was the only other starter in foul trouble.", "only other", None, None),
    ("The Knicks had six players score.", "six", UNKNOWN, None),
    ("The Knicks lost. Five players scored in double digits for the Bucks.", "Five", TRUE, None),
    ("Four Knicks reached double figures.", "Four", TRUE, None),
    ("All three starters in double figures for the Knicks were tired.", "three", TRUE, None),
    ("The Bucks beat the Knicks with five players in double figures.", "five", TRUE, None),
    ("The Knicks had two reserves in double figures.", "two", FALSE, "1"),
    ("The other two Knicks in double figures were tired.", "two", UNKNOWN, None),
    ("Three of their five starters were in double figures for the Knicks.", "five", UNKNOWN, None),
    ("Courtney Lee (11) was among the Knicks in double figures.", "11", TRUE, None),  # his points
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_players_in_double_figures_are_counted(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)
