"""Compares ways of choosing one of several sampled texts (results/ablations.md)."""

from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from modeling_stg.consensus import FALSE_COST, TRUE_GAIN, agreement, faults
from modeling_stg.game import Game
from stg.checking.checker import Checker
from stg.checking.findings import FALSE as REFUTED
from stg.checking.judge import verdict
from stg.extraction.loading import load_extractor
from stg.extraction.modeling_extraction import ConvolutionMember, LstmMember, RelationExtractor
from stg.metrics.scores import Scorer, from_counts
from stg.metrics.table import show


BATCH_SIZE = 32
EARLIER_SAMPLES = 6  # the default of --check before the checker became its judge
COLUMNS = {
    **{"rg_number": "RG #", "rg_precision": "RG P", "cs_f1": "CS F1", "co_dld": "CO", "bleu": "BLEU"},
    **{"duplicate_ratio": "duplicates", "sanity_credited": "right team"},
    **{"false_numbers": "false numbers", "false_words": "false names and words", "nothing_false": "nothing false, %"},
}
HALVES_COLUMNS = ("judged by", "measured by", "RG P", "duplicates", "nothing false, %")


class Weights(NamedTuple):
    """Weights of a way of choosing: it ranks texts by faults, then by agreement and their true and false claims."""

    repeats: float  # weight of a repeated relation among the faults
    false: float  # subtracted for each false claim
    true: float  # added for each true one


AGREEMENT = Weights(0, 0, 0)
CHECK = Weights(1, FALSE_COST, TRUE_GAIN)  # `generate` with a judge
WAYS = {  # number of samples (None: all), judge, weights
    "the first sample": (1, "relations", AGREEMENT),
    f"agreement ({EARLIER_SAMPLES})": (EARLIER_SAMPLES, "relations", AGREEMENT),
    "agreement": (None, "relations", AGREEMENT),
    f"relations, less 0.04, plus 0.004 ({EARLIER_SAMPLES})": (EARLIER_SAMPLES, "relations", Weights(1, 0.04, 0.004)),
    "relations, less 0.04, plus 0.004": (None, "relations", Weights(1, 0.04, 0.004)),
    f"the checker too, less {FALSE_COST}, plus {TRUE_GAIN} ({EARLIER_SAMPLES})": (EARLIER_SAMPLES, "checker", CHECK),
    f"the checker too, less {FALSE_COST}, plus {TRUE_GAIN} (checked, not rewritten)": (None, "checker", CHECK),
    "less 0.04, plus 0.004": (None, "checker", Weights(1, 0.04, 0.004)),
    "less 0.03, plus 0.002": (None, "checker", Weights(1, 0.03, 0.002)),
    "less 0.02, plus 0.002": (None, "checker", Weights(1, 0.02, 0.002)),
}


def choose(weights: Weights, agreed: np.ndarray, fault: np.ndarray, verdicts: np.ndarray) -> np.ndarray:
    """Chooses a sample for each game.

    Args:
        weights: The way of choosing.
        agreed: How far each sample agrees with the others, [games, samples].
        fault: Faults of each sample, [games, samples].
        verdicts: Repeats, false and true claims of each sample, [games, samples, 3].

    Returns:
        Indices of samples, [games].
    """
    repeats, false, true = verdicts.transpose(2, 0, 1)
    faulty = fault + weights.repeats * repeats
    score = agreed + (agreed.shape[1] - 1) * (weights.true * true - weights.false * false)
    return np.array([max(range(len(row)), key=lambda i: (-faulty[g, i], row[i])) for g, row in enumerate(score)])


def sample(
    model, processor, rows: list[dict], games: list[Game], samples: int, temperature: float
) -> tuple[list[list[list[int]]], list[list[list[str]]]]:
    """Samples texts of every game: their ids without padding and end, and their tokens, each [games][samples]."""
    config = model.config
    ids, texts = [], []
    for start in tqdm(range(0, len(games), BATCH_SIZE), desc="sampling", unit="batch"):
        batch = games[start : start + BATCH_SIZE]
        writers = [row["writer"] if config.use_writer else None for row in rows[start : start + BATCH_SIZE]]
        torch.manual_seed(start)
        options = {"do_sample": True, "temperature": temperature, "num_return_sequences": samples}
        sequences = model.generate(**processor(batch, writers=writers), **options)
        ends = (config.pad_token_id, config.eos_token_id)
        written = [[token for token in row if token not in ends] for row in sequences.tolist()]
        tokens = processor.batch_tokens(sequences, [game for game in batch for _ in range(samples)])
        ids += [written[first : first + samples] for first in range(0, len(written), samples)]
        texts += [tokens[first : first + samples] for first in range(0, len(tokens), samples)]
    return ids, texts


