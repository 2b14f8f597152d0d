"""Sentences about coming games are removed; the rest is traced as before."""

import pytest
import torch

from stg.checking.outlook import looks_ahead, without_outlook
from tests.helpers import tiny_model


PERIOD, END, PADDING = 4, 3, 0
WORDS = ("won", "will", "they", "on", "travel", "season")


class Processor:
    """Knows a few words and one record, whose name contains a full stop."""

    layout = tiny_model.random_model().config

    def trace(self, sequences, games):
        texts = {PERIOD: ".", **dict(enumerate(WORDS, 10)), self.layout.vocab_size: "Next . Door"}
        return [[{"text": texts[token]} for token in row if token not in (PADDING, END)] for row in sequences.tolist()]


def remaining(*rows: list[int]) -> list[list[int]]:
    width = max(map(len, rows)) + 2
    padded = [[*row, END, *[PADDING] * (width - len(row) - 1)] for row in rows]
    return without_outlook(torch.tensor(padded), Processor(), [None] * len(rows))


class NextProcessor(Processor):
    """Its record is the next opponent."""

    def trace(self, sequences, games):
        rows = super().trace(sequences, games)
        attributes = {"Next . Door": "TEAM-NEXT_OPPONENT"}
        return [[{**token, "attribute": attributes.get(token["text"])} for token in row] for row in rows]


def test_sentences_that_state_a_coming_game_are_removed():
    won, they, on = 10, 12, 13
    name = Processor.layout.vocab_size
    rows = torch.tensor([[they, won, PERIOD, they, on, name, PERIOD, they, on, PERIOD, END]])
    assert without_outlook(rows, NextProcessor(), [None]) == [[they, won, PERIOD, they, on, PERIOD]]


@pytest.mark.parametrize(
    "sentence, is_ahead",
    [
        ("The Jazz play host to the Spurs", True),
        ("The Spurs come to town on Saturday", True),
        ("Utah has a home game against the Spurs on Saturday", True),
        ("They begin a three - game trip Saturday in Phoenix", True),
        ("The Jazz entertain the Spurs on Saturday", True),
        ("He had a game - high 20 points on Saturday", False),
        ("Denver had a lead on Saturday", False),
        ("The Knicks beat the Spurs on Saturday", False),
    ],
)
def test_verbs_of_coming_games(sentence, is_ahead):
    assert looks_ahead(sentence.lower().split()) is is_ahead


def test_sentences_that_look_ahead_are_removed():
    won, will, they, on, travel, season = range(10, 16)
    first, second, third = [they, won, PERIOD], [they, will, on, PERIOD], [they, on, PERIOD]
    assert remaining([*first, *second, *third], [*first, *third]) == [[*first, *third], [*first, *third]]
    assert remaining([*first, *third, they, travel]) == [[*first, *third]], (
        "cut off in the middle, it still looks ahead"
    )
    assert remaining(second) == [second] and remaining([*second, *second]) == [second], (
        "the first sentence always stays"
    )
    assert remaining([*first, they, will, season, PERIOD]) == [[*first, they, will, season, PERIOD]]
    name = Processor.layout.vocab_size
    assert remaining([*first, name, won, PERIOD, *third]) == [[*first, *third]], "a sentence ends with the period's id"
    assert remaining([]) == [[]]


def test_looks_ahead():
    for text in (
        "up next , the knicks visit the hawks",
        "they head home to face the bulls",
        "new york will host utah",
    ):
        assert looks_ahead(text.split())
    for text in ("the knicks won", "it was their best win of the season", "he will miss the rest of the season"):
        assert not looks_ahead(text.split())


def test_outlook_is_removed_from_generated_sequences(monkeypatch):
    """The real processor loses whole sentences, and the remaining ids decode as before."""
    model, processor, games = tiny_model.trained_model(), tiny_model.processor(), tiny_model.league()[:4]
    sequences = model.generate(**processor(games), max_new_tokens=60)
    whole = processor.trace(sequences, games)
    assert processor.trace(without_outlook(sequences, processor, games), games) == whole
    monkeypatch.setattr("stg.checking.outlook.looks_ahead", lambda words: True)
    short = processor.trace(without_outlook(sequences, processor, games), games)
    for text, cut in zip(whole, short, strict=True):
        words = [token["text"] for token in text]
        assert cut == text[: [*words, "."].index(".") + 1]
    assert sum(map(len, short)) < sum(map(len, whole))
