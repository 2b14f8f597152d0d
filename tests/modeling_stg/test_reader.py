"""What the reader accepts beyond RotoWire's own way of writing, and what it derives."""

import copy
import datetime
import math
import warnings

import numpy as np
import pytest

from modeling_stg.arenas import courts
from modeling_stg.consistency import doubtful_cells
from modeling_stg.errors import GameErrors, GameWarning
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import QUARTERS
from modeling_stg.validation import read_date, read_number_cell


DAY = datetime.date(2017, 1, 4)


@pytest.fixture
def game(paper) -> dict:
    return copy.deepcopy(paper)


@pytest.mark.parametrize(
    "text",
    [
        *("01_04_17", "2017-01-04", "20170104", "01/04/2017", "1/4/17", "2017/01/04", "04.01.2017"),
        *(
            "January 4, 2017",
            "Jan 4, 2017",
            "Wednesday, January 4, 2017",
            "4 January 2017",
            "WEDNESDAY, JANUARY 4, 2017",
        ),
        *("2017-01-04T19:30:00Z", "2017-01-04 00:00:00", DAY, datetime.datetime(2017, 1, 4, 19), 20170104),
        np.int64(20170104),
    ],
)
def test_dates(text):
    assert read_date(text) == DAY


@pytest.mark.parametrize(
    "text", ["", "2017", "2017-13-01", "31/12/2017", None, True, 4.5, 10**40, "1900-01-01", "x" * 999]
)
def test_no_dates(text):
    assert read_date(text) is None


@pytest.mark.parametrize(
    "attribute, value, expected",
    [
        *(("MIN", value, "32") for value in ("32", 32, "32:14", "PT32M14.00S", "PT32M", 32.4, "32.4", "31:30", 31.5)),
        *(
            ("FG_PCT", value, "46")
            for value in (46, "46", 46.2, "46.2", "46.2%", 0.462, ".462", "0.462", np.float32(0.46))
        ),
        *(("FT_PCT", value, "100") for value in (1.0, "1.000", 100, "100.0")),
        *(("FT_PCT", value, "1") for value in (1, "1")),
        *(("AST", value, "7") for value in (7, "7", 7.0, "7.0", " 7 ", np.int32(7))),
        *(("AST", value, None) for value in (None, math.nan, "", "N/A", "nan", "-", np.float64("nan"))),
        ("TEAM-ATTENDANCE", 18997.0, "18997"),
    ],
)
def test_numbers(attribute, value, expected):
    assert read_number_cell(value, attribute, "place") == expected


def test_names_are_derived_from_full_names(game):
    expected = Game.from_json(game)
    for column in ("FIRST_NAME", "SECOND_NAME"):
        del game["box_score"][column]
    for field in ("home_name", "home_city", "vis_city"):
        del game[field]
    assert Game.from_json(game) == expected
    game["home_name"] = game["home_line"]["TEAM-NAME"] = "New York Knicks"
    del game["home_line"]["TEAM-CITY"]
    home = Game.from_json(game).home
    assert (home.name, home.values["TEAM-CITY"]) == ("Knicks", "New York")


def test_percentages_are_derived(game):
    expected = Game.from_json(game).players
    columns = ("FG_PCT", "FG3_PCT", "FT_PCT")
    for column in columns:
        del game["box_score"][column]
    for own, other in zip(Game.from_json(game).players, expected, strict=True):
        for column in columns:  # RotoWire rounds otherwise: 10 of 23 are 44
            assert own.number(column) == other.number(column) or abs(own.number(column) - other.number(column)) <= 1
    assert Game.from_json(game).players[0].values["FG_PCT"] == "56"


def test_missing_quarters_tell_nothing(game):
    for side in ("home", "vis"):
        for quarter in QUARTERS:
            del game[f"{side}_line"][quarter]
    facts = GameFacts(game)
    told = {fact.attribute for fact in facts if fact.value is not None}
    assert not told & {"TEAM-LEAD_H1", "TEAM-PTS_H1", "TEAM-WON_BY_Q4", "TEAM-BEST_QTR", *QUARTERS}
    assert facts.value(0, "TEAM-LOST_BY") == "1"


def test_halves_and_overtimes_without_quarters(game):
    for side, half in (("home", 50), ("vis", 48)):
        line = game[f"{side}_line"]
        for quarter in QUARTERS:
            line[quarter] = math.nan
        line |= {"TEAM-PTS_H1": half, "TEAM-PTS_OT1": 8, "TEAM-PTS_OT2": "7", "TEAM-PTS_OT3": 0}
    read = Game.from_json(game)
    facts = GameFacts(read)
    assert facts.value(0, "TEAM-LEAD_H1") == "2" and facts.value(1, "TEAM-OVERTIMES") == "2"
    assert facts.value(0, "TEAM-ENDED_IN") == "overtime" and facts.get(0, "TEAM-PTS_H2") is None
    assert Game.from_json(read.to_json()) == read
    for side in ("home", "vis"):
        game[f"{side}_line"] |= {"TEAM-PTS_OT1": 0, "TEAM-PTS_OT2": None}
    facts = GameFacts(game)
    assert facts.value(0, "TEAM-ENDED_IN") == "regulation" and facts.value(0, "TEAM-PTS_H2") == "54"


