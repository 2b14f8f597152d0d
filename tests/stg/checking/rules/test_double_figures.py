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
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_players_in_double_figures_are_counted(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)
