"""Consensus decoding: of several sampled texts about a game, the one that the others agree with most.

Greedy words fall into loops and one sample is a matter of luck; what most samples say, and in which words, is neither
(minimum Bayes risk, with the other samples in place of a reference). Faults come first: a text with fewer of them wins
over one that agrees better. A judge who reads the texts may be heard as well (`checking/judging.py` is one).
"""

from collections import Counter
from collections.abc import Callable, Sequence

import torch

from .configuration_stg import StgConfig


LONGEST = 4  # ids in a row that are compared
FALSE, TRUE = 0.025, 0.003  # what a false claim takes from the agreement with each other text, what a true one adds

# of each sequence [N, T]: how many claims it makes again, how many are false, how many are true
Judge = Callable[[torch.Tensor], Sequence[tuple[int, int, int]]]


def choose(sequences: torch.Tensor, each: int, config: StgConfig, judge: Judge | None = None) -> torch.Tensor:
    """The rows of `sequences` [games * each, T] to keep, one for each game."""
    ends = (config.pad_token_id, config.eos_token_id)
    rows = [[token for token in row if token not in ends] for row in sequences.tolist()]
    verdicts = [(0, 0, 0)] * len(rows) if judge is None else judge(sequences)
    chosen = []
    for first in range(0, len(rows), each):
        texts = rows[first : first + each]
        candidates = zip(texts, agreement(texts, config), verdicts[first : first + each], strict=True)
        merits = [
            (-faults(text, config) - again, score + (each - 1) * (TRUE * true - FALSE * false))
            for text, score, (again, false, true) in candidates
        ]
        chosen.append(first + merits.index(max(merits)))
    return torch.tensor(chosen, device=sequences.device)


def agreement(texts: Sequence[Sequence[int]], config: StgConfig) -> list[float]:
    """For each text, summed over the others: F1 of the stated records, and of the sequences of one to four ids."""
    bags = [_bags(text, config) for text in texts]
    totals = [0.0] * len(texts)
    for one in range(len(texts)):
        for other in range(one):
            records, *grams = map(_f1, bags[one], bags[other])
            shared = records + sum(grams) / LONGEST
            totals[one] += shared
            totals[other] += shared
    return totals


def faults(text: Sequence[int], config: StgConfig) -> int:
    """Numbers stated twice, sentences said twice, and teams named twice in one sentence, as when one meets itself."""
    vocab_size, period = config.vocab_size, config.period_token_id  # a field of a configuration takes long to read
    numbers, sentences = Counter(), Counter()
    named, start, twice = set(), 0, 0
    for position, token in enumerate(text):
        if token >= vocab_size:
            entity, slot, _ = config.read_record_id(token)
            attribute = config.attribute(entity, slot)
            if config.is_number(attribute):
                numbers[entity, slot] += 1
            elif attribute == "TEAM-NAME":
                twice += entity in named
                named.add(entity)
        elif token == period:
            sentences[tuple(text[start:position])] += 1
            start, named = position + 1, set()
    return twice + sum(count - 1 for counter in (numbers, sentences) for count in counter.values())


def _bags(text: Sequence[int], config: StgConfig) -> list[Counter]:
    """The stated records whatever their form, then the sequences of one to LONGEST ids."""
    vocab_size = config.vocab_size
    records = Counter(config.read_record_id(token)[:2] for token in text if token >= vocab_size)
    grams = [Counter(zip(*(text[start:] for start in range(size)), strict=False)) for size in range(1, LONGEST + 1)]
    return [records, *grams]


def _f1(one: Counter, other: Counter) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0
