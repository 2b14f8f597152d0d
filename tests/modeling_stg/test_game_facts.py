"""Facts of one game against values computed by hand."""

from dataclasses import replace

import pytest

from modeling_stg.fact_schema import PLAYER_FACTS, TEAM_FACTS
from modeling_stg.facts import Token
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from tests.helpers.made_games import idle_player, made_game, made_player, made_team


KNICKS = {
    **{"TEAM-RESULT": "lost", "TEAM-MARGIN": "1", "TEAM-PTS_HALF": "52", "TEAM-WEEKDAY": "Wednesday"},
    **{"TEAM-QTR1": "lost", "TEAM-QTR2": "won", "TEAM-QTR3": "won", "TEAM-QTR4": "lost"},
    **{"TEAM-PLACE": "home", "TEAM-LOST_BY": "1", "TEAM-PTS_H1": "52", "TEAM-PTS_H2": "52"},
    **{"TEAM-PTS_AFTER_Q3": "87", "TEAM-BEST_QTR": "third"},
    **{"TEAM-DEFICIT_Q1": "2", "TEAM-LEAD_Q3": "14"},
    **{"TEAM-WON_BY_Q2": "2", "TEAM-WON_BY_Q3": "14", "TEAM-LOST_BY_Q4": "15", "TEAM-LOST_BY_H2": "1"},
    **{"TEAM-FGM": "42", "TEAM-FGA": "94", "TEAM-FG3M": "13", "TEAM-FG3A": "28", "TEAM-FTM": "7", "TEAM-FTA": "12"},
    **{"TEAM-OREB": "15", "TEAM-STL": "9", "TEAM-BLK": "3"},
    **{"TEAM-PTS_BENCH": "33", "TEAM-PTS_STARTERS": "71", "TEAM-DOUBLE_FIGURES": "4"},
    **{"TEAM-REB_EDGE": "4", "TEAM-AST_EDGE": "6", "TEAM-FG3_PCT_EDGE": "14"},
    **{"TEAM-FG_MISSED": "52", "TEAM-FG3_MISSED": "15", "TEAM-FT_MISSED": "5"},
    **{
        "TEAM-FGM_EDGE": "5",
        "TEAM-FGA_EDGE": "16",
        "TEAM-FG3M_EDGE": "4",
        "TEAM-OREB_EDGE": "8",
        "TEAM-STL_EDGE": "2",
    },
    **{"TEAM-TOP_SCORER": "Carmelo Anthony", "TEAM-TOP_REBOUNDER": "Joakim Noah"},
    **{"TEAM-TOP_ASSISTER": "Carmelo Anthony", "TEAM-ARENA": "Madison Square Garden", "TEAM-ENDED_IN": "regulation"},
    **{"TEAM-TIED_H1": "tied", "TEAM-DOUBLE_FIGURES_STARTERS": "3", "TEAM-DOUBLE_FIGURES_RESERVES": "1"},
}
BUCKS = {
    **{"TEAM-RESULT": "won", "TEAM-MARGIN": "1", "TEAM-PTS_HALF": "52", "TEAM-WEEKDAY": "Wednesday"},
    **{"TEAM-QTR1": "won", "TEAM-QTR2": "lost", "TEAM-QTR3": "lost", "TEAM-QTR4": "won"},
    **{"TEAM-PLACE": "road", "TEAM-WON_BY": "1", "TEAM-PTS_H1": "52", "TEAM-PTS_H2": "53"},
    **{"TEAM-PTS_AFTER_Q3": "73", "TEAM-BEST_QTR": "fourth"},
    **{"TEAM-LEAD_Q1": "2", "TEAM-DEFICIT_Q3": "14"},
    **{"TEAM-LOST_BY_Q2": "2", "TEAM-LOST_BY_Q3": "14", "TEAM-WON_BY_Q4": "15", "TEAM-WON_BY_H2": "1"},
    **{"TEAM-FGM": "37", "TEAM-FGA": "78", "TEAM-FG3M": "9", "TEAM-FG3A": "28", "TEAM-FTM": "22", "TEAM-FTA": "31"},
    **{"TEAM-OREB": "7", "TEAM-STL": "7", "TEAM-BLK": "5"},
    **{"TEAM-PTS_BENCH": "46", "TEAM-PTS_STARTERS": "59", "TEAM-DOUBLE_FIGURES": "5"},
    **{"TEAM-FG_PCT_EDGE": "2", "TEAM-PTS_BENCH_EDGE": "13"},
    **{"TEAM-FG_MISSED": "41", "TEAM-FG3_MISSED": "19", "TEAM-FT_MISSED": "9"},
    **{"TEAM-FTM_EDGE": "15", "TEAM-FTA_EDGE": "19", "TEAM-BLK_EDGE": "2"},
    **{"TEAM-TOP_SCORER": "Giannis Antetokounmpo", "TEAM-TOP_REBOUNDER": "Giannis Antetokounmpo"},
    **{"TEAM-TOP_ASSISTER": "Malcolm Brogdon", "TEAM-ARENA": "Madison Square Garden", "TEAM-ENDED_IN": "regulation"},
    **{"TEAM-TIED_H1": "tied", "TEAM-DOUBLE_FIGURES_STARTERS": "3", "TEAM-DOUBLE_FIGURES_RESERVES": "2"},
}
PLAYERS = {
    "Giannis Antetokounmpo": {
        **{"FG_MISSED": "8", "FG3_MISSED": "3", "FT_MISSED": "1"},
        **{"RESULT": "won", "TEAM_NAME": "Bucks", "RANK": "1", "DOUBLES": "2", "DOUBLE": "double - double"},
        **{"ROLE": "starter", "TEAM_HIGH_PTS": "team - high", "TEAM_HIGH_REB": "team - high"},
        **{"TEAM_HIGH_BLK": "team - high", "GAME_HIGH_BLK": "game - high", "PTS_NTH": "first"},
        **{"STARTER_HIGH_PTS": "starter - high"},
        **{"TEAM_HIGH_MIN": "team - high", "GAME_HIGH_MIN": "game - high"},
    },
    "Greg Monroe": {
        **{"FG_MISSED": "3", "FT_MISSED": "6"},
        **{"RESULT": "won", "TEAM_NAME": "Bucks", "RANK": "2", "DOUBLES": "1", "ROLE": "bench"},
        **{"PTS_NTH": "second", "BENCH_HIGH_PTS": "bench - high"},
        **{"TEAM_HIGH_STL": "team - high", "GAME_HIGH_STL": "game - high"},
    },
    "Malcolm Brogdon": {
        **{"FG_MISSED": "9", "FG3_MISSED": "3"},
        **{"RESULT": "won", "TEAM_NAME": "Bucks", "RANK": "5", "DOUBLES": "1", "ROLE": "starter", "PTS_NTH": "fifth"},
        **{"TEAM_HIGH_AST": "team - high", "GAME_HIGH_AST": "game - high"},
    },
    "Carmelo Anthony": {
        **{"FG_MISSED": "13", "FG3_MISSED": "6", "FT_MISSED": "2"},
        **{"RESULT": "lost", "TEAM_NAME": "Knicks", "RANK": "1", "DOUBLES": "2", "DOUBLE": "double - double"},
        **{"ROLE": "starter", "TEAM_HIGH_PTS": "team - high", "GAME_HIGH_PTS": "game - high"},
        **{"TEAM_HIGH_AST": "team - high", "PTS_NTH": "first", "STARTER_HIGH_PTS": "starter - high"},
    },
    "Joakim Noah": {
        **{"FG_MISSED": "3", "FT_MISSED": "2"},
        **{
            "RESULT": "lost",
            "TEAM_NAME": "Knicks",
            "RANK": "5",
            "DOUBLES": "1",
            "ROLE": "starter",
            "PTS_NTH": "fifth",
        },
        **{"TEAM_HIGH_REB": "team - high", "GAME_HIGH_REB": "game - high", "TEAM_HIGH_BLK": "team - high"},
    },
    "Lance Thomas": {
        **{"FG_MISSED": "5", "FG3_MISSED": "1"},
        **{
            "RESULT": "lost",
            "TEAM_NAME": "Knicks",
            "RANK": "7",
            "DOUBLES": "0",
            "ROLE": "starter",
            "PTS_NTH": "seventh",
        },
        **{"TEAM_HIGH_STL": "team - high", "GAME_HIGH_STL": "game - high", "TEAM_HIGH_MIN": "team - high"},
    },
    "Ron Baker": {"RESULT": "lost", "TEAM_NAME": "Knicks"},  # did not play
}
LINE = (25, 20, 30, 25)


