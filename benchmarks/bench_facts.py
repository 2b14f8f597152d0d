"""What facts cost: time with all groups of facts relative to the paper's own inputs, at the paper's size.

    python -m benchmarks.bench_facts

Per game: `facts` computes them from the box score and the season, `encoder` encodes the records, `write` is a whole
call of `generate` (encoder and decoder), `train` a forward and backward pass. Each round measures without and with
facts in turn; the medians of the rounds' ratios are reported. `facts` is a share of `write`, since without facts
there is nothing to compute.
"""

import json
import time
from collections.abc import Callable
from statistics import median

import torch

from benchmarks.bench_decode import TOKENS, paper_size
from dataset_script import open_dataset
from dataset_script.reading import open_season
from modeling_stg.fact_schema import GROUPS
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor


BATCH, ROUNDS = 32, 9


class Side:
    """A model with or without facts, and its inputs for the same games."""

    def __init__(self, groups: tuple[str, ...]):
        rows = list(open_dataset(config="sample", split="train").select(range(BATCH)))
        season = open_season("sample")
        processor = StgProcessor.from_dataset(rows, facts=groups, season=season)
        games = [GameFacts(row, season) for row in rows]
        self.inputs = processor(games)
        self.labelled = processor(games, [row["summary"] for row in rows], [row["mentions"] for row in rows])
        self.model: StgForDataToText = paper_size(processor, self.inputs)
        self.encoded = [self.inputs[name] for name in ("entity_ids", "is_home", "value_ids")]

    @torch.inference_mode()
    def encoder(self) -> None:
        self.model.encode(*self.encoded)

    def write(self) -> None:
        self.model.generate(**self.inputs, max_new_tokens=TOKENS, min_new_tokens=TOKENS)

    def train(self) -> None:
        self.model.train()
        self.model(**self.labelled).loss.backward()
        self.model.zero_grad()
        self.model.eval()


def seconds(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure() -> dict[str, float]:
    without, with_facts = Side(()), Side(GROUPS)
    season, rows = open_season("sample"), list(open_dataset(config="sample", split="train").select(range(BATCH)))
    ratios: dict[str, list[float]] = {name: [] for name in ("encoder", "write", "train", "facts")}
    for _ in range(ROUNDS):
        times = [(seconds(side.encoder), seconds(side.write), seconds(side.train)) for side in (without, with_facts)]
        for name, before, after in zip(ratios, *times, strict=False):
            ratios[name].append(after / before)
        computed = seconds(lambda: [list(GameFacts(row, season)) for row in rows])
        ratios["facts"].append(computed / times[1][1])
    return {name: round(median(rounds), 2) for name, rounds in ratios.items()}


if __name__ == "__main__":
    print(json.dumps(measure()))
