"""What an editor would not let pass although it is true."""

import copy
import datetime

import pytest

from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Fixture, Season
from stg.checking.checker import Checker, findings_of
from stg.checking.editing import FAULTS, hides_the_overtime, repeats_the_next_game, skips_the_turn


OPENING = "The Milwaukee Bucks beat the New York Knicks 105 - 104 on Wednesday ."


@pytest.fixture
def fault(extractor):
    """The result of a rule on the last sentence of a text."""

    def fault(rule, text: str, game):
        [recap] = Checker(extractor).parse([text.split()], [game])
        return rule(recap, findings_of(recap), recap.sentences[-1].start)

    return fault


def test_an_overtime_is_told_before_the_players(fault, paper):
    longer = copy.deepcopy(paper)
    for line, points in (("home_line", "114"), ("vis_line", "115")):
        longer[line]["TEAM-PTS"] = points
    longer["home_line"]["TEAM-PTS_QTR4"] = "18"  # 105 all after regulation
    for player in longer["box_score"]["MIN"]:
        if longer["box_score"]["MIN"][player] != "N/A":
            longer["box_score"]["MIN"][player] = str(int(longer["box_score"]["MIN"][player]) + 3)
    opening = "The Milwaukee Bucks beat the New York Knicks 115 - 114 on Wednesday ."
    players = f"{opening} Carmelo Anthony led the Knicks with 30 points ."
    assert fault(hides_the_overtime, opening, longer) is None
    assert fault(hides_the_overtime, players, longer) == "players before the overtime"
    assert fault(hides_the_overtime, players.replace("on Wed", "in overtime on Wed"), longer) is None
    assert fault(hides_the_overtime, f"{OPENING} Carmelo Anthony led the Knicks with 30 points .", paper) is None


def test_a_comeback_is_told_before_the_players(fault, paper):
    players = f"{OPENING} Carmelo Anthony led the Knicks with 30 points ."
    assert fault(skips_the_turn, players, paper) == "skips how the game turned"
    told = f"{OPENING} The Bucks won the fourth quarter 32 - 17 . Carmelo Anthony led the Knicks with 30 points ."
    assert fault(skips_the_turn, told, paper) is None
    third = told.replace("won the fourth quarter 32 - 17", "were down 87 - 73 after three quarters")
    assert fault(skips_the_turn, third, paper) == "skips how the game turned", "the Bucks were still behind"
    ahead = copy.deepcopy(paper)
    ahead["vis_line"] |= {"TEAM-PTS_QTR2": "45", "TEAM-PTS_QTR4": "12"}
    assert fault(skips_the_turn, players, ahead) is None
    unknown = copy.deepcopy(paper)
    unknown["vis_line"]["TEAM-PTS_QTR2"] = "N/A"
    assert fault(skips_the_turn, players, unknown) is None


def test_a_rematch_is_told_once(fault, paper):
    days = (datetime.date(2017, 1, 4), datetime.date(2017, 1, 6))
    fixtures = [Fixture(day, ("Knicks", "Bucks"), ("New York", "Milwaukee")) for day in days]
    game = GameFacts(paper, Season([], fixtures))
    once = f"{OPENING} The Bucks visit the New York Knicks on Friday ."
    assert fault(repeats_the_next_game, once, game) is None
    twice = f"{once} The Knicks host the Milwaukee Bucks on Friday ."
    assert fault(repeats_the_next_game, twice, game) == "tells of the next game twice"


def test_every_fault_is_listed():
    assert len(set(FAULTS)) == len(FAULTS) >= 6
