"""All facts that models read or state, against the slow twin: on the sample league and on real games."""

import random

import pytest
import torch

from modeling_stg.fact_schema import FACT_KINDS, GROUPS, PLAYER_FACTS, TEAM_FACTS
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.season import Season
from stg.converters.hoopr import hoopr_games
from stg.dataset.reading import open_dataset
from tests.helpers import tiny_model
from tests.twins import facts_twin as twin


# Between equal points, the order of the box score decides on the rank; arenas are a table.
NOT_IN_THE_TWIN = {"RANK", "TEAM-ARENA"}
SIXTY = 60


class League:
    """Games with their season, for the modules and for the twin."""

    def __init__(self, games: list[Game], fixtures: list = ()):
        self.season, self.others = Season(games, fixtures), [plain(game) for game in games]
        self.schedule = [(fixture.date, fixture.names, fixture.cities) for fixture in fixtures] or None

    def expected(self, game: Game) -> list[dict[str, str]]:
        """The facts of every entity, by the twin."""
        own = plain(game)
        expected = twin.facts_of_teams(own)
        for side in (0, 1):
            expected[side] |= twin.season_of_team(own, side, self.others, self.schedule)
        pairs = zip(twin.facts_of_players(own), twin.season_of_players(own, self.others), strict=True)
        expected += [of_game | of_season for of_game, of_season in pairs]
        return [{name: str(value) for name, value in values.items() if value is not None} for values in expected]


def plain(game: Game) -> dict:
    return twin.plain(game.to_json(), [0 if player.is_home else 1 for player in game.players])


def compare(game: Game, league: League) -> int:
    """Asserts that all facts agree; returns how many there were."""
    facts, number = GameFacts(game, league.season), 0
    for entity, values in enumerate(league.expected(game)):
        for attribute in TEAM_FACTS if entity < 2 else PLAYER_FACTS:
            is_compared = FACT_KINDS[attribute].is_record or attribute in values
            if is_compared and FACT_KINDS[attribute].group != "feed" and attribute not in NOT_IN_THE_TWIN:
                where = f"{game.game_id}: {game.entities[entity].name}, {attribute}"
                assert facts.value(entity, attribute) == values.get(attribute), where
                number += attribute in values
    return number


@pytest.fixture(scope="module")
def real_league(hoopr_dir) -> League:
    return League(*hoopr_games(hoopr_dir, range(2014, 2018)))


def test_sample_league():
    splits = open_dataset(config="sample").values()
    games = [Game.from_json(row) for split in splits for row in split]
    league = League(games)
    numbers = [compare(game, league) for game in random.Random(1).sample(games, 40)]
    assert min(numbers) > 100


@pytest.mark.rotowire
def test_real_games_with_their_seasons(modified_games, real_league):
    games = random.Random(1).sample(modified_games["validation"], SIXTY)
    numbers = [compare(game, real_league) for game in games]
    assert sum(numbers) / len(numbers) > 300


@pytest.mark.rotowire
def test_what_a_model_states_about_real_games_equals_the_twin(modified_games, real_league):
    """Texts about sixty games by a random model that reads all facts: every value stated is recomputed."""
    rows = tiny_model.league()
    processor = StgProcessor.from_dataset(rows, min_count=1, facts=GROUPS)
    torch.manual_seed(0)
    model = StgForDataToText(processor.config(**tiny_model.SIZES)).eval()
    model.transition.bias.data += 2
    games = modified_games["validation"][:SIXTY]
    facts = [GameFacts(game, real_league.season) for game in games]
    ids = model.generate(**processor(facts), do_sample=True, temperature=3.0, max_new_tokens=80, grounded_only=True)
    stated = 0
    for game, trace in zip(games, processor.trace(ids, facts), strict=True):
        expected = real_league.expected(game)
        for token in trace:
            attribute = token["attribute"]
            if attribute in FACT_KINDS and attribute not in NOT_IN_THE_TWIN:
                assert token["value"] == expected[game.position(token["entity"])][attribute], (game.game_id, token)
                stated += 1
    assert stated > 500
