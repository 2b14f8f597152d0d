"""Documents, encoded once, and the order in which they are seen: a function of seed and epoch, so it can resume."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import datasets
import numpy as np
import torch
from pyarrow import ArrowException
from tqdm import tqdm

from dataset_script import open_dataset
from modeling_stg.errors import StgError


COLUMNS = ("box_score", "summary", "mentions", "writer")  # some of a game, to tell by
BUCKET = 16  # batches whose documents are sorted together: similar lengths, yet a new mixture each epoch


class DataError(StgError):
    """A training set that cannot be read or used."""


def read_rows(name: str, config: str, split: str, limit: int = 0) -> list[dict[str, Any]]:
    """The rows of a split; `name` "sample" is the project's own sample league."""
    if name == "sample":
        if config != "default":
            raise DataError(f"use: the sample league has no {config!r}; leave --use out, or name another --dataset")
        name, config = "rotowire_modified", "sample"
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


def encode(processor, rows: Sequence[Mapping], max_length: int, whole: bool = True, desc: str = "encoding"):
    """Every document as arrays, cut to `max_length` tokens; returns them and how many were cut.

    Excerpts (not `whole`: some sentences are missing and numbers lost their forms) begin with <SoD> once more. That
    word is never generated, so what they teach about openings, closings and length stays theirs.
    """
    encoded, cut = [], 0
    for row in tqdm(rows, desc=desc, unit="doc", disable=None, leave=False):
        example = processor.encode(row, row["summary"], row["mentions"], row["writer"])
        if not whole:
            example["labels"] = np.insert(example["labels"], 0, processor.layout.bos_token_id)
        cut += len(example["labels"]) > max_length
        example["labels"] = example["labels"][:max_length]
        example["form_known"] = np.array(whole)
        encoded.append(example)
    return encoded, cut


def plan_epoch(lengths: np.ndarray, chosen: np.ndarray, step_size: int, seed: int, epoch: int) -> list[np.ndarray]:
    """The documents of each step of an epoch, `step_size` each, the last may have fewer."""
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(np.flatnonzero(chosen))
    pool = step_size * BUCKET
    pools = [order[start : start + pool] for start in range(0, len(order), pool)]
    order = np.concatenate([pool[np.argsort(lengths[pool], kind="stable")] for pool in pools])
    steps = [order[start : start + step_size] for start in range(0, len(order), step_size)]
    return [steps[index] for index in random.permutation(len(steps))]


def share(step: np.ndarray, rank: int, processes: int, passes: int) -> list[np.ndarray]:
    """One process's documents of a step, pass by pass. Dealt like cards: all have as many, and as long ones."""
    return [step[index * processes + rank :: processes * passes] for index in range(passes)]


class Batches(torch.utils.data.Dataset):
    """The batches of one process in one epoch, in order."""

    def __init__(self, task, chosen: Sequence[np.ndarray]):
        self.task, self.chosen = task, chosen

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, index: int) -> tuple[dict[str, torch.Tensor], int]:
        """The batch and how many of its documents count: a process that is left without any still has to take part."""
        documents = self.chosen[index]
        examples = [self.task.examples[document] for document in documents] or [self.task.examples[0]]
        return dict(self.task.collate(examples)), len(documents)


def load(batches: Batches, workers: int, pin_memory: bool) -> Iterator[tuple[dict[str, torch.Tensor], int]]:
    loader = torch.utils.data.DataLoader(
        batches,
        batch_size=None,
        num_workers=workers,
        pin_memory=pin_memory,
        generator=torch.Generator(),  # its own, so that the model's random numbers do not depend on it
    )
    return iter(loader)
