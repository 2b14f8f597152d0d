"""What can be trained. The loop knows only `Task`; a new one is a module with such a class and a line in `TASKS`.

The loop divides by documents, so that the number of processes and of accumulation steps changes nothing:
a task's model returns the SUM of its losses over the batch.
"""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from accelerate import Accelerator
from transformers import PreTrainedModel

from stg.training.settings import Settings, SettingsError


class Task(Protocol):
    """Everything that is particular to one kind of model."""

    model: (
        PreTrainedModel  # model(**batch) gives .loss, .losses and .counts (parts by name), all summed over the batch
    )
    examples: Sequence[Mapping[str, np.ndarray]]  # encoded once
    vocabularies: str  # a digest of what the examples' ids mean: a resumed run must have the same
    lengths: np.ndarray  # [documents]: batches are made of similar ones
    finishing: np.ndarray  # [documents] of bool: those that are used in the last `finish_epochs` too
    unit: str  # the part of `counts` that is counted for the speed, such as "z", of which every token has one

    def collate(self, examples: Sequence[Mapping[str, np.ndarray]]) -> Mapping[str, Any]:
        """A batch for the model."""

    def evaluate(self, model: PreTrainedModel, accelerator: Accelerator, epoch: int) -> dict[str, float]:
        """Dev scores, the same on every process."""

    def merit(self, scores: Mapping[str, float]) -> list[float]:
        """What chooses the best epoch: the greater, the better, compared like tuples; empty: cannot be the best."""

    def save(self, model: PreTrainedModel, folder: Path) -> None:
        """Everything that a user needs but the card: weights, configuration, vocabularies, code."""

    def card(self, scores: Mapping[str, float]) -> str:
        """The model card, with its YAML head; `scores` are dev's at the best epoch."""

    def show(self, model: PreTrainedModel) -> str:
        """Something to look at when training is over."""


TASKS = {
    "model": "stg.training.model_task",
    "extractor": "stg.training.extraction_task",
    "conditional_copy": "stg.training.baseline_task",
    "ncp": "stg.training.baseline_task",
}


def build_task(settings: Settings, accelerator: Accelerator) -> Task:
    if settings.task not in TASKS:
        raise SettingsError(f"task: {settings.task!r} is not known; use one of {', '.join(TASKS)}")
    return importlib.import_module(TASKS[settings.task]).build_task(settings, accelerator)
