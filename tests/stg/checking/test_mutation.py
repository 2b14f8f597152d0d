"""Mutations: what is changed, by what, and what is left alone."""

import json

import pytest

from modeling_stg.game import read_games
from stg.checking.mutation import KINDS, mutations
from stg.extraction.candidates import Names


TEXT = (
    "The Milwaukee Bucks edged the New York Knicks, 105-104, on Wednesday. Carmelo Anthony had 30 points, three "
    "3-pointers and at least one assist. Twenty-seven points by Antetokounmpo were not enough at home."
)


def changed(game, text=TEXT, kind=None, seed=0):
    return [
        (text[mutation.start : mutation.end], mutation.new)
        for mutation in mutations(text, game, Names(), seed)
        if kind in (None, mutation.kind)
    ]


def test_every_number_is_changed_once_in_its_form(game):
    old, new = zip(*changed(game, kind="number"), strict=True)
    assert old == ("105", "104", "30", "three", "Twenty-seven")  # not the shot, nor the bound
    assert all(number.isdecimal() for number in new[:3]) and all(a != b for a, b in zip(old, new, strict=True))
    assert new[3] in ("one", "two", "four", "five", "six") and new[4] != "27"


def test_other_kinds(game):
    assert changed(game, kind="order") == [("105-104", "104-105")]
    assert changed(game, kind="team") == [
        ("Milwaukee Bucks", "New York Knicks"),
        ("New York Knicks", "Milwaukee Bucks"),
    ]
    [(day, other)] = changed(game, kind="day")
    assert day == "Wednesday" and other.endswith("day") and other != day
    assert changed(game, kind="winner") == [("edged", "lost to")]
    assert changed(game, kind="place") == [("at home", "on the road")]
    assert changed(game, "The Knicks led 87-73 and led by 14.", "leader") == [
        ("led by", "trailed by"),
        ("led", "trailed"),
    ]
    assert not changed(game, "The Knicks were led by Carmelo Anthony, who is ahead of his time.", "leader")[1:]


def test_player_becomes_another_who_played_and_is_not_named_in_the_sentence(game):
    players = {player.name: player for player in game.players}
    for seed in range(20):
        [(full, other), (last, surname)] = changed(game, kind="player", seed=seed)
        assert (full, last) == ("Carmelo Anthony", "Antetokounmpo")
        assert players[other].did_play and players[other].values["PTS"] != "30" and other != full
        assert surname in {player.values["SECOND_NAME"] for player in game.players} - {"Antetokounmpo"}
    assert len({changed(game, kind="player", seed=seed)[0] for seed in range(20)}) > 5


def test_name_in_a_sentence_without_a_number_stays(game):
    assert not changed(game, "Carmelo Anthony and the Knicks went home.", "player")
    assert not changed(game, "Carmelo Anthony and the Knicks went home.", "team")


def test_mutation_replaces_only_its_span(game):
    for mutation in mutations(TEXT, game, Names()):
        mutated = mutation.apply(TEXT)
        assert mutated.startswith(TEXT[: mutation.start] + mutation.new) and mutated.endswith(TEXT[mutation.end :])
        assert len(mutated) == len(TEXT) + mutation.growth
        assert mutation.sentence[0] <= mutation.start < mutation.end <= mutation.sentence[1]


@pytest.fixture(scope="module")
def shipped(root):
    folder = root / "stg" / "data" / "recaps"
    parts = ("development", "measurement")
    games = [game for part in parts for game in read_games(folder / f"{part}_games.json")]
    lines = [line for part in parts for line in (folder / f"{part}.jsonl").read_text().splitlines()]
    return games, [json.loads(line) for line in lines]


def test_shipped_recaps_are_sixty_different_ones_in_many_styles(shipped):
    games, recaps = shipped
    assert [game.game_id for game in games] == [recap["game_id"] for recap in recaps]
    assert len({recap["game_id"] for recap in recaps}) == len({recap["text"] for recap in recaps}) == 60
    assert len({recap["style"] for recap in recaps}) >= 10
    assert all(len(recap["text"].split()) > 100 for recap in recaps)


def test_shipped_recaps_have_more_than_2000_mutations_of_all_kinds(shipped):
    kinds = [
        mutation.kind
        for game, recap in zip(*shipped, strict=True)
        for mutation in mutations(recap["text"], game, Names())
    ]
    assert len(kinds) > 2000 and set(kinds) == set(KINDS)
