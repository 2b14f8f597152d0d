"""Consensus decoding: sample several texts about a game and keep the one that agrees best with the others.

This is minimum Bayes risk decoding with the other samples as references: greedy texts fall into loops, and a single
sample depends on luck. A text with fewer faults always wins over one that agrees better. A judge (such as the one in
`stg.checking`) can add its verdicts. A text it finds false can be rewritten: everything before its first false
sentence stays and the rest is sampled again; from then on false claims weigh more than agreement.
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


MAX_NGRAM = 4
# Subtracted for a false claim and added for a true one, in units of agreement with one other text
FALSE_COST, TRUE_GAIN = 0.025, 0.003


class Verdict(NamedTuple):
    """A judge's opinion of one text."""

    repeated: int = 0  # claims that the text has already made
    false: int = 0
    true: int = 0
    sentence: int | None = None  # the first to rewrite, from 0; None if the text can stay as it is


# (sequences [N, T], index of the game that each describes) -> a verdict for each
Judge = Callable[[torch.Tensor, Sequence[int]], Sequence[Verdict]]


@dataclass
class Text:
    rows: dict[str, torch.Tensor]  # its row of each output tensor, [T]
    ids: list[int]  # without <EoD> and padding
    verdict: Verdict


def write_by_consensus(
    sample: Callable[[Mapping[str, torch.Tensor]], Mapping[str, torch.Tensor]],
    batch: Mapping[str, torch.Tensor],
    settings: GenerationSettings,
    config: StgConfig,
    judge: Judge | None,
) -> dict[str, torch.Tensor]:
    """Writes one text for each game of the batch, chosen from `settings.consensus` samples."""
    games = range(len(batch["entity_ids"]))
    kept = [best(texts, config) for texts in _samples(sample, batch, games, settings.consensus, config, judge)]
    for _ in range(settings.rewrites):
        rewritten = [game for game in games if kept[game].verdict.sentence is not None]
        if not rewritten:
            break
        part = {name: tensor[rewritten] for name, tensor in batch.items()}
        openings = [opening(kept[game], config) for game in rewritten]
        part["opening"] = pad_sequence(openings, True, -1).to(part["entity_ids"].device)
        samples = _samples(sample, part, rewritten, settings.consensus, config, judge)
        for game, texts in zip(rewritten, samples, strict=True):
            kept[game] = best([kept[game], *texts], config, false_before_agreement=True)
    padding = {"sequences": config.pad_token_id, "log_probs": 0}
    return {name: pad_sequence([text.rows[name] for text in kept], True, padding[name]) for name in kept[0].rows}


def _samples(
    sample: Callable, batch, games: Sequence[int], size: int, config: StgConfig, judge: Judge | None
) -> list[list[Text]]:
    """Samples `size` texts for each of the `games`."""
    output = sample(batch)
    ends = (config.pad_token_id, config.eos_token_id)
    ids = [[token for token in row if token not in ends] for row in output["sequences"].tolist()]
    described = [game for game in games for _ in range(size)]
    verdicts = [Verdict()] * len(ids) if judge is None else [*judge(output["sequences"], described)]
    if len(verdicts) != len(ids):
        raise StgError(f"judge: {len(verdicts)} verdicts on {len(ids)} texts; return one for each")
    rows = [dict(zip(output, row, strict=True)) for row in zip(*output.values(), strict=True)]
    texts = [Text(*parts) for parts in zip(rows, ids, (Verdict(*verdict) for verdict in verdicts), strict=True)]
    return [texts[first : first + size] for first in range(0, len(texts), size)]


def best(texts: Sequence[Text], config: StgConfig, false_before_agreement: bool = False) -> Text:
    """Picks the text with the fewest faults, then the best agreement; ties go to the first.

    With `false_before_agreement`, the fewest false claims come second.
    """
    merits = []
    for text, agreed in zip(texts, agreement([text.ids for text in texts], config), strict=True):
        repeated, false, true, _ = text.verdict
        agreed += (len(texts) - 1) * (TRUE_GAIN * true - FALSE_COST * false)
        merits.append((-faults(text.ids, config) - repeated, -false * false_before_agreement, agreed))
    return texts[merits.index(max(merits))]


def opening(text: Text, config: StgConfig) -> torch.Tensor:
    """The ids before the sentence to rewrite."""
    ends = [0, *(position + 1 for position, token in enumerate(text.ids) if token == config.period_token_id)]
    return torch.tensor(text.ids[: ends[min(text.verdict.sentence or 0, len(ends) - 1)]], dtype=torch.long)


def agreement(texts: Sequence[Sequence[int]], config: StgConfig) -> list[float]:
    """For each text, summed over the others: F1 of stated records plus the mean F1 of n-grams of ids, n = 1 to 4."""
    bags = [_bags(text, config) for text in texts]
    totals = [0.0] * len(texts)
    for first in range(len(texts)):
        for second in range(first):
            records, *grams = map(_f1, bags[first], bags[second])
            shared = records + sum(grams) / MAX_NGRAM
            totals[first] += shared
            totals[second] += shared
    return totals


def faults(text: Sequence[int], config: StgConfig) -> int:
    """Counts numbers stated twice, sentences written twice, and teams named twice in one sentence."""
    record_ids, period = config.record_ids, config.period_token_id  # reading a field of a configuration is slow
    numbers: Counter = Counter()
    sentences: Counter = Counter()
    named, start, repeated_names = set(), 0, 0
    for position, token in enumerate(text):
        if token >= record_ids.vocab_size:
            entity, slot, _ = record_ids.decode(token)
            attribute = config.attribute(entity, slot)
            if config.is_number(attribute):
                numbers[entity, slot] += 1
            elif attribute == "TEAM-NAME":
                repeated_names += entity in named
                named.add(entity)
        elif token == period:
            sentences[tuple(text[start:position])] += 1
            start, named = position + 1, set()
    return repeated_names + sum(count - 1 for counter in (numbers, sentences) for count in counter.values())


def _bags(text: Sequence[int], config: StgConfig) -> list[Counter]:
    """The cells of stated records, then the n-grams of ids for n = 1 to MAX_NGRAM."""
    record_ids = config.record_ids
    records = Counter(record_ids.decode_cell(token)[0] for token in text if token >= record_ids.vocab_size)
    grams = [Counter(zip(*(text[start:] for start in range(size)), strict=False)) for size in range(1, MAX_NGRAM + 1)]
    return [records, *grams]


def _f1(left: Counter, right: Counter) -> float:
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0
