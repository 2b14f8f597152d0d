"""The smallest explanation: one wrong name instead of many wrong numbers."""

import pytest

from modeling_stg.game_facts import GameFacts
from modeling_stg.text import tokenize
from stg.checking.checker import Checker
from stg.checking.explanation import Weights, smallest
from stg.checking.findings import FALSE, TRUE, resolve_overlaps
from stg.checking.report import check_report
from stg.checking.rules import RULES
from tests.stg.checking.conftest import FIRST


def false(check, text: str) -> list[tuple[str, str | None]]:
    return [(piece, truth) for piece, verdict, truth in check(FIRST + text) if verdict == FALSE]


def test_a_line_of_another_player_has_one_wrong_name(check):
    line = "scored 30 points on 10-of-23 shooting with 11 rebounds and seven assists."
    assert false(check, f"Carmelo Anthony {line}") == []
    assert false(check, f"Derrick Rose {line}") == [("Derrick Rose", "Carmelo Anthony")]


def test_name_keeps_its_form(check):
    text = "Derrick Rose played. Rose scored 30 points on 10-of-23 shooting with 11 rebounds and seven assists."
    assert false(check, text) == [("Rose", "Anthony")]


def test_a_single_wrong_number_stays_a_number(check):
    assert false(check, "Derrick Rose scored 30 points and had one rebound.")[0][0] == "30"


def test_record_of_the_other_team_is_one_wrong_name(check):
    """Both teams' records stand in the box score: Bucks 18-16, Knicks 16-19."""
    pieces = [
        piece
        for piece, _ in false(check, "The Knicks (18-16) shot 48 percent and had 27 points in the first quarter.")
    ]
    assert len(pieces) <= 2


@pytest.mark.parametrize("price", [0.0, 99.0])
def test_weights_decide(extractor, game, price):
    """A name that costs nothing explains any two numbers; one that costs much explains none."""
    checker = Checker(extractor)
    text = FIRST + "Derrick Rose scored 30 points on 10-of-23 shooting with 11 rebounds and seven assists."
    [recap] = checker.parse([tokenize(text)], [GameFacts(game)])
    found = resolve_overlaps(finding for rule in RULES for finding in rule(recap))
    kinds = {item.kind for item in smallest(recap, found, Weights(player=price)) if item.verdict == FALSE}
    assert kinds == ({"name"} if price == 0 else {"number"})


def test_mended_text_has_the_right_name(extractor, game):
    text = FIRST + "Derrick Rose scored 30 points on 10-of-23 shooting with 11 rebounds and seven assists."
    report = check_report(game, text, tokenize(text), Checker(extractor).check(text, game))
    assert "Carmelo Anthony scored 30 points on 10-of-23" in report["mended"]
    assert all(finding["verdict"] == TRUE for finding in report["findings"] if finding["kind"] == "number")
