"""What facts cost: time with all groups of facts relative to the paper's own inputs, at the paper's size.

    python -m benchmarks.bench_facts

`write` is all that a user waits for: the facts of 32 games and their season, the processor, the encoder and the
decoder; `generate` the encoder and the decoder; `encoder` the encoder alone, which has twice as many records;
`train` a forward and backward pass. Each round measures without and with facts in turn; the medians of the rounds'
ratios are reported, and the share of `write` that computing facts takes.
"""

import json
import time
from collections.abc import Callable
from statistics import median

import torch

from benchmarks.bench_decode import TOKENS, paper_size
from modeling_stg.encoder import ENCODED
from modeling_stg.fact_schema import GROUPS
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.season import Season
from stg.dataset import open_dataset
from stg.dataset.reading import open_season


BATCH, ROUNDS = 32, 9


class Side:
    """A model with or without facts, and its inputs for the same games."""

    def __init__(self, groups: tuple[str, ...], rows: list[dict], season: Season):
        self.rows, self.season = rows, season
        self.processor = StgProcessor.from_dataset(rows, facts=groups, season=season)
        games = [GameFacts(row, season) for row in rows]
        self.inputs = self.processor(games)
        self.labelled = self.processor(games, [row["summary"] for row in rows], [row["mentions"] for row in rows])
        self.model: StgForDataToText = paper_size(self.processor, self.inputs)

    @torch.inference_mode()
    def encoder(self) -> None:
        self.model.encode(*(self.inputs[name] for name in ENCODED))

    def generate(self) -> None:
        self.model.generate(**self.inputs, max_new_tokens=TOKENS, min_new_tokens=TOKENS)

    def prepare(self) -> None:
        self.processor([GameFacts(row, self.season) for row in self.rows])

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
    """Median ratios of time with facts to time without, and the share of `write` that facts take."""
    season, rows = open_season("sample"), list(open_dataset(config="sample", split="train").select(range(BATCH)))
    sides = Side((), rows, season), Side(GROUPS, rows, season)
    ratios: dict[str, list[float]] = {name: [] for name in ("encoder", "generate", "write", "train", "facts_share")}
    for _ in range(ROUNDS):
        times = []
        for side in sides:
            encoder, generate, prepare, train = map(seconds, (side.encoder, side.generate, side.prepare, side.train))
            times.append({"encoder": encoder, "generate": generate, "write": prepare + generate, "train": train})
        for name, without in times[0].items():
            ratios[name].append(times[1][name] / without)
        more = times[1]["write"] - times[1]["generate"] - (times[0]["write"] - times[0]["generate"])
        ratios["facts_share"].append(more / times[1]["write"])
    return {name: round(median(rounds), 2) for name, rounds in ratios.items()}


if __name__ == "__main__":
    print(json.dumps(measure()))
