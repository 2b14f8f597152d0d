"""Speed of a training step: forward, backward, clipping and AMSGrad at the paper's size, documents of real length.

python -m benchmarks.bench_train --batch 16
"""

import argparse
import json
import resource

import torch

from benchmarks.peak import clock, matmul_peak
from modeling_stg.configuration_stg import StgConfig
from modeling_stg.encoder import ENCODED
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.tracker import read_events
from stg.training.memory import keep_freed_memory
from stg.training.optimization import build_optimizer
from stg.training.settings import Settings
from tests.helpers.random_games import pad, random_game, record
from tests.twins.model_twin import twin_losses


TOKENS, PLAYERS, MENTION_EVERY, PERIOD_EVERY = 380, 26, 5, 24  # averages of RotoWire-Modified
OTHER_LENGTHS = (190, 760)
ROUNDS = 8


def documents(config: StgConfig, batch: int, tokens: int) -> dict[str, torch.Tensor]:
    """Random games of 28 entities and about 630 records, with documents that state a record every fifth token."""
    generator = torch.Generator().manual_seed(1)
    examples = []
    for _ in range(batch):
        game = random_game(config, PLAYERS, generator)
        words = torch.randint(5, config.vocab_size, (tokens,), generator=generator).tolist()
        subject = 0
        for position in range(tokens):
            if position % PERIOD_EVERY == PERIOD_EVERY - 1:
                words[position] = config.period_token_id
            elif position % MENTION_EVERY == 0:
                if position % (4 * MENTION_EVERY) == 0:
                    subject = int(torch.randint(PLAYERS + 2, (1,), generator=generator))
                words[position] = record(config, game, subject, generator)
        examples.append({**game, "labels": torch.tensor([*words[:-1], config.eos_token_id])})
    return pad(examples)


def useful_operations(config: StgConfig, batch: dict[str, torch.Tensor]) -> int:
    """Floating-point operations that the equations need in a forward pass; a backward pass needs twice as many.

    Counts only what the documents need: GRU_E where the entity changes, words where no record is stated.
    """
    h, d, c, v = config.hidden_size, config.embedding_size, config.context_size, config.vocab_size
    labels = batch["labels"]
    stated = labels >= v
    entity, slot, _ = config.record_ids.decode(torch.where(stated, labels, v))
    entities = batch["entity_mask"].shape[1]
    unmentioned = torch.zeros(len(labels), entities, dtype=torch.bool)
    period = labels == config.period_token_id
    events = read_events(stated, period, entity, slot, unmentioned, torch.full((len(labels),), -1))
    tokens, mentions, periods = labels.numel(), int(stated.sum()), int(period.sum())
    changes, olds = int(events.change.sum()), int(events.old.sum())
    records = int(batch["record_mask"].sum())
    encoder = records * d * d + config.num_values * d * d  # W_a r, and W_R once per value
    tracker = (mentions + periods) * 3 * h * (h + d) + changes * 3 * h * (h + d) + olds * h * d
    layers = (d + c + h) * 4 * h + (config.num_lm_layers - 1) * 2 * h * 4 * h
    language = tokens * (layers + h * c) + (mentions + periods + len(labels)) * h * c
    heads = tokens * 2 * h + (tokens - mentions) * c * v
    heads += mentions * (h * h + h * d + entities * h + 2 * h * d + config.num_slots * d + 2 * h)
    return 2 * (encoder + tracker + language + heads)


def new_model() -> tuple[StgForDataToText, torch.optim.Optimizer]:
    """A model of the paper's size and its optimiser, set up as in training."""
    keep_freed_memory()
    torch.manual_seed(0)
    model = StgForDataToText(StgConfig(vocab_size=6000, unknown_rate=0.0))
    return model, build_optimizer(Settings(learning_rate=1e-4), model)


def step(model: torch.nn.Module, optimizer: torch.optim.Optimizer, batch: dict[str, torch.Tensor]) -> None:
    optimizer.zero_grad()
    (model(**batch).loss / len(batch["labels"])).backward()
    update(model, optimizer)


