"""What an editor would not let pass although it is true."""

import copy
import datetime

import pytest

from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Fixture, Season
from stg.checking.checker import Checker, findings_of
from stg.checking.editing import (
    FAULTS,
    disagrees,
    exaggerates,
    hides_the_overtime,
    lacks_its_noun,
    looks_ahead_early,
    repeats_the_next_game,
    skips_the_turn,
    tells_a_zero,
)


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


@pytest.mark.parametrize(
    ("verb", "expected"),
    [("edged", None), ("held off", None), ("beat", None), ("routed", "routed by 1"), ("ran past", "ran past by 1")],
)
def test_the_verb_fits_the_margin(fault, paper, verb, expected):
    assert fault(exaggerates, OPENING.replace("beat", verb), paper) == expected
    assert fault(exaggerates, f"{OPENING} Earlier they had {verb} others by 30 .", paper) is None


def test_coming_games_are_told_last(fault, paper):
    days = (datetime.date(2017, 1, 4), datetime.date(2017, 1, 6))
    game = GameFacts(paper, Season([], [Fixture(day, ("Knicks", "Bucks"), ("New York", "Milwaukee")) for day in days]))
    ahead, player = "The Knicks host the Milwaukee Bucks on Friday .", "Carmelo Anthony had 30 points ."
    assert fault(looks_ahead_early, f"{OPENING} {ahead}", game) == "looks ahead too early"
    body = " ".join([OPENING, *["The Bucks won ."] * 40])
    assert fault(looks_ahead_early, f"{body} {ahead}", game) is None
    assert fault(looks_ahead_early, f"{body} {player}", game) is None
    assert fault(looks_ahead_early, f"{body} {ahead} {player}", game) == "players after the next games"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Milwaukee has won three in a row .", None),
        ("Milwaukee have won three in a row .", "Milwaukee have"),
        ("Milwaukee won the third quarter 30 - 20 and were up 95 - 82 .", "Milwaukee were"),
        ("The Bucks have won three in a row and visit the Chicago Bulls .", None),
        ("The Bucks has won three in a row .", "Bucks has"),
        ("The Milwaukee Bucks hosts the Chicago Bulls .", "Milwaukee Bucks hosts"),
        ("On Friday Milwaukee and New York play again .", None),  # not one team's verb
        ("Milwaukee led , and the Knicks were down by four .", None),
    ],
)
def test_cities_are_singular_and_nicknames_plural(fault, paper, sentence, expected):
    assert fault(disagrees, f"{OPENING} {sentence}", paper) == expected


def test_every_fault_is_listed():
    assert len(set(FAULTS)) == len(FAULTS) >= 11


@pytest.mark.parametrize(
    "sentence, objects",
    [
        ("Giannis Antetokounmpo had 27 points and zero steals .", False),  # he had one: false, but no zero of his
        ("Carmelo Anthony had zero blocks .", True),
        ("Carmelo Anthony went 4 - of - 10 from three .", False),
    ],
)
def test_zeros_are_not_told(fault, paper, sentence, objects):
    assert bool(fault(tells_a_zero, f"{OPENING} {sentence}", paper)) is objects


@pytest.mark.parametrize(
    "sentence, objects",
    [
        ("Jabari Parker had a 3 - of - 8 from three .", True),
        ("The Bucks took an 18 - point .", True),
        ("The Bucks took an 18 - point and won .", True),
        ("Jabari Parker had a 3 - of - 8 night from three .", False),
        ("The Bucks took an 18 - point lead .", False),
        ("Jabari Parker shot 3 - of - 8 from three .", False),
    ],
)
def test_an_article_wants_a_noun_after_the_number(fault, paper, sentence, objects):
    assert bool(fault(lacks_its_noun, f"{OPENING} {sentence}", paper)) is objects
