"""Reading box scores: what is accepted, what is refused, and the error messages."""

import copy
import json
import math
import random
import warnings

import numpy as np
import pytest

from modeling_stg import validation
from modeling_stg.errors import GameError, GameWarning, StgError
from modeling_stg.game import Game, as_game, read_games, read_json
from modeling_stg.schema import MAX_PLAYERS, PLAYER_NUMBERS, TEAM_ATTRIBUTES


@pytest.fixture
def game(paper) -> dict:
    return copy.deepcopy(paper)


def keep(game: dict, keys: list[str]) -> dict:
    game["box_score"] = {name: {key: column[key] for key in keys} for name, column in game["box_score"].items()}
    return game


def read(game: dict) -> Game:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)
        return Game.from_json(game)


def refusal(game) -> str:
    with pytest.raises(GameError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)
        Game.from_json(game)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 700
    return message


def rename(game: dict, key: str, first: str, second: str) -> None:
    game["box_score"]["PLAYER_NAME"][key] = f"{first} {second}"
    game["box_score"]["FIRST_NAME"][key] = first
    game["box_score"]["SECOND_NAME"][key] = second


def test_reads_the_papers_game(paper):
    before = copy.deepcopy(paper)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game = Game.from_json(paper)
    assert paper == before
    assert (game.home.name, game.home.values["TEAM-PTS"]) == ("Knicks", "104")
    assert (game.visitor.name, game.visitor.values["TEAM-PTS"]) == ("Bucks", "105")
    assert game.game_id == "01_04_17-Bucks-Knicks"
    assert f"{game.date:%A %d %B %Y}" == "Wednesday 04 January 2017"
    antetokounmpo = game.entities[game.position("Giannis Antetokounmpo")]
    assert not antetokounmpo.is_home and antetokounmpo.did_play and antetokounmpo.values["PTS"] == "27"
    assert game.entities[game.team_of(game.position("Carmelo Anthony"))].name == "Knicks"
    idle = [player for player in game.players if not player.did_play]
    assert idle and all(player.values["PTS"] is None for player in idle)
    assert {fact.attribute for fact in game.facts() if fact.entity == 0} == set(TEAM_ATTRIBUTES)
    assert not [fact for fact in game.facts() if game.entities[fact.entity] in idle and fact.attribute == "PTS"]


def test_json_round_trip(game):
    expected = Game.from_json(game)
    assert Game.from_json(expected.to_json()) == expected
    assert Game.from_json(json.loads(json.dumps(expected.to_json()))) == expected


def test_dataset_row_and_json_give_the_same_game(game):
    from stg.dataset.schema import row

    expected = Game.from_json(game)
    assert Game.from_json(row(expected, ["."])) == expected


def test_number_types_are_normalised(game):
    expected = Game.from_json(game)
    points = game["box_score"]["PTS"]
    points.update({key: int(value) for key, value in points.items() if value != "N/A"})
    game["home_line"]["TEAM-PTS"] = 104.0
    game["vis_line"]["TEAM-PTS"] = np.int64(105)
    game["vis_line"]["TEAM-REB"] = " 042 "
    assert Game.from_json(game) == expected


def test_number_of_players_is_limited(game):
    assert len(read(keep(copy.deepcopy(game), ["3"])).players) == 1
    for count, fits in ((MAX_PLAYERS, True), (MAX_PLAYERS + 1, False)):
        crowd = {
            name: {str(index): f"P{index}" if name == "PLAYER_NAME" else column["0"] for index in range(count)}
            for name, column in game["box_score"].items()
        }
        crowded = {**game, "box_score": crowd}
        if fits:
            assert len(read(crowded).players) == count
        else:
            assert refusal(crowded) == "box_score: 41 players; a game has 1 to 40"
    assert refusal(keep(game, [])) == "box_score: 0 players; a game has 1 to 40"


