"""All facts that models read, against the slow twin, on the sample league and on real games with their seasons."""

import random

import pytest

from dataset_script.reading import open_dataset
from modeling_stg.fact_schema import FACT_KINDS, PLAYER_FACTS, TEAM_FACTS
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from stg.converters.hoopr import hoopr_games, is_hoopr
from tests.twins import facts_twin as twin


NOT_IN_THE_TWIN = {"RANK"}  # between equal points, the order of the box score decides


def plain(game: Game) -> dict:
    return twin.plain(game.to_json(), [0 if player.is_home else 1 for player in game.players])


def compare(game: Game, season: Season, others: list[dict], schedule: list[tuple] | None) -> int:
    """Asserts that all facts agree; returns how many there were."""
    facts, own = GameFacts(game, season), plain(game)
    expected = twin.facts_of_teams(own)
    for side in (0, 1):
        expected[side] |= twin.season_of_team(own, side, others, schedule)
    pairs = zip(twin.facts_of_players(own), twin.season_of_players(own, others), strict=True)
    expected += [of_game | of_season for of_game, of_season in pairs]
    number = 0
    for entity, values in enumerate(expected):
        for attribute in TEAM_FACTS if entity < 2 else PLAYER_FACTS:
            is_compared = FACT_KINDS[attribute].is_record or attribute in values
            if is_compared and FACT_KINDS[attribute].group != "feed" and attribute not in NOT_IN_THE_TWIN:
                value = None if values.get(attribute) is None else str(values[attribute])
                where = f"{game.game_id}: {game.entities[entity].name}, {attribute}"
                assert facts.value(entity, attribute) == value, where
                number += value is not None
    return number


def test_sample_league():
    splits = open_dataset(config="sample").values()
    games = [Game.from_json(row) for split in splits for row in split]
    season, others = Season(games), [plain(game) for game in games]
    numbers = [compare(game, season, others, None) for game in random.Random(1).sample(games, 40)]
    assert min(numbers) > 100


@pytest.mark.rotowire
def test_real_games_with_their_seasons(rotowire_dir):
    folder = rotowire_dir / "feeds" / "hoopr"
    if not is_hoopr(folder):
        pytest.skip(f"hoopR's seasons are not in {folder}")
    rows = open_dataset(config="default", split="validation")
    sample = random.Random(1).sample(range(len(rows)), 60)
    games, fixtures = hoopr_games(folder, range(2014, 2018))
    season, others = Season(games, fixtures), [plain(game) for game in games]
    schedule = [(fixture.date, fixture.names, fixture.cities) for fixture in fixtures]
    numbers = [compare(Game.from_json(rows[index]), season, others, schedule) for index in sample]
    assert sum(numbers) / len(numbers) > 300
