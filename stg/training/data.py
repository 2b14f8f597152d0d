"""Reads and encodes documents, and orders them: the order is a function of seed and epoch, so runs can resume."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import datasets
import numpy as np
import torch
from pyarrow import ArrowException
from tqdm import tqdm

from modeling_stg.errors import StgError
from modeling_stg.game_facts import GameFacts
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.season import Season
from stg.dataset import open_dataset


if TYPE_CHECKING:
    from stg.training.tasks import Task


COLUMNS = ("box_score", "summary", "mentions", "writer")  # required
BUCKET = 16  # steps whose documents are sorted by length together: little padding, yet new batches each epoch


class DataError(StgError):
    """A dataset that cannot be read or used."""


def read_rows(name: str, config: str, split: str, limit: int = 0) -> list[dict[str, Any]]:
    """Reads the rows of a split; "sample" stands for the sample league, "house" for our own recaps of NBA games."""
    if name in ("sample", "house"):
        if config != "default":
            raise DataError(f"use: dataset {name} has no config {config!r}; drop --use, or give another --dataset")
        name, config = "rotowire_modified", name
    try:
        dataset = open_dataset(name, config=config, split=split)
        rows = list(dataset.select(range(min(limit, len(dataset)))) if limit else dataset)
    except (OSError, ValueError, ArrowException, datasets.exceptions.DatasetsError) as error:
        if isinstance(error, StgError):
            raise
        reason = " ".join(str(error.__cause__ or error).split())
        raise DataError(f"dataset {name}/{config}, {split}: cannot be read ({reason}); build it again") from None
    if not rows:
        raise DataError(f"dataset {name}/{config}, {split}: has no rows; build it again")
    missing = [column for column in COLUMNS if column not in rows[0]]
    if missing:
        raise DataError(
            f"dataset {name}/{config}, {split}: has no column {missing[0]!r}; it needs {', '.join(COLUMNS)}"
        )
    return rows


def encode_documents(
    processor: StgProcessor,
    rows: Sequence[Mapping],
    max_length: int,
    whole: bool = True,
    desc: str = "encoding",
    season: Season | None = None,
) -> tuple[list[dict[str, np.ndarray]], int]:
    """Encodes documents, truncated to `max_length` tokens; returns them and how many were truncated.

    Facts of the group `season` are computed from `season`.

    Excerpts (not `whole`: sentences are missing and number forms are lost) begin with an extra <SoD>. It is never
    generated, so what they teach about openings, endings and length does not carry over to whole texts.
    """
    encoded, truncated = [], 0
    for row in tqdm(rows, desc=desc, unit="doc", disable=None, leave=False):
        example = processor.encode(facts_of(row, season), row["summary"], row["mentions"], row["writer"])
        if not whole:
            example["labels"] = np.insert(example["labels"], 0, processor.layout.bos_token_id)
        truncated += len(example["labels"]) > max_length
        example["labels"] = example["labels"][:max_length]
        example["form_known"] = np.array(whole)
        encoded.append(example)
    return encoded, truncated


def facts_of(row: Mapping, season: Season | None) -> GameFacts:
    """The facts of a row's game; `grounding.without_season` marks rows that are to be read without other games."""
    return GameFacts(row, season if row.get("has_season", True) else None)


def plan_epoch(lengths: np.ndarray, included: np.ndarray, step_size: int, seed: int, epoch: int) -> list[np.ndarray]:
    """The documents of each step of an epoch: `step_size` of similar length, fewer in one of them."""
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(np.flatnonzero(included))
    pool = step_size * BUCKET
    pools = [order[start : start + pool] for start in range(0, len(order), pool)]
    order = np.concatenate([pool[np.argsort(lengths[pool], kind="stable")] for pool in pools])
    steps = [order[start : start + step_size] for start in range(0, len(order), step_size)]
    return [steps[index] for index in random.permutation(len(steps))]


def shard_step(step: np.ndarray, rank: int, processes: int, passes: int) -> list[np.ndarray]:
    """The documents of one process, by pass. Round-robin, so that shards match in size and in document length."""
    return [step[index * processes + rank :: processes * passes] for index in range(passes)]


class Batches(torch.utils.data.Dataset):
    """The batches of one process in one epoch, in order."""

    def __init__(self, task: "Task", shards: Sequence[np.ndarray]):
        self.task, self.shards = task, shards

    def __len__(self) -> int:
        return len(self.shards)

    def __getitem__(self, index: int) -> tuple[dict[str, torch.Tensor], int]:
        """A batch and its number of documents: 0 for a dummy, so that a process without any stays in sync."""
        documents = self.shards[index]
        examples = [self.task.examples[document] for document in documents] or [self.task.examples[0]]
        return dict(self.task.collate(examples)), len(documents)


def iterate(batches: Batches, workers: int, pin_memory: bool) -> Iterator[tuple[dict[str, torch.Tensor], int]]:
    loader = torch.utils.data.DataLoader(
        batches,
        batch_size=None,
        num_workers=workers,
        pin_memory=pin_memory,
        generator=torch.Generator(),  # its own, to leave the global one alone
    )
    return iter(loader)
