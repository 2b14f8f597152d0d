"""The shipped seasons: what they know of a game, of an invented one, and nothing of the future but the schedule."""

import copy
import json

import pytest

from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from stg.converters.hoopr import hoopr_games
from stg.converters.shipped import SHIPPED, SHIPPED_YEARS, ShippedSeasons
from stg.dataset.reading import DatasetError, open_season


@pytest.fixture(scope="module")
def seasons():
    return open_season("nba")


@pytest.fixture(scope="module")
def game(root):
    [game] = read_games(root / "examples" / "bucks_at_knicks.json")
    return game


def test_season_of_a_real_game_is_known(seasons, game):
    facts = GameFacts(game, seasons)
    assert isinstance(seasons, ShippedSeasons)
    assert facts.value(0, "TEAM-NEXT_OPPONENT") == "Bucks" and facts.value(0, "TEAM-NEXT_WEEKDAY") == "Friday"
    assert facts.value(0, "TEAM-LOSS_STREAK") == "6"  # the Knicks of the first days of 2017
    assert seasons.before(game, 1).is_complete


def test_invented_game_meets_no_other(seasons, game):
    for field, value in (("TEAM-PTS", "150"), ("TEAM-NAME", "Jazz")):
        invented = copy.deepcopy(game.to_json())
        invented["home_line"][field] = value
        if field == "TEAM-NAME":
            invented["home_name"] = value
        facts = GameFacts(Game.from_json(invented), seasons)
        assert facts.value(1, "TEAM-NEXT_OPPONENT") is None and facts.value(1, "TEAM-AVG_PTS") is None
    assert seasons.next(Game.from_json({**game.to_json(), "day": "01_04_27"}), 0) is None


def test_only_the_schedule_of_later_games_is_read(seasons, game):
    games, fixtures = hoopr_games(SHIPPED, [2017])
    until = Season([other for other in games if other.date <= game.date], fixtures)
    facts, expected = GameFacts(game, seasons), GameFacts(game, until)
    stated = [json.dumps(fact.to_json(game)) for fact in expected]
    assert len(stated) > 500 and [json.dumps(fact.to_json(game)) for fact in facts] == stated


def test_every_game_of_the_shipped_recaps_is_known(seasons, root):
    for part in ("development", "measurement"):
        for game in read_games(root / "stg" / "data" / "recaps" / f"{part}_games.json"):
            assert seasons._of(game).before(game, 0).games, game.game_id


def test_size_and_columns():
    """Small enough for a wheel, and as `stg ship-seasons` writes them."""
    files = sorted(SHIPPED.glob("*.parquet"))
    assert len(files) == 3 * len(SHIPPED_YEARS)
    assert sum(file.stat().st_size for file in files) < 3_000_000


def test_folder_of_games(tmp_path, game):
    (tmp_path / "one.json").write_text(json.dumps(game.to_json()))
    with pytest.raises(DatasetError, match="neither nba_schedule_YEAR.parquet nor games"):
        (tmp_path / "empty").mkdir()
        open_season(str(tmp_path / "empty"))
    later = copy.deepcopy(game.to_json())
    later["day"] = "01_06_17"
    later["home_line"]["TEAM-LOSSES"] = str(int(later["home_line"]["TEAM-LOSSES"]) + 1)
    (tmp_path / "two.json").write_text(json.dumps([later]))
    assert open_season(str(tmp_path)).next(game, 0).date.isoformat() == "2017-01-06"
