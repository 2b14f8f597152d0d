"""The checker as a whole: precedence of rules, missing cells, the season, errors, the sample league."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator

import pytest

from modeling_stg.errors import StgError
from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import NOT_AVAILABLE
from modeling_stg.season import Season
from stg.checking.checker import _NAMED_RULES, Checker
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from stg.dataset import open_dataset
from stg.dataset.reading import open_season
from stg.extraction.candidates import number_spans
from tests.stg.checking import rules
from tests.stg.checking.conftest import ANTHONY, FIRST, without_cells


def rule_sentences() -> Iterator[str]:
    """The sentences that the tests of all rules judge."""
    for module in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        yield from (text for text, *_ in importlib.import_module(module.name).CASES)


def test_earlier_rules_take_precedence(extractor, game, monkeypatch):
    """By the cells alone, 46 and 42 may stand in either order; the rule on rebounding battles knows the order."""
    text = FIRST + "Rebounding decided it, with the Bucks winning that battle, 46-42."
    assert [finding.verdict for finding in Checker(extractor).check(text, game)[-2:]] == [FALSE, FALSE]
    monkeypatch.setattr("stg.checking.checker._NAMED_RULES", _NAMED_RULES[::-1])
    assert [finding.verdict for finding in Checker(extractor).check(text, game)[-2:]] == [TRUE, TRUE]


def test_missing_cells_decide_nothing(extractor, paper):
    checker = Checker(extractor)
    everything = " ".join(rule_sentences())
    no_teams = checker.check(everything, without_cells(paper, team=True))
    of_teams = [finding.fact for finding in no_teams if finding.fact and finding.fact.entity < 2]
    decided = {fact.attribute for fact in of_teams if fact.value != NOT_AVAILABLE}
    assert decided <= {"TEAM-NAME", "TEAM-CITY", "TEAM-WEEKDAY", "TEAM-ARENA", "TEAM-PLACE"}  # these need no number
    first = checker.check(FIRST, without_cells(paper, team=True))
    assert not [finding for finding in first if finding.claim.endswith("won")]
    columns = [
        name for name in paper["box_score"] if name not in ("PLAYER_NAME", "FIRST_NAME", "SECOND_NAME", "TEAM_CITY")
    ]
    no_players = checker.check(everything, without_cells(paper, *columns))
    decided = [finding for finding in no_players if finding.verdict != UNKNOWN and finding.fact is not None]
    of_players = {finding.fact.attribute for finding in decided if finding.fact.entity > 1}
    assert of_players <= {"TEAM_NAME", "RESULT"}  # these are his team's


@pytest.mark.parametrize(
    "text", ["", ".", "a", "27", "Bucks", "- 27 -", "by", "led", "the only other", "🏀 27 🏀", "of 12", "next"]
)
def test_fragments_do_not_fail(check, text):
    check(text)


def test_endless_sentence_is_refused(check):
    with pytest.raises(
        StgError, match="60 names and 60 numbers, from 'Rose had 2 Rose had' on; end sentences with a full"
    ):
        check("Rose had 2 " * 60)


def test_season_claims_are_not_judged_without_a_season(check):
    text = ANTHONY + "The Knicks have now won nine of their last ten games and next host the Boston Celtics on Sunday."
    assert [finding for finding in check(text) if finding[1] == FALSE]
    assert not [finding for finding in check(text, with_season=False) if finding[1] == FALSE]


def test_season_does_not_skip_unknown_games(game, season):
    """The Bucks' 35th game is known, their 36th (after this one) is the Wizards'; the Knicks' 33rd is the oldest."""
    known = Season(season)
    assert known.next(game, 0).names[1] == "Hawks" and known.next(game, 0).date.isoformat() == "2017-01-06"
    assert len(known.before(game, 0).games) == 2 and not known.before(game, 0).is_complete
    assert Season(season[1:]).next(game, 0) is None  # a game of another season has the same number


def test_every_number_of_the_sample_league_is_judged_and_true(extractor):
    """All numbers of cells are judged, and no true number, name or word of cells or other facts is called false."""
    checker, counts, season = Checker(extractor), Counter(), open_season("sample")
    for row in open_dataset(config="sample", split="test"):
        findings = checker.check(row["summary"], GameFacts(row, season))
        positions = [position for finding in findings for position in range(finding.start, finding.end)]
        assert len(positions) == len(set(positions)) and positions == sorted(positions)
        numbers = [span.start for span in number_spans(row["summary"]) if span.text.lower() != "one"]
        numbers = [at for at in numbers if row["summary"][at - 1 : at + 2] != ["after", "three", "quarters"]]
        assert set(numbers) <= {finding.start for finding in findings}
        by_position = {finding.start: finding.verdict for finding in findings}
        for mention in row["mentions"]:
            if mention["form"] != "text":
                counts[mention["attribute"] in FACT_KINDS, by_position.get(mention["position"])] += 1
        counts.update(("other", finding.verdict) for finding in findings if finding.kind != "number")
    assert counts[False, TRUE] >= 1000 and counts[False, UNKNOWN] <= 5, counts
    assert counts[True, TRUE] >= 35 and counts[True, TRUE] + counts[True, UNKNOWN] >= 230, counts
    assert counts[False, FALSE] == counts[True, FALSE] == 0, counts
    assert counts["other", TRUE] > 200 and counts["other", FALSE] == 0, counts
