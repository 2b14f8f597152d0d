"""Sums of players. Anthony 30 points, 11 rebounds, 8 of 22 shots; Rose 15 points, 1 rebound."""

import pytest

from modeling_stg.game_facts import GameFacts
from modeling_stg.text import tokenize
from stg.checking.findings import FALSE, TRUE
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules import sums
from tests.stg.checking.conftest import FIRST, changed_game


CASES = [
    ("Carmelo Anthony and Derrick Rose combined for 45 points.", "45", TRUE, None),
    ("Carmelo Anthony and Derrick Rose combined for 47 points.", "47", FALSE, "45"),
    ("The duo of Carmelo Anthony and Derrick Rose did damage, combining for 45 points.", "45", TRUE, None),
    ("Carmelo Anthony and Derrick Rose, who combined for 44 points, were tired.", "44", FALSE, "45"),
    ("Carmelo Anthony and Derrick Rose combined for 45 of the Knicks' 104 points.", "45", TRUE, None),
    ("Carmelo Anthony and Derrick Rose scored 40 points between them.", "40", FALSE, "45"),
    ("Carmelo Anthony and Derrick Rose started. They combined for 45 points.", "45", TRUE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_sums_of_players(apply_rules, text, piece, verdict, truth):
    assert apply_rules([sums.combined], FIRST + text) == [(piece, verdict, truth)]


@pytest.mark.parametrize(
    "text",
    [
        "Carmelo Anthony has combined for 60 points over his last two games.",
        "The bench combined for 20 points.",
        "Carmelo Anthony and Derrick Rose combined for 20 points in the first half.",
        "Carmelo Anthony and Derrick Rose combined for 50 points against the Hawks.",
    ],
)
def test_other_sums(apply_rules, text):
    assert apply_rules([sums.combined], FIRST + text) == []


def test_sum_names_the_cells_it_comes_from(extractor, paper):
    text = FIRST + "Carmelo Anthony and Derrick Rose combined for 45 points."
    recap = ParsedRecap(tokenize(text), GameFacts(changed_game(paper)), extractor.names, [])
    [finding] = sums.combined(recap)
    assert finding.fact is not None
    assert [cell.value for cell in finding.fact.sources] == ["30", "15"]