def test_wnba_minutes_tell_of_overtime(game):
    names = {"New York": ("Liberty", "New York"), "Milwaukee": ("Sky", "Chicago")}
    for side, city in (("home", "New York"), ("vis", "Milwaukee")):
        name, new_city = names[city]
        line = game[f"{side}_line"]
        line |= {"TEAM-NAME": name, "TEAM-CITY": new_city, "TEAM-PTS": 95 + (side == "home")}
        line |= dict.fromkeys(QUARTERS, 22)
        game |= {f"{side}_name": name, f"{side}_city": new_city}
    box = game["box_score"]
    box["TEAM_CITY"] = {key: names[city][1] for key, city in box["TEAM_CITY"].items()}
    for city in ("New York", "Chicago"):
        own = [key for key in box["MIN"] if box["TEAM_CITY"][key] == city and box["MIN"][key] != "N/A"]
        for index, key in enumerate(own):
            box["MIN"][key] = 225 // len(own) + (index < 225 % len(own))
    assert GameFacts(game).value(0, "TEAM-OVERTIMES") == "1"


CONTRADICTIONS = [
    ({"FGM": "18", "FGA": "10"}, "FGM 18 is more than FGA 10", {"FGM", "FGA", "FG_PCT"}),
    ({"FG_PCT": "80"}, "FG_PCT 80, but FGM 10 of FGA 18 are 56 percent", {"FG_PCT"}),
    ({"REB": "30"}, "REB 30, but OREB 1 and DREB 12", {"REB", "OREB", "DREB"}),
    ({"FTM": "7"}, "PTS 27, but the shots made are worth 28", {"FGM", "FG3M", "FTM"}),
]


@pytest.mark.parametrize("changes, complaint, doubtful", CONTRADICTIONS)
def test_contradictions_warn_and_are_not_told(game, changes, complaint, doubtful, processor):
    for column, value in changes.items():
        game["box_score"][column]["0"] = value
    with pytest.warns(GameWarning, match=f"Giannis Antetokounmpo: {complaint}"):
        read = Game.from_json(game)
    position = read.position("Giannis Antetokounmpo")
    assert {column for entity, column in doubtful_cells(read.entities) if entity == position} >= doubtful
    assert ("PTS" in {column for _, column in doubtful_cells(read.entities)}) is False  # the team's points add up
    mask = processor.encode(read)["record_mask"][position]
    for column in doubtful:
        assert not mask[processor.player_attributes.index(column)]
    assert mask[processor.player_attributes.index("AST")]
    labelled = processor.encode(read, summary=["The"], mentions=[])["record_mask"][position]
    assert labelled[processor.player_attributes.index("REB")]  # in training, a text may state anything


def test_points_that_fit_neither_shots_nor_total_are_doubtful(game):
    game["box_score"]["PTS"]["0"] = "72"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)
        read = Game.from_json(game)
    assert (read.position("Giannis Antetokounmpo"), "PTS") in doubtful_cells(read.entities)


@pytest.mark.parametrize("minutes, complaint", [("60", "MIN 60, but the game lasted 48"), ("2", "MIN add up to")])
def test_minutes_that_cannot_be(game, minutes, complaint):
    game["box_score"]["MIN"]["0"] = minutes
    game["feed"] = {"overtimes": 0}
    with pytest.warns(GameWarning, match=complaint):
        Game.from_json(game)


def test_whole_box_score_is_consistent(game):
    with warnings.catch_warnings():
        warnings.simplefilter("error", GameWarning)
        assert doubtful_cells(Game.from_json(game).entities) == frozenset()


def test_many_problems_are_cut_off(game):
    game["box_score"]["AST"] = dict.fromkeys(game["box_score"]["AST"], "many")
    with pytest.raises(GameErrors) as error:
        Game.from_json(game)
    lines = str(error.value).splitlines()
    assert len(lines) == GameErrors.MOST_SHOWN + 1 and lines[-1].startswith("... and ")


@pytest.mark.parametrize(
    "team, day, venue, expected",
    [
        ("Suns", "2024-11-02", "Mortgage Matchup Center", "Footprint Center"),  # the feed knows today's name
        ("Suns", "2025-02-27", "Mortgage Matchup Center", "PHX Arena"),
        ("76ers", "2024-11-10", "Xfinity Mobile Arena", "Wells Fargo Center"),
        ("Rockets", "2024-11-10", "Toyota Center (Houston)", "Toyota Center"),
        ("Cavaliers", "2014-01-10", "Rocket Mortgage FieldHouse", "Quicken Loans Arena"),
        ("Spurs", "2025-01-23", "Accor Arena", "Accor Arena"),  # in Paris
        ("Knicks", "2024-12-01", None, "Madison Square Garden"),
        ("Lakers", "2021-11-01", None, "Staples Center"),
        ("Lakers", "2021-12-28", None, "Crypto.com Arena"),
        ("Knicks", "2035-01-01", "Some Dome", "Some Dome"),
        ("Liberty", "2024-06-01", "Barclays Center", "Barclays Center"),
    ],
)
def test_courts(team, day, venue, expected):
    assert courts(team, datetime.date.fromisoformat(day), venue)[0] == expected


def test_no_court_is_known_on_one_site_and_in_years_to_come():
    assert courts("Lakers", datetime.date(2020, 9, 1), None) == ()
    assert courts("Knicks", datetime.date(2035, 1, 1), None) == ()
