"""Decoding speed at the paper's size: batches of 1, 8, 32 and 64 games against the plain twin, one game at a time.

python benchmarks/bench_decode.py

The weights are random, since speed does not depend on them, but for the bias of Z, which is set so that about one token
in six states a record, as in RotoWire, and the bias of <EoD> and ".", so that a sentence ends as often as there.
Twin and model write the same tokens. Numbers are the best of several runs taken in turns, so that what else the
machine does touches all of them alike.
"""

import json
import sys
import time
from pathlib import Path

import torch


ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import decoding_twin as twin  # noqa: E402

from dataset_script import open_dataset  # noqa: E402
from modeling_stg.modeling_stg import StgForDataToText  # noqa: E402
from modeling_stg.processing_stg import StgProcessor  # noqa: E402


BATCHES = (1, 8, 32, 64)
TOKENS = 100
ROUNDS = 3
TWIN_GAMES = 2
VOCABULARY = 6000  # RotoWire's; the sample league knows fewer words


def paper_size(processor: StgProcessor, inputs: dict) -> StgForDataToText:
    """A model of the paper's sizes whose random weights state records as often as RotoWire's summaries do."""
    torch.manual_seed(0)
    config = processor.config()
    config.vocab_size = VOCABULARY
    model = StgForDataToText(config).eval()
    with torch.no_grad():
        model.output.bias[config.eos_token_id] = -1e4
        for _ in range(8):
            z = (model.generate(**inputs, max_new_tokens=TOKENS) >= VOCABULARY).float().mean()
            model.transition.bias -= 4 * (z - 1 / 6)
    return model


def measure() -> dict[str, dict[str, float]]:
    """{"1": {"tokens_per_second", "ratio_to_twin"}, "8": ..., "32": ..., "64": ...} and the twin's own speed."""
    rows = list(open_dataset(config="sample", split="train").select(range(max(BATCHES))))
    processor = StgProcessor.from_dataset(rows)
    batches = {size: processor(rows[:size]) for size in BATCHES}
    singles = [processor([row]) for row in rows[:TWIN_GAMES]]
    model = paper_size(processor, batches[8])
    best = dict.fromkeys([*BATCHES, "twin"], 0.0)
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for single in singles:
            twin.write(model, single, TOKENS, TOKENS)
        best["twin"] = max(best["twin"], TWIN_GAMES * TOKENS / (time.perf_counter() - start))
        for size, batch in batches.items():
            start = time.perf_counter()
            model.generate(**batch, max_new_tokens=TOKENS, min_new_tokens=TOKENS)
            best[size] = max(best[size], size * TOKENS / (time.perf_counter() - start))
    return {
        str(size): {"tokens_per_second": round(speed, 1), "ratio_to_twin": round(speed / best["twin"], 2)}
        for size, speed in best.items()
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