def test_players_are_sorted_by_key(game):
    shuffled = copy.deepcopy(game)
    for name, column in shuffled["box_score"].items():
        items = list(column.items())
        random.Random(name).shuffle(items)
        shuffled["box_score"][name] = dict(items)
    assert Game.from_json(shuffled) == Game.from_json(game)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Karl-Anthony", "Towns"),
        ("Álex", "Abrines"),
        ("Larry", "Nance Jr."),
        ("Ömer", "Aşık"),
        ("J.J.", "Barea"),
        ("Nenê", ""),
    ],
)
def test_names_with_accents_hyphens_and_suffixes(game, first, second):
    rename(game, "2", first, second)
    player = read(game).players[2]
    assert (player.values["FIRST_NAME"], player.values["SECOND_NAME"]) == (first, second or None)
    assert player.name == f"{first} {second}".strip()


def test_namesakes_get_unique_names(game):
    rename(game, "0", "Markieff", "Morris")
    rename(game, "1", "Marcus", "Morris")
    rename(game, "3", "Marcus", "Morris")
    names = read(game).names
    assert {"Markieff Morris", "Marcus Morris", "Marcus Morris (2)"} <= set(names)
    assert len(names) == len(set(names))


def test_player_named_like_a_team_gets_a_unique_name(game):
    game["box_score"]["PLAYER_NAME"]["0"] = "Knicks"
    assert read(game).names[:3] == ["Knicks", "Bucks", "Knicks (2)"]


def test_player_listed_twice_counts_once(game):
    columns = game["box_score"]
    total = len(columns["PTS"])
    for column in columns.values():
        column[str(total)] = column["0"]
        column[str(total + 1)] = column["0"]
    columns["START_POSITION"][str(total)] = "C"
    for attribute in PLAYER_NUMBERS:
        columns[attribute][str(total + 1)] = "N/A"
    with pytest.warns(GameWarning, match="'Giannis Antetokounmpo' is listed twice"):
        again = Game.from_json(game)
    assert again.names.count("Giannis Antetokounmpo") == 1 and len(again.players) == total


def test_la_and_los_angeles_are_one_city(game):
    game["home_city"] = game["home_line"]["TEAM-CITY"] = "LA"
    game["vis_city"] = game["vis_line"]["TEAM-CITY"] = "Los Angeles"
    cities = game["box_score"]["TEAM_CITY"]
    expected = [cities[key] == "New York" for key in sorted(cities, key=int)]
    cities.update({key: {"New York": "LA", "Milwaukee": "Los Angeles"}[city] for key, city in cities.items()})
    assert [player.is_home for player in read(game).players] == expected
    game["home_city"] = "Los Angeles"  # RotoWire is not consistent about it
    assert read(game).home.values["TEAM-CITY"] == "LA"


@pytest.mark.parametrize("home_first", [False, True])
def test_players_of_two_teams_in_one_city_are_split_by_points(game, home_first):
    for side in ("home", "vis"):
        game[f"{side}_city"] = game[f"{side}_line"]["TEAM-CITY"] = "New York"
    cities = game["box_score"]["TEAM_CITY"]
    keys = sorted(cities, key=int)
    expected = [cities[key] == "New York" for key in keys]
    if home_first:
        keys = [key for key in keys if cities[key] == "New York"] + [key for key in keys if cities[key] != "New York"]
        expected.sort(reverse=True)
    columns = game["box_score"]
    game["box_score"] = {name: {str(n): column[key] for n, key in enumerate(keys)} for name, column in columns.items()}
    game["box_score"]["TEAM_CITY"] = dict.fromkeys(game["box_score"]["PTS"], "New York")
    assert [player.is_home for player in read(game).players] == expected


def test_team_name_of_two_words(game):
    game["home_name"] = game["home_line"]["TEAM-NAME"] = "Trail  Blazers"
    assert read(game).home.name == "Trail Blazers"
    assert read(game).game_id == "01_04_17-Bucks-Trail_Blazers"


def test_overtime_points_give_no_warning(game):
    for side, extra in (("home", 9), ("vis", 12)):
        line = game[f"{side}_line"]
        line.update({f"TEAM-PTS_QTR{quarter}": "25" for quarter in range(1, 5)})
        line["TEAM-PTS"] = str(100 + extra)
    with pytest.warns(GameWarning) as caught:
        Game.from_json(game)
    assert not [warning for warning in caught if "quarters" in str(warning.message)]