def computed(facts: GameFacts, entity: int) -> dict[str, str]:
    kinds = TEAM_FACTS if entity < 2 else PLAYER_FACTS
    return {attribute: fact.value for attribute in kinds if (fact := facts.get(entity, attribute))}


def five(is_home: bool, *points: int, **numbers: int) -> list:
    """Starters with these points, 48 minutes each unless given."""
    side = "Home" if is_home else "Away"
    numbers = {"MIN": 48, **numbers}
    return [made_player(f"{side} {n}", is_home, start="F", PTS=scored, **numbers) for n, scored in enumerate(points)]


def test_papers_game_by_hand(paper):
    game = Game.from_json(paper)
    facts = GameFacts(game)
    assert computed(facts, 0) == KNICKS
    assert computed(facts, 1) == BUCKS
    for name, expected in PLAYERS.items():
        assert computed(facts, game.position(name)) == expected, name


def test_formulas_name_the_cells(paper):
    facts = GameFacts(paper)
    assert facts.formula(facts.get(0, "TEAM-LEAD_Q3")) == "lead after three quarters: 87 - 73"
    assert facts.formula(facts.get(0, "TEAM-PTS")) == "TEAM-PTS: 104"
    lead = facts.get(0, "TEAM-LEAD_Q3")
    cells = [(cell.entity, cell.attribute, cell.value) for cell in lead.cells()]
    assert cells == [
        *((0, f"TEAM-PTS_QTR{n}", points) for n, points in ((1, "25"), (2, "27"), (3, "35"))),
        *((1, f"TEAM-PTS_QTR{n}", points) for n, points in ((1, "27"), (2, "25"), (3, "21"))),
    ]
    token = Token("14", lead, "digits").to_json(facts.game)
    assert token["from"][0] == {"entity": "Knicks", "attribute": "TEAM-PTS_QTR1", "value": "25"}


