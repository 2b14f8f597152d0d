"""Decoding speed at the paper's size: batches of 1, 8, 32 and 64 games, relative to the twin, one game at a time.

    python -m benchmarks.bench_decode [--without-c]     (without: as if `stg.native` had not been compiled)

The weights are random and scaled up, so that the text does not settle on one word. The biases of Z and "." are set so
that 15% of the tokens state a record and 4% end a sentence, as in RotoWire-Modified. The twin and batch 1 write four
games. Their texts are not compared, as with such weights the last bit of a sum soon changes a word;
`tests/modeling_stg/test_generation.py` compares decisions.
The ceiling counts only the matrix products of Algorithm 1, computed as decoding does: for every token the language
model's layers, W_Y, and the parts of W_z, W_N, W_H and W_A that read h_LM; for tokens that state a record also the
rest of W_A, GRU_E and GRU_A; for those and for periods also what reads h_Ent.
Each round measures the twin and every batch in turn. Ratios are taken within a round, so that other load affects both,
and the medians over the rounds are reported.
"""

import argparse
import json
import time
from statistics import median

import torch

from modeling_stg import kernels
from modeling_stg.decoder_state import DecoderState
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from stg.dataset import open_dataset
from tests.twins import decoding_twin as twin


BATCHES = (1, 8, 32, 64)
TOKENS = 200
ROUNDS = 9
SINGLE_GAMES = 4  # games that the twin and batch 1 write
VOCABULARY = 6000  # as for RotoWire; the sample league has fewer words
WEIGHT_SCALE = 8.0
STATED, ENDED = 0.15, 0.04  # shares of RotoWire-Modified's tokens


@torch.no_grad()
def paper_size(processor: StgProcessor, inputs: dict) -> StgForDataToText:
    """A random model of the paper's size that states records and ends sentences as often as RotoWire does."""
    torch.manual_seed(0)
    config = processor.config()
    config.vocab_size = VOCABULARY
    model = StgForDataToText(config).eval()
    for layer in (*model.language.layers, model.language.from_lm, model.output, model.transition):
        layer.weight *= WEIGHT_SCALE
    model.output.bias[config.eos_token_id] = -1e4
    for turn in range(16):
        ids = model.generate(**inputs, max_new_tokens=TOKENS)
        stated = (ids >= VOCABULARY).float().mean().item()
        ended = (ids == config.period_token_id).float().mean().item()
        if abs(stated - STATED) < 0.1 * STATED and abs(ended - ENDED) < 0.2 * ENDED:
            return model
        model.transition.bias -= 2 * WEIGHT_SCALE * (stated - STATED) / (1 + turn / 4)
        model.output.bias[config.period_token_id] -= 5 * WEIGHT_SCALE * (ended - ENDED) / (1 + turn / 4)
    raise RuntimeError(
        f"shares of records {stated:.3f} and periods {ended:.3f}: cannot be brought to those of RotoWire"
    )


def products(state: DecoderState) -> None:
    """Only the matrix products of TOKENS steps, with the weights and buffers of decoding."""
    language, h_ent = state.language, state.h_ent
    stating, moving = (len(state) * share for share in (STATED, STATED + ENDED))  # rows of a step, on average
    stated = moved = 0
    for step in range(1, TOKENS + 1):
        state.from_lm(language.h_lm)
        language.word_logits()
        for layer in language.layers:
            layer(language.state[:, -layer.inputs :])
        rows, stated = int(step * stating) - stated, int(step * stating)
        if rows:
            state.attribute(h_ent[:rows])
            for gru in (state.gru_e, state.gru_a):
                gru.from_input(state.records[:rows])
                gru.from_hidden(h_ent[:rows])
        rows, moved = int(step * moving) - moved, int(step * moving)
        if rows:
            state.after_update(h_ent[:rows])


@torch.no_grad()
def measure() -> dict[str, dict[str, float]]:
    """By batch: tokens_per_second, ratio_to_twin and, except for the twin, ceiling_ratio_to_twin."""
    rows = list(open_dataset(config="sample", split="train").select(range(max(BATCHES))))
    processor = StgProcessor.from_dataset(rows)
    singles = [processor([row]) for row in rows[:SINGLE_GAMES]]
    batches = {size: [processor(rows[:size])] if size > 1 else singles for size in BATCHES}
    model = paper_size(processor, batches[32][0])
    length = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS}
    speeds: dict[str, list[float]] = {str(size): [] for size in (*BATCHES, "twin")}
    ceilings: dict[str, list[float]] = {str(size): [] for size in BATCHES}
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for single in singles:
            twin.write(model, single, TOKENS, TOKENS)
        speeds["twin"].append(len(singles) * TOKENS / (time.perf_counter() - start))
        for size, inputs in batches.items():
            start = time.perf_counter()
            for batch in inputs:
                model.generate(**batch, **length)
            speeds[str(size)].append(size * len(inputs) * TOKENS / (time.perf_counter() - start))
            state = DecoderState(model, inputs[0], copies=1)
            start = time.perf_counter()
            products(state)
            ceilings[str(size)].append(size * TOKENS / (time.perf_counter() - start))
    results = {
        size: {"tokens_per_second": round(median(rounds), 1), "ratio_to_twin": median_ratio(rounds, speeds["twin"])}
        for size, rounds in speeds.items()
    }
    for size, rounds in ceilings.items():
        results[size]["ceiling_ratio_to_twin"] = median_ratio(rounds, speeds["twin"])
    return results


def median_ratio(speeds: list[float], twins: list[float]) -> float:
    return round(median(speed / twin for speed, twin in zip(speeds, twins, strict=True)), 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-c", action="store_true", help="use torch only")
    if parser.parse_args().without_c:
        kernels.native = None
    print(json.dumps(measure()))
