"""Every verdict rests on a fact: findings carry it, reports name its cells, and without it rules say nothing."""

import json

import pytest

from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from modeling_stg.text import tokenize
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from stg.checking.report import check_report
from tests.stg.checking.conftest import ANTHONY, FIRST, changed_game
from tests.stg.checking.test_checker import rule_sentences


@pytest.fixture(scope="module")
def checker(extractor, season) -> Checker:
    return Checker(extractor, Season(season))


def test_every_verdict_carries_a_fact_of_the_game(checker, game):
    facts = GameFacts(game, checker.season)
    for text in rule_sentences():
        for finding in checker.check(text, game):
            contradicts_itself = finding.rule == "scores.uneven_ties"  # whatever the score was
            if finding.verdict == UNKNOWN or contradicts_itself or finding.claim.endswith("did not play in this game"):
                continue
            assert finding.fact is not None, (text, finding)
            sources = finding.fact.sources  # of several players, where a sum decides
            known = facts.get(finding.fact.entity, finding.fact.attribute)
            is_sum = len({source.entity for source in sources}) > 1
            assert finding.fact == known or (
                is_sum and all(source == facts.get(source.entity, source.attribute) for source in sources)
            )


MELO = "Carmelo Anthony"
FACTS = [  # text, piece, entity, attribute, value
    ("The Knicks took a 14-point lead into the fourth quarter.", "14", "Knicks", "TEAM-LEAD_Q3", "14"),
    ("The Bucks trailed by 14 entering the final period.", "14", "Bucks", "TEAM-DEFICIT_Q3", "14"),
    ("The Knicks took an 87-73 lead into the fourth.", "73", "Bucks", "TEAM-PTS_AFTER_Q3", "73"),
    ("It was a ten-point lead at halftime.", "ten", "Knicks", "TEAM-TIED_H1", "tied"),
    ("The Bucks outscored the Knicks by 15 in the fourth quarter.", "15", "Bucks", "TEAM-WON_BY_Q4", "15"),
    ("The Bucks outscored the Knicks 53-52 in the second half.", "52", "Knicks", "TEAM-PTS_H2", "52"),
    ("It was a one-point loss.", "one", "Knicks", "TEAM-LOST_BY", "1"),
    (ANTHONY, "led", MELO, "TEAM_HIGH_PTS", "team - high"),
    (ANTHONY + "Derrick Rose was second on the team with 15 points.", "second", "Derrick Rose", "PTS_NTH", "second"),
    ("Greg Monroe scored 15 points off the bench.", "off the bench", "Greg Monroe", "ROLE", "bench"),
    ("The Knicks have now lost two straight games.", "two", "Knicks", "TEAM-LOSS_STREAK", "2"),
    ("The Knicks have now won two of their last three games.", "two", "Knicks", "TEAM-WINS_LAST3", "1"),
    (ANTHONY + "The Knicks next host the Atlanta Hawks on Sunday.", "Sunday", "Knicks", "TEAM-NEXT_WEEKDAY", "Friday"),
    (ANTHONY + "He combined for 50 points over his last two games.", "50", MELO, "TOTAL_PTS_LAST2", "50"),
    (ANTHONY + "He is averaging 24 points over his last two games.", "24", MELO, "MEAN_PTS_LAST2", "25.0"),
]


@pytest.mark.parametrize(("text", "piece", "entity", "attribute", "value"), FACTS)
def test_facts_of_findings(checker, game, text, piece, entity, attribute, value):
    """The finding covers the piece alone; its fact is of the entity that the claim is about."""
    tokens = tokenize(FIRST + text)
    facts = [
        (game.entities[finding.fact.entity].name, finding.fact.attribute, finding.fact.value)
        for finding in checker.check(tokens, game)
        if finding.start >= len(tokenize(FIRST)) and " ".join(tokens[finding.start : finding.end]) == piece
    ]
    assert facts == [(entity, attribute, value)]


def test_reports_name_the_cells_of_a_computed_fact(checker, game):
    text = FIRST + "The Bucks outscored the Knicks by nine in the fourth quarter. They had 42 rebounds in 99 days."
    margin, rebounds, unknown = check_report(game, text, tokenize(text), checker.check(text, game))["findings"][-3:]
    assert (margin["entity"], margin["attribute"], margin["truth"]) == ("Bucks", "TEAM-WON_BY_Q4", "15")
    assert margin["from"] == [
        {"entity": "Bucks", "attribute": "TEAM-PTS_QTR4", "value": "32"},
        {"entity": "Knicks", "attribute": "TEAM-PTS_QTR4", "value": "17"},
    ]
    assert (rebounds["attribute"], rebounds["from"]) == ("TEAM-REB", [])
    assert (unknown["verdict"], unknown["attribute"], unknown["from"]) == ("unknown", None, None)


def test_totals_of_incomplete_box_scores_decide_nothing(checker, paper):
    """Without all of its players, a team's shots and players in double figures are unknown."""
    text = FIRST + "The Knicks had nine players in double figures. The Knicks went 1-of-2 from the field."
    incomplete = json.loads(json.dumps(paper))
    [melo] = [key for key, name in paper["box_score"]["PLAYER_NAME"].items() if name == "Carmelo Anthony"]
    incomplete["box_score"]["PTS"][melo] = "20"
    for data, number in ((paper, 3), (incomplete, 0)):
        false = [finding for finding in checker.check(text, changed_game(data)) if finding.verdict == FALSE]
        assert len(false) == number


def test_streaks_that_reach_unknown_games_are_at_least_what_is_known(extractor, game, season):
    """The Knicks lost to the Bucks and the Wizards; what came before is only known with all games."""
    text = "The Knicks have now lost {} straight games."
    verdicts = {}
    for games in (season, season[:2]):
        for number in ("two", "three"):
            findings = Checker(extractor, Season(games)).check(text.format(number), game)
            verdicts[len(games), number] = [finding.verdict for finding in findings]
    assert verdicts[5, "two"] == verdicts[2, "two"] == [TRUE]
    assert (verdicts[5, "three"], verdicts[2, "three"]) == ([FALSE], [UNKNOWN])
