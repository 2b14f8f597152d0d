"""Streaks and recent records."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN


CASES = [
    ("The Knicks have now lost two of their last three games.", "two", TRUE, None),
    ("The Knicks have now won two of their last three games.", "two", FALSE, "1"),
    ("The Knicks have now lost two straight games.", "two", TRUE, None),
    ("The Knicks have now lost three straight games.", "three", FALSE, "2"),
    ("The Knicks have won nine of their last 40 games.", "nine", UNKNOWN, None),
    ("The Knicks had lost three straight games before this one.", "three", UNKNOWN, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_streaks_and_recent_records(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)
