"""Arenas: with `own_arena`, no word of another team's home court is generated."""

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

from modeling_stg.arenas import ARENA_NAMES, ARENAS, arenas, foreign_arena_words
from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.processing_stg import StgProcessor
from tests.helpers import tiny_model


WAYS = [{}, {"do_sample": True, "temperature": 3.0}, {"num_beams": 3}]
LENGTH = 30
NOT_BLOCKED = {
    *("Golden 1 Center", "American Airlines Arena", "American Airlines Center"),
    *("Ball Arena", "Chase Center", "Delta Center", "Rocket Arena", "Phoenix Suns Arena", "Vivint Arena"),
}


def at(game: dict, team: str, day: str = "01_07_15") -> dict:
    """The game with this team at home."""
    home, visitor = game["home_line"] | {"TEAM-NAME": team}, game["vis_line"] | {"TEAM-NAME": "Visitors"}
    return game | {"day": day, "home_name": team, "home_line": home, "vis_name": "Visitors", "vis_line": visitor}


def blocked_words(game: dict, team: str, day: str = "01_07_15") -> set[str]:
    moved = Game.from_json(at(game, team, day))
    return set(foreign_arena_words(moved.home.name, moved.date))


def test_foreign_arena_words(paper):
    knicks, heat = blocked_words(paper, "Knicks"), blocked_words(paper, "Heat")
    assert {"Staples", "Palace", "Auburn", "Oracle", "FedExForum", "American", "AT&T"} <= knicks
    assert not {"Madison", "Square", "Garden", "Center", "Arena", "of", "1", "&", "One", "Golden", "Home"} & knicks
    assert "Madison" in heat and not {"American", "Airlines"} & heat


@pytest.mark.parametrize("team", ARENAS)
def test_every_other_arena_has_a_blocked_word(team, paper):
    for day in ("12_01_14", "12_01_16", "12_01_18"):
        game = Game.from_json(at(paper, team, day))
        words, own = set(foreign_arena_words(team, game.date)), arenas(team, game.date)
        assert own and not any(words & set(name.split()) for name in own)
        free = {name for name in ARENA_NAMES if name not in own and not words & set(name.split())}
        assert free <= NOT_BLOCKED


def test_unknown_home_court_blocks_every_arena(paper):
    everywhere = blocked_words(paper, "Knicks", "01_07_34")
    assert everywhere == blocked_words(paper, "Sea Dogs") and {"Madison", "Staples", "American"} <= everywhere


def test_processor_encodes_foreign_arena_words(paper):
    vocabulary = {"<PAD>": 0, "<UNK>": 1, "<SoD>": 2, "<EoD>": 3, ".": 4, "Madison": 5, "Staples": 6, "points": 7}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel(vocabulary, unk_token="<UNK>")),
        **{"pad_token": "<PAD>", "unk_token": "<UNK>", "bos_token": "<SoD>", "eos_token": "<EoD>"},
    )
    games = [at(paper, team) for team in ("Knicks", "Lakers", "Sea Dogs")]
    batch = StgProcessor(tokenizer, number_word_limit=0)(games)
    assert batch["other_arenas"].tolist() == [[6, 0], [5, 0], [5, 6]]


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_foreign_arena_words_are_not_generated(way, model, processor):
    """Bans two words of each game's own text, except in the longest.

    Games end at different times, so that rows and beams move.
    """
    torch.manual_seed(0)
    batch = processor(tiny_model.league()[:8])
    options = {**way, "max_new_tokens": 2 * LENGTH}
    plain = model.generate(**batch, **options, own_arena=True)  # the sample league has no such words
    lengths = (plain != model.config.pad_token_id).sum(1).tolist()
    assert len(set(lengths)) > 2
    special = {model.config.period_token_id, model.config.eos_token_id, model.config.pad_token_id}
    others = []
    for row in plain.tolist():
        words = [token for token in dict.fromkeys(row) if token < model.config.vocab_size and token not in special]
        others.append(words[-2:])
    longest = lengths.index(max(lengths))
    others[longest] = [model.config.pad_token_id] * 2
    batch["other_arenas"] = torch.tensor(others)
    texts = model.generate(**batch, **options, own_arena=True).tolist()
    assert not any(
        (set(row) - {model.config.pad_token_id}) & set(words) for row, words in zip(texts, others, strict=True)
    )
    if "do_sample" not in way:
        assert [token for token in texts[longest] if token] == [token for token in plain[longest].tolist() if token]
        assert torch.equal(model.generate(**batch, **options), plain)  # own_arena is off


def test_batch_without_arena_words_is_refused(model, processor):
    batch = processor(tiny_model.league()[:1])
    del batch["other_arenas"]
    with pytest.raises(StgError, match="own_arena: the batch has no other_arenas"):
        model.generate(**batch, own_arena=True)


def test_batch_with_labels_has_arena_words(model, processor):
    rows = tiny_model.league()[:2]
    batch = processor(rows, *([row[name] for row in rows] for name in ("summary", "mentions")))
    assert torch.equal(
        model.generate(**batch, own_arena=True, max_new_tokens=9), model.generate(**processor(rows), max_new_tokens=9)
    )
