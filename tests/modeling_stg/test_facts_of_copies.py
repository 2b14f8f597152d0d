"""Games, seasons and facts of another copy of the code, as the Hub loads it."""

import importlib
import importlib.util
import random
import sys
from types import SimpleNamespace

import pytest

from modeling_stg.facts import Token
from modeling_stg.game import Game, as_game
from modeling_stg.game_facts import GameFacts, as_facts
from modeling_stg.season import Season
from tests.helpers.random_league import random_league


# Random games contradict themselves, and pytest-xdist cannot pass on a warning whose class is of the second copy.
pytestmark = pytest.mark.filterwarnings("ignore")

LEAGUE = [game.to_json() for game in random_league(random.Random(4), 12)]


@pytest.fixture
def copy(root):
    """`game`, `season` and `game_facts` of a second copy of `modeling_stg`."""
    place = root / "modeling_stg"
    spec = importlib.util.spec_from_file_location(
        "second_stg", place / "__init__.py", submodule_search_locations=[str(place)]
    )
    sys.modules["second_stg"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["second_stg"])
    yield SimpleNamespace(
        **{name: importlib.import_module(f"second_stg.{name}") for name in ("game", "season", "game_facts")}
    )
    for name in [name for name in sys.modules if name.split(".")[0] == "second_stg"]:
        del sys.modules[name]


@pytest.fixture
def theirs(copy):
    """A `GameFacts` of the other copy with its season."""
    games = [copy.game.as_game(game) for game in LEAGUE]
    return copy.game_facts.GameFacts(games[-1], copy.season.Season(games))


def test_facts_of_another_copy_keep_their_season(theirs):
    assert not isinstance(theirs, GameFacts) and not isinstance(theirs.season, Season)
    ours = as_facts(theirs)
    assert isinstance(ours, GameFacts) and isinstance(ours.game, Game)
    assert ours.value(0, "TEAM-AVG_PTS") == theirs.value(0, "TEAM-AVG_PTS") is not None
    assert [(fact.entity, fact.attribute, fact.value) for fact in ours] == [
        (fact.entity, fact.attribute, fact.value) for fact in theirs
    ]


def test_sources_are_told_alike(theirs):
    ours = as_facts(theirs)
    token, other = (Token("1", facts.get(0, "TEAM-AVG_PTS"), "digits").to_json(facts.game) for facts in (ours, theirs))
    assert token == other and "date" in token["from"][1]
    assert ours.formula(ours.get(0, "TEAM-AVG_PTS")) == theirs.formula(theirs.get(0, "TEAM-AVG_PTS"))


def test_games_of_another_copy(theirs):
    game = as_game(theirs)
    assert isinstance(game, Game) and game.to_json() == theirs.game.to_json()
    assert as_game(theirs.game) == game
    assert as_facts(game).season is None
    ours = GameFacts(game)
    assert as_facts(ours) is ours and as_game(ours) is game


def test_our_season_may_hold_games_of_another_copy(theirs, copy):
    games = [copy.game.as_game(data) for data in LEAGUE]
    assert GameFacts(games[-1], Season(games)).value(0, "TEAM-AVG_PTS") == theirs.value(0, "TEAM-AVG_PTS")
