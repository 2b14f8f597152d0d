"""The Templates baseline states only what the box score holds, and its relations are in the text."""

import pytest

from modeling_stg.game import Game
from modeling_stg.text import sentences
from stg.baselines import templates
from stg.dataset import open_dataset


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [Game.from_json(row) for row in open_dataset(config="sample", split="test[:10]")]


def test_recap_has_the_score_and_six_scorers(games) -> None:
    for game in games:
        recap = templates.write(game)
        assert len(sentences(recap.words)) == 2 + templates.SCORERS
        assert len(recap.relations) == 6 + 8 * templates.SCORERS
        points = sorted((int(player.values["PTS"] or 0) for player in game.players), reverse=True)
        points_stated = [relation.number for relation in recap.relations if relation.type == "PLAYER-PTS"]
        assert points_stated == points[: templates.SCORERS]


def test_every_relation_is_in_the_box_score_and_in_the_text(games) -> None:
    for game in games:
        recap = templates.write(game)
        copied = [token for token in recap.tokens if token.fact and token.text.isdecimal()]
        assert sorted(relation.value for relation in recap.relations) == sorted(token.text for token in copied)
        assert all(game.entities[token.fact.entity].values[token.fact.attribute] == token.text for token in copied)


def test_the_winner_comes_first_whoever_is_at_home(games) -> None:
    for game in games:
        first, second = [
            relation.number for relation in templates.write(game).relations if relation.type == "TEAM-PTS"
        ]
        assert first > second
        assert templates.write(game).words[0] == "The"


def test_json_and_dataset_rows_give_the_same_recap(games) -> None:
    row = next(iter(open_dataset(config="sample", split="test[:1]")))
    assert templates.write(row) == templates.write(games[0]) == templates.write(games[0].to_json())


def test_players_who_did_not_play_are_left_out() -> None:
    row = next(iter(open_dataset(config="sample", split="test[:1]")))
    few = row | {"box_score": row["box_score"][:2]}
    with pytest.warns(UserWarning):
        recap = templates.write(few)
    played = sum(player["MIN"] != "N/A" for player in few["box_score"])
    assert len(recap.relations) == 6 + 8 * played
    assert "None" not in recap.words and "N/A" not in recap.words