def test_double_overtime():
    players = [*five(True, 40, 30, 20, 20, 9, MIN=58), *five(False, 25, 25, 25, 25, 23, MIN=58)]
    home = made_team("Jazz", True, 119, quarters=(25, 25, 25, 25))
    facts = GameFacts(made_game(home, made_team("Heat", False, 123, quarters=(30, 20, 20, 30)), players))
    expected = {
        **{"TEAM-OVERTIMES": "2", "TEAM-PTS_OT": "19", "TEAM-PTS_AFTER_Q4": "100", "TEAM-LOST_BY_OT": "4"},
        **{"TEAM-LOST_BY": "4", "TEAM-PTS_H2": "50", "TEAM-LEAD_Q3": "5", "TEAM-LOST_BY_Q4": "5"},
    }
    assert {attribute: facts.value(0, attribute) for attribute in expected} == expected
    assert facts.value(1, "TEAM-WON_BY_OT") == "4" and facts.value(1, "TEAM-PTS_OT") == "23"
    assert not {"TEAM-BEST_QTR", "TEAM-WON_BY_H2", "TEAM-LOST_BY_H2", "TEAM-LEAD_H1"} & set(computed(facts, 0))


def test_overtimes_are_not_guessed_from_incomplete_minutes():
    """A box score without most of its players does not tell one overtime from two."""
    home = made_team("Jazz", True, 110, quarters=LINE)
    visitor = made_team("Heat", False, 108, quarters=LINE)
    facts = GameFacts(made_game(home, visitor, five(True, 60, 50)))
    assert facts.value(0, "TEAM-PTS_OT") == "10" and facts.get(0, "TEAM-OVERTIMES") is None


def test_level_at_the_break():
    home = made_team("Jazz", True, 100, quarters=(25, 25, 30, 20))
    facts = GameFacts(made_game(home, made_team("Heat", False, 99, quarters=(20, 30, 25, 24))))
    for team in (0, 1):
        assert not {"TEAM-LEAD_H1", "TEAM-DEFICIT_H1", "TEAM-HALF"} & set(computed(facts, team))
    assert facts.value(0, "TEAM-LEAD_Q1") == facts.value(1, "TEAM-DEFICIT_Q1") == "5"


def test_missing_quarter():
    home = made_team("Jazz", True, 100, quarters=(25, 20, None, 25))
    facts = GameFacts(made_game(home, made_team("Heat", False, 90, quarters=(20, 20, 20, 30))))
    known = {
        "TEAM-PTS_H1": "45",
        "TEAM-LEAD_H1": "5",
        "TEAM-LEAD_Q1": "5",
        "TEAM-LOST_BY_Q4": "5",
        "TEAM-WON_BY": "10",
    }
    assert {attribute: facts.value(0, attribute) for attribute in known} == known
    unknown = {"TEAM-PTS_H2", "TEAM-PTS_AFTER_Q3", "TEAM-LEAD_Q3", "TEAM-WON_BY_Q3", "TEAM-BEST_QTR", "TEAM-OVERTIMES"}
    assert not unknown & set(computed(facts, 0))
    assert facts.value(1, "TEAM-PTS_H2") == "50"


def test_quarters_that_do_not_add_up():
    home = made_team("Jazz", True, 104, quarters=LINE)
    facts = GameFacts(made_game(home, made_team("Heat", False, 90, quarters=(20, 20, 20, 30))))
    line_score = {attribute for attribute, kind in TEAM_FACTS.items() if kind.group == "line_score"}
    assert line_score & set(computed(facts, 0)) == {"TEAM-PLACE", "TEAM-WON_BY", "TEAM-ARENA"}