def test_totals_that_do_not_add_up_give_warnings(game):
    game["home_line"]["TEAM-PTS"] = "110"
    with pytest.warns(GameWarning) as caught:
        Game.from_json(game, "games[3].")
    assert [str(warning.message) for warning in caught] == [
        "games[3].home_line.TEAM-PTS: 110, but the players' PTS add up to 104",
        "games[3].home_line.TEAM-PTS: 110, but the quarters add up to 104",
    ]


def test_unknown_columns_warn_once(game, monkeypatch):
    monkeypatch.setattr(validation, "_warned", set())
    expected = Game.from_json(game)
    game["box_score"]["PLUS_MINUS"] = dict.fromkeys(game["box_score"]["PTS"], "3")
    game["home_line"]["TEAM-BLK"] = game["vis_line"]["TEAM-BLK"] = "3"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        games = [Game.from_json(game, f"games[{index}].") for index in range(3)]
    assert games == [expected] * 3
    assert sorted(str(warning.message) for warning in caught) == [
        "box_score: unknown columns ignored: PLUS_MINUS",
        "home_line and vis_line: unknown columns ignored: TEAM-BLK",
    ]


def test_errors_name_place_value_and_remedy(game):
    game["box_score"]["PTS"]["7"] = "abc"
    assert refusal(game) == (
        "box_score.PTS[\"7\"]: 'abc' is not a whole number; write digits, or 'N/A' if there is none"
    )
    assert issubclass(GameError, StgError) and issubclass(StgError, ValueError)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("day",), "2017-04", "day: '2017-04' is not a date; write it as '01_04_17', '2017-01-04' or '01/04/2017'"),
        (("day",), "25/12/2016", "day: '25/12/2016' is not a date"),
        (("day",), "1899-12-30", "day: '1899-12-30' is not a date"),
        (("day",), "13_40_17", "day: '13_40_17' is not a date"),
        (("home_line",), [], "home_line: expected the team's object, got a list"),
        (("box_score",), "x", "box_score: expected the box score's object, got a string"),
        (("box_score", "AST"), ["1"], "box_score.AST: expected an object, got a list"),
        (("box_score", "AST", "5"), -1, 'box_score.AST["5"]: -1 is out of range; it must lie between 0 and 200'),
        (("box_score", "AST", "5"), "-1", "box_score.AST[\"5\"]: '-1' is out of range"),
        pytest.param(("box_score", "AST", "5"), 10**6000, "a number too large to print is out", id="huge"),
        (("box_score", "AST", "5"), 1.5, 'box_score.AST["5"]: 1.5 is not a whole number'),
        (("box_score", "AST", "5"), math.inf, 'box_score.AST["5"]: inf is not a whole number'),
        (("box_score", "AST", "5"), True, 'box_score.AST["5"]: True is not a whole number'),
        (("box_score", "AST", "5"), "7-9", "box_score.AST[\"5\"]: '7-9' is not a whole number"),
        (("box_score", "MIN", "5"), "half", "box_score.MIN[\"5\"]: 'half' is not a whole number"),
        (("box_score", "MIN", "5"), "3:2:1", "box_score.MIN[\"5\"]: '3:2:1' is not a whole number"),
        (("box_score", "FG_PCT", "5"), "1.2.3", "box_score.FG_PCT[\"5\"]: '1.2.3' is not a whole number"),
        (("box_score", "AST", "5"), "²", "box_score.AST[\"5\"]: '²' is not a whole number"),
        (("box_score", "FG_PCT", "5"), "101", "'101' is out of range; it must lie between 0 and 100"),
        (("vis_line", "TEAM-PTS"), "1000", "vis_line.TEAM-PTS: '1000' is out of range; it must lie between 0 and 400"),
        (("box_score", "PLAYER_NAME", "5"), "  ", "box_score.PLAYER_NAME[\"5\"]: '  ' is not a name"),
        (("box_score", "PLAYER_NAME", "5"), 7, 'box_score.PLAYER_NAME["5"]: 7 is a number; a name is a string'),
        (("box_score", "PLAYER_NAME", "5"), "a\x00b", "box_score.PLAYER_NAME[\"5\"]: 'a\\x00b' is not a name"),
        (("box_score", "PLAYER_NAME", "5"), "x" * 101, "has 101 letters; a name has at most 100"),
        (("box_score", "FIRST_NAME", "5"), "a\x00b", "box_score.FIRST_NAME[\"5\"]: 'a\\x00b' is not a name"),
        (("box_score", "TEAM_CITY", "5"), "Boston", "TEAM_CITY[\"5\"]: 'Boston' is neither 'New York' nor"),
        (("home_name",), "Nets", "home_name: 'Nets' is not home_line.TEAM-NAME 'Knicks'; make them equal"),
        (("game_id",), [1], "game_id: [1] is a list; a name is a string"),
        (("game_id",), " ", "game_id: ' ' is not a name"),
    ],
)  # fmt: skip
def test_invalid_values_are_refused(game, path, value, message):
    parent = game
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    assert message in refusal(game)