def judge(extractor: RelationExtractor, games: list[Game], texts: list[list], name: str) -> dict[str, np.ndarray]:
    """Judges every sample.

    Returns:
        "relations" and "checker": repeats, false and true claims by the extractor alone and with the checker's rules,
        [games, samples, 3]. "refuted": numbers, and names and words that the checker refutes, [games, samples, 2].
    """
    checker = Checker(extractor)
    verdicts: dict[str, list] = {"relations": [], "checker": [], "refuted": []}
    for game, samples in zip(tqdm(games, desc=f"judging by {name}", unit="game"), texts, strict=True):
        for reading in checker.parse(samples, [game] * len(samples)):
            findings = checker.findings(reading)
            numbers = [finding.kind == "number" for finding in findings if finding.verdict == REFUTED]
            verdicts["relations"].append(verdict(reading.tokens, reading.relations, ())[:3])
            verdicts["checker"].append(verdict(reading.tokens, reading.relations, findings)[:3])
            verdicts["refuted"].append((sum(numbers), len(numbers) - sum(numbers)))
    return {name: np.array(counts).reshape(len(games), len(texts[0]), -1) for name, counts in verdicts.items()}


def extractor_halves() -> dict[str, RelationExtractor]:
    """The extractor with either half of its ensemble alone, so that one half can judge and the other measure."""
    halves = {}
    for name, member_class in (("convolutions", ConvolutionMember), ("LSTMs", LstmMember)):
        halves[name] = load_extractor()
        halves[name].members = torch.nn.ModuleList(
            member for member in halves[name].members if isinstance(member, member_class)
        )
    return halves


class Comparison:
    """Samples texts of every game once; every way then chooses among the same samples."""

    def __init__(self, model, processor, rows: list[dict], samples: int, temperature: float):
        self.rows, self.samples = rows, samples
        self.games = [Game.from_json(row) for row in rows]
        ids, self.texts = sample(model, processor, rows, self.games, samples, temperature)
        self.fault = np.array([[faults(text, model.config) for text in texts] for texts in ids])
        sizes = sorted({number or samples for number, *_ in WAYS.values()})
        self.agreed = {
            number: np.array([agreement(texts[:number], model.config) for texts in ids]) for number in sizes
        }

    def by_way(self) -> dict[str, dict[str, float | None]]:
        """The scores of the texts that each way chooses."""
        scorer = Scorer([row["summary"] for row in self.rows], self.games, load_extractor(), progress=True)
        scored = [
            scorer.score([texts[index] for texts in self.texts], f"sample {index + 1}")
            for index in range(self.samples)
        ]
        verdicts = judge(load_extractor(), self.games, self.texts, "all")
        counts, game = np.stack([system.counts for system in scored]), np.arange(len(self.games))
        results = {}
        for name, (number, judged_by, weights) in WAYS.items():
            number = number or self.samples
            if number > self.samples:
                continue
            chosen = choose(weights, self.agreed[number], self.fault[:, :number], verdicts[judged_by][:, :number])
            refuted = verdicts["refuted"][game, chosen]
            results[name] = from_counts(counts[chosen, game].sum(0)) | {
                "false_numbers": float(refuted[:, 0].mean()),
                "false_words": float(refuted[:, 1].mean()),
                "nothing_false": float(100 * (refuted.sum(1) == 0).mean()),
            }
        return results

    def by_halves(self) -> list[list[str]]:
        """Rows of a table: each half of the extractor measures texts chosen without a judge, or by either half."""
        game = np.arange(len(self.games))
        verdicts = {
            name: judge(extractor, self.games, self.texts, name) for name, extractor in extractor_halves().items()
        }
        table = []
        for measured_by, measured in verdicts.items():
            for judged_by, weights in (("nobody", AGREEMENT), *((half, CHECK) for half in verdicts)):
                judged = verdicts.get(judged_by, measured)["checker"]
                chosen = choose(weights, self.agreed[self.samples], self.fault, judged)
                repeats, false, true = measured["relations"][game, chosen].T
                refuted = measured["refuted"][game, chosen].sum(1)
                rates = (
                    100 * true.sum() / (true + false).sum(),
                    100 * (repeats > 0).mean(),
                    100 * (refuted == 0).mean(),
                )
                table.append([judged_by, measured_by, *map(show, rates)])
        return table
