"""Sentences about coming games are removed; the rest is traced as before."""

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
