"""Points of a team's bench: Knicks 33, Bucks 46."""

import pytest

from stg.checking.findings import TRUE
from tests.stg.checking.conftest import FIRST


CASES = [
    ("The Knicks' bench scored 33 points.", "33", TRUE, None),
    ("Milwaukee got 46 points from their reserves.", "46", TRUE, None),
    ("The Bucks outscored the Knicks' bench, 46-33.", "33", TRUE, None),
    ("The Knicks got just 33 bench points.", "33", TRUE, None),
    ("The Knicks' bench scored 40 points.", "40", "false", "33"),
    ("Giannis Antetokounmpo outscored the bench with 46 points.", "46", "false", "27"),
    ("Greg Monroe led the bench with 46 points.", "46", "false", "18"),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_points_of_a_bench(verdict_on, text, piece, verdict, truth):
    assert verdict_on(FIRST + text, piece) == (verdict, truth)
