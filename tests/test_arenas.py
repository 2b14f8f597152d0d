"""Where a game was played: no word of another team's home court with `own_arena`."""

import datetime

import pytest
import tiny_model
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

from modeling_stg.arenas_stg import ARENAS, arenas, words_of_others
from modeling_stg.game_stg import StgError
from modeling_stg.processing_stg import StgProcessor


DAY = datetime.date(2015, 1, 7)
WAYS = [{}, {"do_sample": True, "temperature": 3.0}, {"num_beams": 3}]
LENGTH = 30


def test_words_of_other_places():
    knicks, heat = (set(words_of_others(team, DAY)) for team in ("Knicks", "Heat"))
    assert {"Staples", "Palace", "Auburn", "Oracle", "FedExForum", "American"} <= knicks
    assert not {"Madison", "Square", "Garden", "Center", "Arena", "of", "1", "&", "One", "Golden", "Home"} & knicks
    assert "Madison" in heat and not {"American", "Airlines"} & heat


@pytest.mark.parametrize("team", ARENAS)
@pytest.mark.parametrize("year", [2014, 2016, 2018])
def test_every_team_may_name_its_own(team, year):
    date = datetime.date(year, 12, 1)
    own = {word for name in arenas(team, date) for word in name.split()}
    assert own and not own & set(words_of_others(team, date))


def test_where_the_place_is_not_known_none_is_named():
    everywhere = set(words_of_others("Knicks", datetime.date(2024, 1, 7)))
    assert everywhere == set(words_of_others("Sea Dogs", DAY)) and {"Madison", "Staples", "American"} <= everywhere


def test_the_processor_finds_them(paper):
    vocabulary = {"<PAD>": 0, "<UNK>": 1, "<SoD>": 2, "<EoD>": 3, ".": 4, "Madison": 5, "Staples": 6, "points": 7}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel(vocabulary, unk_token="<UNK>")),
        **{"pad_token": "<PAD>", "unk_token": "<UNK>", "bos_token": "<SoD>", "eos_token": "<EoD>"},
    )
    processor = StgProcessor(tokenizer, number_word_limit=0)
    elsewhere = paper | {"home_name": "Lakers", "home_line": paper["home_line"] | {"TEAM-NAME": "Lakers"}}
    unknown = paper | {"home_name": "Sea Dogs", "home_line": paper["home_line"] | {"TEAM-NAME": "Sea Dogs"}}
    assert processor([paper, elsewhere, unknown])["other_arenas"].tolist() == [[6, 0], [5, 0], [5, 6]]
    assert "other_arenas" not in processor([paper], [["points"]], [[]])


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_they_are_not_written(way, model, processor):
    """Each game has words that it may not write: here two that its text would have had; the last game has none."""
    torch.manual_seed(0)
    batch = processor(tiny_model.league()[:6])
    options = {**way, "max_new_tokens": LENGTH, "min_new_tokens": LENGTH}
    plain = model.generate(**batch, **options, own_arena=True)  # the sample league has no such words
    special = {model.config.period_token_id, model.config.eos_token_id, model.config.pad_token_id}
    barred = []
    for row in plain.tolist():
        words = [token for token in dict.fromkeys(row) if token < model.config.vocab_size and token not in special]
        barred.append(words[:2])
    barred[-1] = [model.config.pad_token_id] * 2
    batch["other_arenas"] = torch.tensor(barred)
    told = model.generate(**batch, **options, own_arena=True)
    assert not any(set(row) & set(words) for row, words in zip(told.tolist(), barred, strict=True))
    if "do_sample" not in way:
        assert torch.equal(told[-1], plain[-1])
        assert torch.equal(model.generate(**batch, **options), plain)  # own_arena is off


def test_a_batch_without_them_is_refused(model, processor):
    batch = processor(tiny_model.league()[:1])
    del batch["other_arenas"]
    with pytest.raises(StgError, match="own_arena: the batch has no other_arenas"):
        model.generate(**batch, own_arena=True)
