"""How much texts are alike: by hand on the paper's own game, and against sacrebleu."""

import random

import pytest
from sacrebleu.metrics import BLEU

from modeling_stg.game import read_games
from modeling_stg.text import tokenize
from stg.metrics.variety import VARIETY, masked_sentences, self_bleu, variety


@pytest.fixture(scope="module")
def game(root):
    return read_games(root / "examples" / "bucks_at_knicks.json")[0]


def test_names_and_numbers_are_masked(game):
    tokens = tokenize(
        "The Milwaukee Bucks beat New York 105-104. Giannis Antetokounmpo had 27 points and five assists."
    )
    assert masked_sentences(tokens, game) == (
        tuple("The NAME beat NAME NUMBER - NUMBER .".split()),
        tuple("NAME had NUMBER points and NUMBER assists .".split()),
    )


def test_scores_by_hand(game):
    texts = [
        "The Bucks beat the Knicks 105-104. Jabari Parker had 15 points.",  # its second sentence is also the third's
        "The Bucks beat the Knicks 105-104. Milwaukee won by one.",
        "Carmelo Anthony had nine points. Derrick Rose had 10 points.",
        "The Knicks beat the Bucks 105-104. New York won by five.",  # the second's, with other names and numbers
    ]
    scores = variety([tokenize(text) for text in texts], [game] * 4)
    assert set(scores) == set(VARIETY)
    assert scores["words"] == 10.5 and scores["words_150"] == 0
    assert scores["digits"] == pytest.approx(100 * 8 / 11)
    assert scores["player_first"] == 25
    assert scores["distinct_openings"] == 25
    assert scores["shared_sentences"] == 100
    assert scores["same_skeleton"] == 50


def test_self_bleu_is_sacrebleus():
    draw = random.Random(0)
    texts = [[draw.choice("abc") for _ in range(30)] for _ in range(6)]
    others = [[" ".join(text) for text in texts[:index] + texts[index + 1 :]] for index in range(6)]
    expected = BLEU(tokenize="none", force=True).corpus_score(
        [" ".join(text) for text in texts], list(map(list, zip(*others, strict=True)))
    )
    assert self_bleu(texts) == pytest.approx(expected.score)


def test_texts_without_anything_in_common(game):
    scores = variety([tokenize("Milwaukee won."), tokenize("New York lost by one."), []], [game] * 3)
    assert scores["shared_sentences"] == scores["same_skeleton"] == 0
    assert scores["self_bleu"] < 20
