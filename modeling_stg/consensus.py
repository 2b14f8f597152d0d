"""Consensus decoding: of several sampled texts about a game, the one that the others agree with most.

Greedy words fall into loops and one sample is a matter of luck; what most samples say, and in which words, is neither
(minimum Bayes risk, with the other samples in place of a reference). Faults come first: a text with fewer of them wins
over one that agrees better. A judge who reads the texts may be heard as well (`checking/judging.py` is one). A text
that it finds false can be rewritten: what comes before the false sentence stands, and the rest is sampled anew; then
false claims weigh more than agreement.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

from .configuration_stg import StgConfig
from .errors import StgError
from .settings import GenerationSettings


LONGEST = 4  # ids in a row that are compared
FALSE, TRUE = 0.025, 0.003  # what a false claim takes from the agreement with each other text, what a true one adds


class Verdict(NamedTuple):
    """A judge's, on one text."""

    again: int = 0  # claims that it makes again
    false: int = 0
    true: int = 0
    sentence: int | None = None  # from 0: the one to begin anew with; None where the text may stand as it is


# of sequences [N, T] and the number of the game that each is about
Judge = Callable[[torch.Tensor, Sequence[int]], Sequence[Verdict]]


@dataclass
class Text:
    rows: dict[str, torch.Tensor]  # of each tensor of the output, [T]
    ids: list[int]  # without the end and padding
    verdict: Verdict


def write_by_consensus(
    sample: Callable[[Mapping[str, torch.Tensor]], Mapping[str, torch.Tensor]],
    batch: Mapping[str, torch.Tensor],
    settings: GenerationSettings,
    config: StgConfig,
    judge: Judge | None,
) -> dict[str, torch.Tensor]:
    """One text for each game of the batch, of which `sample` writes `settings.consensus`."""
    games = range(len(batch["entity_ids"]))
    kept = [best(texts, config) for texts in _sampled(sample, batch, games, settings.consensus, config, judge)]
    for _ in range(settings.rewrites):
        false = [game for game in games if kept[game].verdict.sentence is not None]
        if not false:
            break
        part = {name: tensor[false] for name, tensor in batch.items()}
        beginnings = [opening(kept[game], config) for game in false]
        part["opening"] = pad_sequence(beginnings, True, -1).to(part["entity_ids"].device)
        sampled = _sampled(sample, part, false, settings.consensus, config, judge)
        for game, texts in zip(false, sampled, strict=True):
            kept[game] = best([kept[game], *texts], config, false_before_agreement=True)
    padding = {"sequences": config.pad_token_id, "log_probs": 0}
    return {name: pad_sequence([text.rows[name] for text in kept], True, padding[name]) for name in kept[0].rows}


def _sampled(sample, batch, games: Sequence[int], each: int, config: StgConfig, judge) -> list[list[Text]]:
    """`each` texts for every one of the `games`."""
    output = sample(batch)
    ends = (config.pad_token_id, config.eos_token_id)
    ids = [[token for token in row if token not in ends] for row in output["sequences"].tolist()]
    about = [game for game in games for _ in range(each)]
    verdicts = [Verdict()] * len(ids) if judge is None else [*judge(output["sequences"], about)]
    if len(verdicts) != len(ids):
        raise StgError(f"judge: {len(verdicts)} verdicts on {len(ids)} texts; give one on each")
    rows = [dict(zip(output, row, strict=True)) for row in zip(*output.values(), strict=True)]
    texts = [Text(row, *rest, Verdict(*told)) for row, *rest, told in zip(rows, ids, verdicts, strict=True)]
    return [texts[first : first + each] for first in range(0, len(texts), each)]


def best(texts: Sequence[Text], config: StgConfig, false_before_agreement: bool = False) -> Text:
    """The first with the fewest faults, then (if so asked) the fewest false claims, then the best agreement."""
    merits = []
    for text, agreed in zip(texts, agreement([text.ids for text in texts], config), strict=True):
        again, false, true, _ = text.verdict
        agreed += (len(texts) - 1) * (TRUE * true - FALSE * false)
        merits.append((-faults(text.ids, config) - again, -false * false_before_agreement, agreed))
    return texts[merits.index(max(merits))]


def opening(text: Text, config: StgConfig) -> torch.Tensor:
    """The ids before the sentence that is to be written anew."""
    ends = [0, *(place + 1 for place, token in enumerate(text.ids) if token == config.period_token_id)]
    return torch.tensor(text.ids[: ends[min(text.verdict.sentence, len(ends) - 1)]], dtype=torch.long)


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
