"""Surprise of sentences: against a plain loop over growing prefixes, with a tiny untrained language model."""

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from modeling_stg.errors import StgError
from modeling_stg.text import tokenize
from stg.metrics.sense import SenseMeter, sense


TEXT = "The Bucks beat the Knicks 105-104. Jabari Parker had 15 points off the bench."
COUNTED = [["beat", "the"], ["had", "points", "off", "the", "bench"]]  # words in lower case, by sentence


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    words = [
        "<end>",
        "?",
        *dict.fromkeys("The Bucks beat the Knicks 105 - 104 . Jabari Parker had points off".split()),
    ]
    tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(words)}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    path = tmp_path_factory.mktemp("language")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="?", bos_token="<end>").save_pretrained(path)
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=len(words), n_embd=8, n_layer=1, n_head=2, n_positions=64, initializer_range=1.0)
    GPT2LMHeadModel(config).save_pretrained(path)
    return str(path)


def test_surprise_is_the_mean_over_words_in_lower_case(folder):
    meter = SenseMeter(folder)
    pieces, costs = ["<end>"], {}
    for piece in TEXT.replace("-", " - ").replace(".", " .").split():
        ids = torch.tensor([meter.tokenizer.convert_tokens_to_ids(pieces)])
        target = meter.tokenizer.convert_tokens_to_ids(piece)
        costs[len(costs), piece] = -meter.model(ids).logits[0, -1].log_softmax(-1)[target].item()
        pieces.append(piece)
    end = next(position for position, piece in costs if piece == ".")
    expected = []
    for index, words in enumerate(COUNTED):
        own = [cost for (at, piece), cost in costs.items() if piece in words and (at > end) == index]
        assert len(own) == len(words)
        expected.append(sum(own) / len(own))
    assert meter.surprises(tokenize(TEXT)) == pytest.approx(expected, rel=1e-4)


def test_people_are_the_yardstick(folder):
    people = [tokenize(TEXT)] * 60
    scores = sense(
        {"People": people, "same": people[:3], "odd": [tokenize("Bench off bench points.")]}, "People", folder
    )
    assert scores["People"]["odd_sentences"] == scores["same"]["odd_sentences"] == 0
    assert scores["odd"]["surprise"] != scores["same"]["surprise"] == pytest.approx(scores["People"]["surprise"])


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(StgError, match="is no language model"):
        SenseMeter(str(tmp_path))
