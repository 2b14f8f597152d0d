"""The Templates baseline: what it says is true, and known."""

import pytest

from dataset_script import open_dataset
from modeling_stg.game import Game
from modeling_stg.text import sentences
from stg.baselines import templates


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [Game.from_json(row) for row in open_dataset(config="sample", split="test[:10]")]


def test_content(games) -> None:
    for game in games:
        recap = templates.write(game)
        assert len(sentences(recap.words)) == 2 + templates.SCORERS
        assert len(recap.facts) == 6 + 8 * templates.SCORERS
        points = sorted((int(player.values["PTS"] or 0) for player in game.players), reverse=True)
        told = [int(fact.value) for fact in recap.facts if fact.type == "PLAYER-PTS"]
        assert told == points[: templates.SCORERS]


def test_every_fact_is_in_the_box_score_and_in_the_text(games) -> None:
    for game in games:
        recap = templates.write(game)
        copied = [token for token in recap.tokens if token.attribute and token.text.isdecimal()]
        assert sorted(fact.value for fact in recap.facts) == sorted(token.text for token in copied)
        assert all(game.entities[token.entity].values[token.attribute] == token.text for token in copied)


def test_the_winner_comes_first_whoever_is_at_home(games) -> None:
    for game in games:
        first, second = [int(fact.value) for fact in templates.write(game).facts if fact.type == "TEAM-PTS"]
        assert first > second
        assert templates.write(game).words[0] == "The"


def test_it_reads_json_and_rows_alike(games) -> None:
    row = next(iter(open_dataset(config="sample", split="test[:1]")))
    assert templates.write(row) == templates.write(games[0]) == templates.write(games[0].to_json())


def test_who_did_not_play_is_not_told() -> None:
    row = next(iter(open_dataset(config="sample", split="test[:1]")))
    few = row | {"box_score": row["box_score"][:2]}
    with pytest.warns(UserWarning):
        recap = templates.write(few)
    played = sum(player["MIN"] != "N/A" for player in few["box_score"])
    assert len(recap.facts) == 6 + 8 * played
    assert "None" not in recap.words and "N/A" not in recap.words
