"""The interface between the training loop and what it trains. A new task is a class and an entry in `TASKS`.

A task's model returns the SUM of its losses over the batch. The loop divides by the number of documents in a step, so
that results do not depend on the number of processes and accumulation steps.
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
    """Everything specific to one kind of model."""

    model: PreTrainedModel  # model(**batch) has .loss, and .losses and .counts by head, summed over the batch
    examples: Sequence[Any]  # encoded documents
    vocabulary_digest: str  # identifies what the examples' ids mean; fixed for resumed runs
    lengths: np.ndarray  # [documents]: batches have documents of similar length
    in_final_epochs: np.ndarray  # [documents] of bool: whether to train on it in the last `finish_epochs`
    unit: str  # the key of `counts` that measures speed, such as "z", which counts tokens

    def collate(self, examples: Sequence[Any]) -> Mapping[str, Any]:
        """A batch for the model."""

    def evaluate(self, model: PreTrainedModel, accelerator: Accelerator, epoch: int) -> dict[str, float]:
        """Dev scores, identical on every process."""

    def merit(self, scores: Mapping[str, float]) -> list[float]:
        """Ranks epochs: greater is better, compared like tuples; an empty list is never the best."""

    def save(self, model: PreTrainedModel, folder: Path) -> None:
        """Writes what a user needs besides the card: weights, configuration, vocabularies, code."""

    def card(self, scores: Mapping[str, float]) -> str:
        """The model card with its YAML header; `scores` are those of the best epoch on dev."""

    def sample_output(self, model: PreTrainedModel) -> str:
        """An output of the model on dev, printed at the end."""


TASKS = {  # imported on demand
    "model": ("stg.training.model_task", "ModelTask"),
    "extractor": ("stg.training.extraction_task", "ExtractionTask"),
    "conditional_copy": ("stg.training.baseline_task", "BaselineTask"),
    "ncp": ("stg.training.baseline_task", "BaselineTask"),
}


def build_task(settings: Settings, accelerator: Accelerator) -> Task:
    if settings.task not in TASKS:
        raise SettingsError(f"task: {settings.task!r} is not known; use one of {', '.join(TASKS)}")
    module, name = TASKS[settings.task]
    return getattr(importlib.import_module(module), name)(settings, accelerator)
