"""A tiny model for the sample league: random, or trained for a few seconds to write two sentences."""

import functools

import numpy as np
import torch

from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from stg.dataset import open_dataset


SIZES = {"hidden_size": 48, "embedding_size": 24, "context_size": 32, "writer_size": 16}
C_SIZES = {"hidden_size": 64}  # multiples of 32 use every kernel of `stg.native`
STEPS, GAMES, SENTENCES = 140, 8, 2


@functools.cache
def league(games: int = 60) -> list[dict]:
    return list(open_dataset(config="sample", split="train").select(range(games)))


@functools.cache
def processor() -> StgProcessor:
    return StgProcessor.from_dataset(league())


def random_model(seed: int = 0, **sizes) -> StgForDataToText:
    torch.manual_seed(seed)
    return StgForDataToText(processor().config(**{**SIZES, **sizes})).eval()


@functools.cache
def trained_model(**sizes) -> StgForDataToText:
    """Has memorised eight openings of summaries: its texts have names, numbers, periods and an end."""
    model = random_model(**sizes).train()
    examples = []
    for row in league()[:GAMES]:
        example = processor().encode(row, row["summary"], row["mentions"], row["writer"])
        stop = np.flatnonzero(example["labels"] == model.config.period_token_id)[SENTENCES - 1] + 1
        example["labels"] = np.append(example["labels"][:stop], model.config.eos_token_id)
        examples.append(example)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    order = torch.randint(len(examples), (STEPS, GAMES), generator=torch.Generator().manual_seed(0))
    for chosen in order.tolist():
        batch = processor().collate([examples[index] for index in chosen])
        loss = model(**batch).loss / (batch["labels"] != -100).sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimizer.step()
    return model.eval()
