"""Sizes of the relation extractor."""

from transformers import PreTrainedConfig


class ExtractionConfig(PreTrainedConfig):
    """The ensemble's sizes. Published extractors use words of 200, distances of 100, 200 filters and LSTMs of 400.

    Smaller ones train in minutes on a CPU and score no worse on validation: with names masked, only a few thousand
    words remain.
    """

    model_type = "stg_extraction"

    def __init__(
        self,
        vocab_size: int = 4000,
        word_size: int = 100,
        distance_size: int = 50,
        max_distance: int = 60,
        convolutions: int = 3,
        widths: tuple[int, ...] = (2, 3, 5),
        filters: int = 100,
        lstms: int = 3,
        lstm_size: int = 100,
        hidden_size: int = 200,
        dropout: float = 0.3,
        threshold: float = 0.38,
        initializer_range: float = 0.05,
        **kwargs,
    ):
        self.vocab_size = vocab_size
        self.word_size = word_size
        self.distance_size = distance_size
        self.max_distance = max_distance
        self.convolutions = convolutions
        self.widths = list(widths)
        self.filters = filters
        self.lstms = lstms
        self.lstm_size = lstm_size
        self.hidden_size = hidden_size
        self.dropout = dropout
        # The lowest probability at which a relation is reported.
        self.threshold = threshold
        self.initializer_range = initializer_range
        kwargs.setdefault("pad_token_id", 0)
        super().__init__(**kwargs)
