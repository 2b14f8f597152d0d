"""The mutation test: what counts as noticed, and where."""

import pytest

from modeling_stg.game_facts import GameFacts
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, NOT_UNDERSTOOD, TRUE, UNKNOWN, Finding
from stg.checking.mutation import Mutation
from stg.checking.self_test import (
    ELSEWHERE,
    HERE,
    MISSED,
    NEAR,
    Outcome,
    Placed,
    SelfTest,
    _outcome,
    self_test,
    tally,
)


MUTATION = Mutation("number", 20, 22, "105", (10, 40))  # one character longer


def placed(start, end, verdict=FALSE):
    return Placed(start, end, Finding(0, 1, "number", verdict, f"at {start}"))


@pytest.mark.parametrize(
    "found, where",
    [
        ([placed(20, 23)], HERE),
        ([placed(31, 33), placed(22, 25)], HERE),
        ([placed(31, 33)], NEAR),
        ([placed(12, 14)], NEAR),
        ([placed(2, 4)], ELSEWHERE),
        ([placed(51, 53)], ELSEWHERE),
        ([placed(61, 63)], MISSED),  # false before, then at 60
        ([placed(5, 6)], MISSED),
        ([placed(20, 23, TRUE)], MISSED),
        ([], MISSED),
    ],
)
def test_only_new_false_findings_count(found, where):
    assert _outcome(MUTATION, found, {(60, 62), (5, 6)}).where == where


def test_changed_number_must_be_marked_itself():
    assert Outcome(MUTATION, HERE, []).is_placed and not Outcome(MUTATION, NEAR, []).is_placed
    player = Mutation("player", 20, 22, "Al", (10, 40))
    assert Outcome(player, NEAR, []).is_placed and not Outcome(player, ELSEWHERE, []).is_placed


def test_recap_of_the_papers_game(extractor, game):
    text = "The Milwaukee Bucks edged the New York Knicks, 105-104, on Wednesday. Carmelo Anthony had 30 points."
    test = self_test(Checker(extractor), text, GameFacts(game))
    assert {found.finding.verdict for found in test.findings} == {TRUE}
    assert len(test.outcomes) == 9 and all(
        outcome.where == HERE for outcome in test.outcomes if outcome.mutation.kind == "number"
    )
    counts = tally([test])
    assert counts["mutations"]["number"] == {"mutations": 3, "noticed": 3, "placed": 3}
    assert counts["mutations"]["all"]["mutations"] == 9 and counts["unmutated"]["false"] == 0


def test_what_is_marked_anyway_is_not_mutated(extractor, game):
    text = "The Milwaukee Bucks edged the New York Knicks, 105-101. Carmelo Anthony had 30 points."
    changed = {outcome.mutation.start for outcome in self_test(Checker(extractor), text, GameFacts(game)).outcomes}
    assert text.index("30") in changed and text.index("101") not in changed and text.index("105") in changed


def test_tally_counts_numbers_that_are_not_understood():
    findings = [Placed(0, 1, Finding(0, 1, "number", UNKNOWN, "", unknown_because=NOT_UNDERSTOOD)), placed(3, 4)]
    assert tally([SelfTest(findings, [])])["unmutated"] == {"true": 0, "false": 1, "numbers": 2, "not understood": 1}
