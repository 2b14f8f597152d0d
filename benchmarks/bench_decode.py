"""Decoding speed at the paper's size: batches of 1, 8, 32 and 64 games against the plain twin, one game at a time.

python benchmarks/bench_decode.py [--without-c]     (as it is where `stg.native` was not compiled)

The weights are random but lively (so large that the text does not settle on one word), with the biases of Z and "."
set so that 15% of the tokens state a record and 4% end a sentence, as in RotoWire-Modified. The twin and a batch of 1
write the same four games. That both take the same decisions is for `tests/test_generation.py` to say: weights as wild
as these turn the last bit of a sum into another word within twenty tokens.
The ceiling is what a batch would reach if nothing took time but the products that Algorithm 1 asks for, taken as
decoding takes them: for every token the language model's layers, W_Y, and the parts of W_z, W_N, W_H and W_A that read
h_LM; for the share of tokens that state a record the rest of W_A, GRU_E and GRU_A; for those and the ends of sentences
what is read off h_Ent.
A round measures the twin and every batch one after another; a ratio is taken within its round, so that what else the
machine does touches both alike. Numbers are the medians of the rounds.
"""

import argparse
import json
import time
from statistics import median

import torch

from dataset_script import open_dataset
from modeling_stg import kernels
from modeling_stg.decoder_state import DecoderState
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from tests.twins import decoding_twin as twin


BATCHES = (1, 8, 32, 64)
TOKENS = 200
ROUNDS = 9
ONE_BY_ONE = 4  # games that the twin and a batch of 1 write
VOCABULARY = 6000  # RotoWire's; the sample league knows fewer words
LIVELY = 8.0
STATED, ENDED = 0.15, 0.04  # shares of the tokens of RotoWire-Modified that state a record, that end a sentence


@torch.no_grad()
def paper_size(processor: StgProcessor, inputs: dict) -> StgForDataToText:
    """A model of the paper's sizes whose random weights state records and end sentences as often as RotoWire does."""
    torch.manual_seed(0)
    config = processor.config()
    config.vocab_size = VOCABULARY
    model = StgForDataToText(config).eval()
    for layer in (*model.language.layers, model.language.from_lm, model.output, model.transition):
        layer.weight *= LIVELY
    model.output.bias[config.eos_token_id] = -1e4
    for turn in range(16):
        ids = model.generate(**inputs, max_new_tokens=TOKENS)
        stated = (ids >= VOCABULARY).float().mean().item()
        ended = (ids == config.period_token_id).float().mean().item()
        if abs(stated - STATED) < 0.1 * STATED and abs(ended - ENDED) < 0.2 * ENDED:
            return model
        model.transition.bias -= 2 * LIVELY * (stated - STATED) / (1 + turn / 4)
        model.output.bias[config.period_token_id] -= 5 * LIVELY * (ended - ENDED) / (1 + turn / 4)
    raise RuntimeError(
        f"shares of records {stated:.3f} and periods {ended:.3f}: not those of RotoWire, measure nothing"
    )


def products(state: DecoderState) -> None:
    """The bare products of TOKENS steps, on the very weights and buffers that decoding has."""
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
    """By batch: tokens_per_second, ratio_to_twin, ceiling_ratio_to_twin; the twin has no ceiling."""
    rows = list(open_dataset(config="sample", split="train").select(range(max(BATCHES))))
    processor = StgProcessor.from_dataset(rows)
    singles = [processor([row]) for row in rows[:ONE_BY_ONE]]
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
        for size, several in batches.items():
            start = time.perf_counter()
            for batch in several:
                model.generate(**batch, **length)
            speeds[str(size)].append(size * len(several) * TOKENS / (time.perf_counter() - start))
            state = DecoderState(model, several[0], copies=1)
            start = time.perf_counter()
            products(state)
            ceilings[str(size)].append(size * TOKENS / (time.perf_counter() - start))
    results = {
        size: {"tokens_per_second": round(median(each), 1), "ratio_to_twin": against(each, speeds["twin"])}
        for size, each in speeds.items()
    }
    for size, each in ceilings.items():
        results[size]["ceiling_ratio_to_twin"] = against(each, speeds["twin"])
    return results


def against(speeds: list[float], twins: list[float]) -> float:
    """The median of the rounds' ratios."""
    return round(median(speed / twin for speed, twin in zip(speeds, twins, strict=True)), 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-c", action="store_true", help="leave everything to torch")
    if parser.parse_args().without_c:
        kernels.native = None
    print(json.dumps(measure()))