def test_players_who_do_not_add_up():
    players = [*five(True, 20, 20, 20, 20, 19), *five(False, 10, 20, 20, 20, 20)]
    facts = GameFacts(made_game(made_team("Jazz", True, 100), made_team("Heat", False, 90), players))
    totals = {attribute for attribute, kind in TEAM_FACTS.items() if kind.group == "totals"}
    assert not totals & set(computed(facts, 0))
    assert facts.value(1, "TEAM-DOUBLE_FIGURES") == "5" and facts.get(1, "TEAM-TOP_SCORER") is None


@pytest.mark.parametrize("known", [0, 4], ids=["none", "four of five"])
def test_roles_need_all_five_starters(known):
    players = five(True, 20, 20, 20, 20, 20)
    players = [
        replace(player, values={**player.values, "START_POSITION": "F" if n < known else None})
        for n, player in enumerate(players)
    ]
    facts = GameFacts(made_game(made_team("Jazz", True, 100), made_team("Heat", False, 90), players))
    assert facts.value(0, "TEAM-FGM") == "0"
    assert not {"TEAM-PTS_BENCH", "TEAM-PTS_STARTERS"} & set(computed(facts, 0))
    assert all(facts.get(player, "ROLE") is None for player in range(2, 7))


def test_reserves_role_comes_from_the_starters():
    players = [*five(True, 20, 20, 20, 20, 15), made_player("Sixth Man", True, MIN=10, PTS=5)]
    facts = GameFacts(made_game(made_team("Jazz", True, 100), made_team("Heat", False, 90), players))
    role = facts.get(7, "ROLE")
    assert role.value == "bench" and [cell.entity for cell in role.cells()] == [2, 3, 4, 5, 6]
    assert facts.value(0, "TEAM-PTS_BENCH") == "5"


def test_nothing_is_a_sum_of_nothing():
    """Nobody came off the bench, and nobody reached ten points: no facts without sources."""
    players = five(True, 9, 9, 9, 9, 9)
    facts = GameFacts(made_game(made_team("Jazz", True, 45), made_team("Heat", False, 0), players))
    assert facts.value(0, "TEAM-PTS_STARTERS") == "45"
    assert facts.get(0, "TEAM-PTS_BENCH") is None and facts.get(0, "TEAM-DOUBLE_FIGURES") is None
    assert facts.get(1, "TEAM-FGM") is None


def test_triple_double_and_ties_for_the_high():
    star = made_player("Star One", True, PTS=30, REB=12, AST=11, BLK=10)
    rival = made_player("Star Two", False, PTS=30, REB=10, AST=None)
    idle = idle_player("Star Three", False)
    facts = GameFacts(made_game(made_team("Jazz", True, 30), made_team("Heat", False, 30), [star, rival, idle]))
    assert facts.value(2, "DOUBLE") == "triple - double" and facts.value(2, "DOUBLES") == "4"
    assert [facts.value(player, "GAME_HIGH_PTS") for player in (2, 3)] == ["game - high"] * 2
    assert facts.value(2, "TEAM_HIGH_AST") == "team - high"
    assert facts.get(2, "GAME_HIGH_AST") is None  # the other's assists are unknown
    assert facts.get(3, "DOUBLE") is None and facts.get(3, "DOUBLES") is None
    assert facts.get(2, "TEAM_HIGH_STL") is None  # nobody has one
    assert computed(facts, 4) == {"TEAM_NAME": "Heat"}


def test_unknown_points_leave_no_rank():
    players = [made_player("A B", True, PTS=10), made_player("C D", True, PTS=None, MIN=20)]
    facts = GameFacts(made_game(made_team("Jazz", True, 30), made_team("Heat", False, 20), players))
    assert facts.get(2, "RANK") is None and facts.get(2, "TEAM_HIGH_PTS") is None


def test_get_agrees_with_iteration(paper):
    for facts in (GameFacts(paper), GameFacts({**paper, "feed": {"attendance": 19000, "vis": {"largest_lead": 3}}})):
        listed = {(fact.entity, fact.attribute): fact for fact in facts}
        again = GameFacts(facts.game)
        for entity, values in enumerate(facts.game.entities):
            for attribute in (*values.values, *(TEAM_FACTS if entity < 2 else PLAYER_FACTS)):
                assert again.get(entity, attribute) == listed.get((entity, attribute))
    assert listed[1, "TEAM-LARGEST_LEAD"].value == "3" and listed[0, "TEAM-ATTENDANCE"].value == "19000"