def test_missing_fields_and_cells_are_refused(game):
    for field in ("day", "box_score", "vis_line"):
        assert refusal({key: value for key, value in game.items() if key != field}).startswith(f"{field}: missing; ")
    without_columns = keep(copy.deepcopy(game), ["0"]) | {"box_score": {}}
    assert refusal(without_columns).startswith("box_score.PLAYER_NAME, TEAM_CITY, MIN, ")
    ragged = copy.deepcopy(game)
    del ragged["box_score"]["STL"]["4"]
    assert refusal(ragged) == 'box_score.STL["4"]: missing; every column needs the same players'
    ragged = copy.deepcopy(game)
    ragged["box_score"]["STL"]["99"] = "1"
    assert refusal(ragged) == 'box_score.PLAYER_NAME["99"]: missing; every column needs the same players'
    del game["home_line"]["TEAM-AST"]
    assert refusal(game).startswith("home_line.TEAM-AST: missing; ")


def test_team_cannot_play_itself(game):
    game["vis_name"] = game["vis_line"]["TEAM-NAME"] = "Knicks"
    assert refusal(game) == "vis_name: 'Knicks' is the home team too; a team cannot play itself"


@pytest.mark.parametrize("wrong", [None, [], "game", 3, 2.5, True])
def test_game_must_be_an_object(wrong):
    assert "expected the game's object, got a" in refusal(wrong)
    with pytest.raises(GameError, match=r"^games\[3\]: expected"):
        Game.from_json(wrong, "games[3].")


def test_as_game_accepts_games_of_another_copy_and_json(game):
    """Code loaded from the Hub brings its own copy of the module."""

    class OtherGame:
        def to_json(self) -> dict:
            return Game.from_json(game).to_json()

    expected = Game.from_json(game)
    assert as_game(expected) is expected
    assert as_game(OtherGame()) == as_game(game) == expected
    for wrong in (None, 3, "game", [game], Game, 10**5000, np.zeros((3, 3))):
        with pytest.raises(GameError, match="^games: .* is not a game; give RotoWire's JSON"):
            as_game(wrong)


def test_read_games_from_files(tmp_path, paper, root):
    file = tmp_path / "games.json"
    text = json.dumps(paper)
    file.write_text(text, encoding="utf-8-sig")
    expected = Game.from_json(paper)
    assert read_games(file) == [expected] == read_games(root / "examples" / "bucks_at_knicks.json")
    file.write_text(f"[{text}, {text}]")
    assert read_games(file) == [expected, expected]
    file.write_text(f"[{text}, 7]")
    with pytest.raises(GameError, match=r"games.json: games\[1\]: expected the game's object, got a number"):
        read_games(file)
    for broken in (
        text[: len(text) // 2].encode(),
        b"",
        b"\xff\xfe",
        b"[" * 200_000,
        b"[]",
        b'{"day": ' + b"9" * 5000,
    ):
        file.write_bytes(broken)
        with pytest.raises(GameError, match="games.json: ") as caught:
            read_games(file)
        assert "\n" not in str(caught.value)
    for path in (tmp_path / "nothing.json", tmp_path, "a\x00b"):
        with pytest.raises(GameError):
            read_json(path)


def test_examples_have_no_summaries(root):
    examples = sorted((root / "examples").glob("*.json"))
    assert len(examples) >= 2
    for path in examples:
        assert "summary" not in read_json(path)
        assert read_games(path)
