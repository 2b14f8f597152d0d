"""Whose a number is although another name is nearer. Anthony 30 points, 11 rebounds; Rose 15 points."""

import pytest

from stg.checking.findings import FALSE, TRUE
from tests.stg.checking.conftest import FIRST


BOTH = "Carmelo Anthony and Derrick Rose led the Knicks, with the former adding {} rebounds and the latter {} points."


CASES = [
    (BOTH.format(11, 15), "11", TRUE, None),
    (BOTH.format(12, 15), "12", FALSE, "11"),
    (BOTH.format(11, 18), "18", FALSE, "15"),
    ("Carmelo Anthony and Derrick Rose scored 30 and 15 points, respectively.", "15", TRUE, None),
    ("Carmelo Anthony and Derrick Rose scored 30 and 17 points, respectively.", "17", FALSE, "15"),
    ("Carmelo Anthony and Derrick Rose scored 28 and 15 points, respectively.", "28", FALSE, "30"),
    ("Derrick Rose scored 15. Carmelo Anthony matched Rose and added 11 rebounds.", "11", TRUE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_references(verdict_on, text, piece, verdict, truth):
    assert verdict_on(FIRST + text, piece) == (verdict, truth)


def test_compared_player_is_not_the_subject(check):
    """A double-double is Anthony's although Rose is named nearer."""
    text = FIRST + "Carmelo Anthony made up for Derrick Rose with a double-double."
    assert ("double-double", TRUE, None) in [(p.replace(" - ", "-"), v, t) for p, v, t in check(text)]
