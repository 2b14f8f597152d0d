"""The final score and its margin."""

import pytest

from stg.checking.findings import FALSE, TRUE
from tests.stg.checking.conftest import FIRST


CASES = [
    (FIRST, "105", TRUE, None),
    (FIRST.replace("105-104", "105-99"), "99", FALSE, "104"),
    (FIRST.replace("edged", "lost to").replace("105-104", "104-105"), "105", TRUE, None),
    ("It was a one - point win for the Bucks.", "one", TRUE, None),
    ("It was a nine - point win for the Bucks.", "nine", FALSE, "1"),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_final_score_and_margin(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "The Bucks won. On Monday, the Knicks suffered a 12-point loss to the Magic.",
        "Bucks 105, Knicks 104",
        "Final: Milwaukee 105, New York 104.",
    ],
)
def test_other_margins_and_forms_of_the_score_are_not_false(false_parts, text):
    assert false_parts(text) == []
