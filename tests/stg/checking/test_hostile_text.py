"""Texts made to break the checker: no recursion, time that grows with the length, no number read in part."""

import time

import pytest

from modeling_stg.errors import StgError
from modeling_stg.numbers import read_number
from modeling_stg.text import tokenize
from stg.checking.alignment import recap_tokens
from stg.checking.checker import Checker
from stg.checking.report import check_report


LENGTH = 20_000  # characters that the page takes
UNITS = [
    "x'",
    "'s",
    "’",
    "1. ",
    "27. ",
    "He. ",
    "a steal. ",
    "1-1. ",
    "one hundred. ",
    "Bucks 27. ",
    "twenty-two. ",
    "' ",
]


@pytest.fixture(scope="module")
def checker(extractor) -> Checker:
    return Checker(extractor)


@pytest.mark.parametrize("unit", UNITS)
def test_time_is_not_quadratic(checker, game, unit):
    """Ten seconds is five times what the slowest takes; before, several took 15 to 50."""
    text = (unit * LENGTH)[:LENGTH] if unit != "x'" else "x" + "'" * (LENGTH - 1)
    started = time.process_time()
    tokens = recap_tokens(text)
    check_report(game, text, tokens, checker.check(tokens, game))
    assert time.process_time() - started < 10


def test_a_sentence_of_hundreds_of_numbers_is_refused(checker, game):
    with pytest.raises(StgError, match="a sentence with 0 names and 200 numbers, from '1 - 1 - 1' on; end sentences"):
        checker.check("1-" * 200 + "x.", game)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two hundred points", (200, 2)),
        ("two hundred and five", (205, 4)),
        ("a thousand", (1000, 2)),
        ("one thousand two hundred thirty - four", (1234, 7)),
        ("one hundred one hundred", (100, 2)),
        ("one hundred and a", (100, 2)),
        ("zero hundred", (0, 1)),
    ],
)
def test_large_numbers_in_words(text, expected):
    assert read_number(text.split(), 0) == expected


def test_number_words_do_not_recurse():
    words = ("one hundred " * 7000).split()
    assert [read_number(words, at) for at in (0, 2, 13_998)] == [(100, 2)] * 3


def false_of(checker, game, text: str) -> list[tuple[str, str]]:
    return [(finding.verdict, finding.claim) for finding in checker.check(text, game)]


def test_two_hundred_is_one_false_number(checker, game):
    text = "Giannis Antetokounmpo scored two hundred points."
    tokens = recap_tokens(text)
    report = check_report(game, text, tokens, checker.check(tokens, game))
    assert report["mended"] == "Giannis Antetokounmpo scored 27 points."


def test_a_negative_number_is_not_true(checker, game):
    [(verdict, _)] = false_of(checker, game, "Giannis Antetokounmpo scored -27 points.")
    assert verdict == "unknown"
    assert tokenize("won 105 -104, up 27-13") == "won 105 - 104 , up 27 - 13".split()


@pytest.mark.parametrize("hyphen", "‐‑")
def test_typographic_hyphens_hide_no_number(checker, game, hyphen):
    [(verdict, claim)] = false_of(checker, game, f"Giannis Antetokounmpo scored ninety{hyphen}nine points.")
    assert (verdict, claim) == ("false", "Giannis Antetokounmpo: 99 PTS")


def test_a_text_that_ends_with_two_numbers(checker, game):
    """Found by the fuzzer: a rule unpacked the two words after the first."""
    assert checker.check("The Knicks won 16 27", game)
