"""Double-doubles, and which one of the season or in a row."""

import pytest

from stg.checking.findings import FALSE, TRUE


CASES = [
    ("Carmelo Anthony had a double-double.", "double - double", TRUE, None),
    ("Derrick Rose had a double-double.", "double - double", FALSE, None),
    ("Derrick Rose nearly had a double-double.", "double - double", None, None),
    ("Carmelo Anthony had his ninth double-double of the season.", "ninth", None, None),  # not all games are known
]
NTH = [
    ("Carmelo Anthony had his second double-double of the season.", "second", TRUE, None),
    ("Carmelo Anthony had his third double-double of the year.", "third", FALSE, "second"),
    ("Carmelo Anthony had a second straight double-double.", "second", TRUE, None),
    ("It was the third double-double in a row for Carmelo Anthony.", "third", FALSE, "second"),
    ("Carmelo Anthony had his second double-double in four games.", "second", None, None),
    ("Carmelo Anthony just missed his third double-double of the season.", "third", None, None),
    ("Carmelo Anthony had his first triple-double of the season.", "first", None, None),  # he had none
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_double_doubles(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), NTH)
def test_which_double_double(verdict_in_short_season, text, piece, verdict, truth):
    assert verdict_in_short_season(text, piece) == (verdict, truth)
