"""Why numbers stay unknown."""

import pytest

from stg.checking.checker import Checker
from stg.checking.findings import NOT_CHECKABLE, NOT_UNDERSTOOD, UNKNOWN
from tests.stg.checking.conftest import FIRST


@pytest.mark.parametrize(
    ("text", "piece", "because"),
    [
        ("The Bucks went on a 12-2 run.", "12", NOT_CHECKABLE),
        ("The Knicks led by 14 with two minutes left.", "two", NOT_CHECKABLE),
        ("Carmelo Anthony missed the last three games.", "three", NOT_CHECKABLE),
        ("Carmelo Anthony had 12 points by halftime.", "12", NOT_CHECKABLE),
        ("The Knicks sold 19 hot dogs.", "19", NOT_UNDERSTOOD),
    ],
)
def test_reasons(extractor, game, text, piece, because):
    findings = Checker(extractor).check(FIRST + text, game)
    unknown = {
        finding.claim.split(":")[0]: finding.unknown_because for finding in findings if finding.verdict == UNKNOWN
    }
    assert unknown[piece] == because
    assert all(finding.unknown_because is None for finding in findings if finding.verdict != UNKNOWN)
