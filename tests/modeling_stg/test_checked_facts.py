"""Facts for checking that models do not read: ties, the end, the arena, places by points, means, ordinals, rest."""

import datetime
import json

import pytest

from modeling_stg.fact_schema import FACT_KINDS, GROUPS, attribute_lists
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.numbers import ordinal
from modeling_stg.season import Fixture, Season
from tests.stg.checking.conftest import HAWKS, KNICKS, WIZARDS, another, changed_game


@pytest.fixture(scope="module")
def facts(paper) -> GameFacts:
    return GameFacts(Game.from_json(paper))


def test_models_do_not_read_them():
    unread = {name for name, kind in FACT_KINDS.items() if not kind.is_record}
    assert {"TEAM-TIED_H1", "PTS_NTH", "MEAN_PTS", "DOUBLE_NTH", "TEAM-NEXT_REST_DAYS"} <= unread
    team, player = attribute_lists(GROUPS)
    assert not unread.intersection([*team, *player])


def test_ties_and_the_end_of_a_game(facts, paper):
    """52 - 52 at halftime; 104 - 105 after four quarters."""
    assert [facts.value(team, "TEAM-TIED_H1") for team in (0, 1)] == ["tied", "tied"]
    assert [cell.value for cell in facts.get(0, "TEAM-TIED_H1").cells()] == ["25", "27", "27", "25"]
    assert facts.get(0, "TEAM-TIED_Q1") is None and facts.get(0, "TEAM-TIED_IN_Q3") is None
    assert facts.value(1, "TEAM-ENDED_IN") == "regulation"
    data = json.loads(json.dumps(paper))
    data["home_line"]["TEAM-PTS_QTR4"], data["vis_line"]["TEAM-PTS_QTR4"] = "8", "22"
    assert GameFacts(changed_game(data)).value(1, "TEAM-ENDED_IN") == "overtime"
    data["home_line"]["TEAM-PTS_QTR4"] = "N/A"
    assert GameFacts(changed_game(data)).get(0, "TEAM-ENDED_IN") is None


def test_the_arena_is_the_home_teams(facts):
    assert [facts.value(team, "TEAM-ARENA") for team in (0, 1)] == ["Madison Square Garden"] * 2


def test_players_by_role_and_points(facts):
    names = {"Carmelo Anthony": "first", "Derrick Rose": "second", "Courtney Lee": "fourth"}
    for name, place in names.items():
        assert facts.value(facts.game.position(name), "PTS_NTH") == place
    assert facts.value(facts.game.position("Greg Monroe"), "BENCH_HIGH_PTS") == "bench - high"
    for role, numbers in (("STARTERS", ["3", "3"]), ("RESERVES", ["1", "2"])):
        assert [facts.value(team, f"TEAM-DOUBLE_FIGURES_{role}") for team in (0, 1)] == numbers


def test_facts_of_the_season(paper):
    """Two games of a season that began with a defeat; Anthony had 21 and 30 points, and ten rebounds in both."""
    before = another(paper, "12_26_16", KNICKS, WIZARDS, ((0, 1), (1, 0)), PTS="21", REB="10")
    game = another(paper, "12_28_16", KNICKS, HAWKS, ((0, 2), (2, 0)), PTS="30", REB="10")
    coming = Fixture(datetime.date(2016, 12, 31), ("Knicks", "Hawks"), ("New York", "Atlanta"))
    today = Fixture(datetime.date(2016, 12, 28), ("Knicks", "Hawks"), ("New York", "Atlanta"))
    facts = GameFacts(game, Season([before], [today, coming]))
    melo = facts.game.position("Carmelo Anthony")
    assert (facts.value(melo, "MEAN_PTS"), facts.value(melo, "AVG_PTS")) == ("25.5", "26")
    assert facts.value(melo, "MEAN_PTS_LAST2") == "25.5"
    assert (facts.value(melo, "DOUBLE_NTH"), facts.value(melo, "DOUBLE_STREAK_NTH")) == ("second", "second")
    assert facts.get(melo, "TRIPLE_NTH") is None
    assert facts.number(0, "TEAM-NEXT_REST_DAYS") == 2
    assert facts.number(0, "TEAM-LOSSES_LAST2") == 2 and facts.get(0, "TEAM-LOSSES_LAST2_BEFORE") is None


def test_a_players_last_games_have_no_gap(paper):
    """He played on the 22nd too, but the Knicks' game between is unknown, and he may have played in it."""
    known = another(paper, "12_26_16", KNICKS, WIZARDS, ((5, 9), (9, 5)), PTS="21")
    older = another(paper, "12_22_16", KNICKS, WIZARDS, ((5, 7), (7, 5)), PTS="11")
    game = another(paper, "12_28_16", KNICKS, HAWKS, ((5, 10), (10, 5)), PTS="30")
    facts = GameFacts(game, Season([older, known]))
    melo = facts.game.position("Carmelo Anthony")
    assert facts.number(melo, "TOTAL_PTS_LAST2") == 51
    assert facts.get(melo, "TOTAL_PTS_LAST3") is None


def test_ordinals():
    numbers = (1, 2, 3, 10, 11, 12, 13, 21, 22, 23, 24, 81)
    expected = "first second third tenth 11th 12th 13th 21st 22nd 23rd 24th 81st".split()
    assert [ordinal(number) for number in numbers] == expected
