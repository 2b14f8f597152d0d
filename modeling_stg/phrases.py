"""Known phrases: the n-grams of words and attributes in the training texts.

A language model of this size knows which word may follow which, but now and then slides from one phrase into another:
"for his row". A sentence all of whose n-grams stand in a training text, whatever the names and numbers in them, reads
as people write. A model keeps the n-grams of its training texts as hashes, in its weights.
"""

from collections.abc import Iterable, Sequence

import torch

from .configuration_stg import StgConfig


SIZE = 7  # of 461 unseen sentences of our own recaps, 72% have only known n-grams of this size, 78% of size 5
_FACTOR, _MODULUS = 1_000_003, 2**61 - 1


def phrase_hashes(sequences: Iterable[Sequence[int]], config: StgConfig) -> torch.Tensor:
    """The hashes of all n-grams of the sentences of sequences of ids, sorted, [P]."""
    sentences = (sentence for ids in sequences for sentence in _sentences(ids, config))
    hashes = {value for sentence in sentences for value in _hashes(sentence, config)}
    return torch.tensor(sorted(hashes), dtype=torch.long)


class KnownPhrases:
    """Tells whether a sentence has only known phrases."""

    def __init__(self, hashes: torch.Tensor, config: StgConfig):
        self.hashes, self.config = frozenset(hashes.tolist()), config

    def __call__(self, sentence: Sequence[int]) -> bool:
        """Whether the ids of a sentence, up to its full stop, have only known phrases."""
        return self.hashes.issuperset(_hashes(sentence, self.config))


def _sentences(ids: Sequence[int], config: StgConfig) -> Iterable[list[int]]:
    start = 0
    for position, token in enumerate(ids):
        if token == config.period_token_id:
            yield list(ids[start : position + 1])
            start = position + 1


def _hashes(sentence: Sequence[int], config: StgConfig) -> list[int]:
    """The hashes of a sentence's n-grams; the one before it ends in a full stop."""
    record_ids, teams = config.record_ids, len(config.team_attributes)
    skeleton = [config.period_token_id]
    for token in sentence:
        if token >= config.vocab_size:  # a record stands for its attribute
            entity, slot, _ = record_ids.decode(token)
            token = config.vocab_size + slot + (0 if entity < 2 else teams)
        skeleton.append(token)
    hashes = []
    for start in range(max(1, len(skeleton) - SIZE + 1)):
        value = 0
        for token in skeleton[start : start + SIZE]:
            value = (value * _FACTOR + token + 1) % _MODULUS
        hashes.append(value)
    return hashes