def update(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0, foreach=True)
    optimizer.step()


def seconds(function, repeats: int) -> float:
    """The shortest time of several calls, after a warm-up call."""
    function()
    best = float("inf")
    for _ in range(repeats):
        started = clock()
        function()
        best = min(best, clock() - started)
    return best


def alternate(measure_peak, function, now=clock) -> tuple[float, float]:
    """The highest of ROUNDS peaks and the shortest time of `function`, in turn, so that other load affects both."""
    function()
    peak, shortest = 0.0, float("inf")
    for _ in range(ROUNDS):
        peak = max(peak, measure_peak())
        started = now()
        function()
        shortest = min(shortest, now() - started)
    return peak, shortest


def twin_rate(model: StgForDataToText) -> float:
    """Tokens per second of the twin, forward and backward, on one document."""
    document = documents(model.config, 1, TOKENS)
    started = clock()
    sum(twin_losses(model, document).values()).backward()
    return TOKENS / (clock() - started)


def figures(
    config: StgConfig, batch: dict[str, torch.Tensor], step_seconds: float, peak: float, processes: int = 1
) -> dict:
    """The figures of processes that each take `step_seconds` for this batch; memory is this process's peak so far."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "tokens_per_second": processes * batch["labels"].numel() / step_seconds,
        "peak_share": processes * 3 * useful_operations(config, batch) / step_seconds / peak,
        "memory_gb": memory,
        "matmul_peak_gflops": peak / 1e9,
    }


def seconds_by_part(model, batch) -> dict[str, float]:
    """Seconds of encoder, tracker and language model, each run forward and backward on its own."""
    labels, config = batch["labels"], model.config
    size, length = labels.shape
    game = [batch[name] for name in ENCODED]

    def encoder():
        sum(tensor.sum() for tensor in model.encode(*game)).backward()

    with torch.no_grad():
        records, e_bar = model.encode(*game)
        state = model.initial_state(e_bar, batch["entity_mask"], model.writer_context(batch["writer_ids"], size))
    stated = labels >= config.vocab_size
    entity, slot, _ = config.record_ids.decode(torch.where(stated, labels, config.vocab_size))
    period = labels == config.period_token_id
    events = read_events(stated, period, entity, slot, state.mentioned, state.entity)

    def tracker():
        inputs = records.requires_grad_(), e_bar.requires_grad_()
        sum(tensor.sum() for tensor in model.tracker(events, *inputs, state.h_ent, state.memory)).backward()

    words = torch.randn(length, size, config.embedding_size, requires_grad=True)
    context = torch.randn(length, size, config.context_size, requires_grad=True)

    def language():
        readers = model.transition.weight[:, : config.hidden_size]
        contexts, read, hidden, _ = model.language(words, context, (state.h_lm, state.c_lm), readers)
        (contexts.sum() + read.sum() + hidden[-1].sum()).backward()

    return {run.__name__: seconds(run, 2) for run in (encoder, tracker, language)}


def measure(size: int) -> dict:
    model, optimizer = new_model()
    batch = documents(model.config, size, TOKENS)
    peak, step_seconds = alternate(matmul_peak, lambda: step(model, optimizer, batch))
    results = figures(model.config, batch, step_seconds, peak)
    parts = seconds_by_part(model, batch)
    parts["optimiser"] = seconds(lambda: update(model, optimizer), 2)
    parts["heads and the rest"] = max(0.0, step_seconds - sum(parts.values()))
    growth = {TOKENS: step_seconds}
    for length in OTHER_LENGTHS:
        inputs = documents(model.config, size, length)
        growth[length] = seconds(lambda inputs=inputs: step(model, optimizer, inputs), 2)
    return {
        **results,
        "ratio_to_twin": results["tokens_per_second"] / twin_rate(model),
        "threads": torch.get_num_threads(),
        "share_of_time": {name: part / step_seconds for name, part in parts.items()},
        "time_by_length": {str(length): growth[length] / growth[min(growth)] for length in sorted(growth)},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=16, help="documents per step")
    print(json.dumps(measure(parser.parse_args().batch)))
