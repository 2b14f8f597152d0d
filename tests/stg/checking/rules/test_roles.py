"""Starters and the bench, and near double-doubles."""

import pytest

from stg.checking.findings import FALSE, TRUE
from tests.stg.checking.conftest import without_cells


CASES = [
    ("Greg Monroe scored 18 points off the bench.", "off the bench", TRUE, None),
    ("Derrick Rose scored 15 points off the bench.", "off the bench", FALSE, "started"),
    ("Derrick Rose was a starter.", "starter", TRUE, None),
    ("Greg Monroe was a starter.", "starter", FALSE, "came off the bench"),
    ("Greg Monroe, once a starter, had 18 points.", "starter", None, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_starters_and_the_bench(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
        "Joakim Noah just missed a double-double with eight points and 16 rebounds.",
        "Joakim Noah finished two points away from a double-double.",
        "Joakim Noah missed a double-double by two points.",
        "Joakim Noah failed to record a double-double.",
        "Greg Monroe came close to a double-double.",
        "Carmelo Anthony threatened a triple-double with 30 points, 11 rebounds and seven assists.",
        "Carmelo Anthony scored 30 points but got little help off the bench.",
        "Jabari Parker scored 15 points, and off the bench Greg Monroe had 18.",
        "Greg Monroe, normally a starter, came off the bench.",
        "Greg Monroe is not a starter.",
    ],
)
def test_near_double_doubles_and_others_benches_are_not_false(false_parts, text):
    assert false_parts(text) == []


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (("REB", "AST"), "Giannis Antetokounmpo had a double-double with 27 points."),
        (("START_POSITION",), "Greg Monroe had 18 points off the bench."),
    ],
)
def test_roles_that_depend_on_missing_cells_are_not_judged(judged_words, paper, game, columns, text):
    assert not judged_words(text, without_cells(paper, *columns))
    assert judged_words(text, game)
