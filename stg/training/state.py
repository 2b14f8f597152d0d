"""Where a run stands: all that a checkpoint holds besides tensors."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from stg.training.settings import Settings


@dataclass
class State:
    step: int = 0  # optimiser steps taken
    epoch: int = 0  # epochs wholly done, dev included
    step_in_epoch: int = 0
    finished: bool = False
    rate_factor: float = 1.0  # what stalls have made of the learning rate
    stalled: int = 0  # epochs since dev was last better
    epochs: int = 0  # that the run was to have when this was saved
    merit: list[float] = field(default_factory=list)  # of the best round on dev, see `Task.merit`
    epoch_merit: list[float] = field(default_factory=list)  # of the best whole epoch, from which stalls are counted
    best: dict[str, float] = field(default_factory=dict)  # its dev scores
    scaler: dict[str, float] = field(default_factory=dict)  # of fp16's gradients
    losses: dict[str, float] = field(default_factory=dict)  # summed since the epoch's start
    counts: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)  # one line per epoch

    def add(self, losses: dict[str, float], counts: dict[str, float]) -> None:
        for total, part in ((self.losses, losses), (self.counts, counts)):
            for name, value in part.items():
                total[name] = total.get(name, 0.0) + value

    def evaluated(self, scores: dict[str, float], merit: list[float], settings: Settings, whole: bool) -> bool:
        """Notes the scores of an epoch, or of as much of it as there was; returns whether they are the best so far.

        Only `whole` epochs can stall: a run that was stopped within one goes on as if it had not been.
        """
        better = bool(merit) and merit > self.merit
        self.history.append({"epoch": self.epoch + 1, "step": self.step, **scores})
        if better:
            self.merit, self.best = merit, self.history[-1]
        if not whole:
            return better
        if merit and merit > self.epoch_merit:
            self.epoch_merit, self.stalled = merit, 0
        else:
            self.stalled += 1
            if settings.schedule == "plateau":
                self.rate_factor *= settings.decay
        if settings.patience and self.stalled >= settings.patience:
            self.finished = True
        return better

    def end_epoch(self) -> None:
        self.epoch, self.step_in_epoch = self.epoch + 1, 0
        self.losses, self.counts = {}, {}


def to_json(state: State, course: dict[str, Any]) -> dict[str, Any]:
    return {**asdict(state), "course": course}


def digest(*vocabularies: Sequence[str]) -> str:
    """Tells one set of vocabularies from another."""
    return hashlib.sha256(json.dumps([list(words) for words in vocabularies]).encode()).hexdigest()[:16]


def from_json(saved: dict[str, Any], course: dict[str, Any], settings: Settings) -> State:
    """The state of a checkpoint; refuses to go on where `course` has changed, for that would be another run."""
    saved = dict(saved)
    for name, before in saved.pop("course").items():
        if name in course and course[name] != before:
            raise StgError(
                f"{name}: {course[name]!r} now, {before!r} when the run began; resume with the latter, "
                "or start another run with --output_dir"
            )
    state = State(**({"epoch_merit": saved["merit"]} | saved))  # of a checkpoint that is older than the field
    over = 0 < settings.max_steps <= state.step or 0 < settings.patience <= state.stalled
    state.finished = state.finished and over  # more may be asked for now
    return state


def set_aside(folder: Path, say) -> None:
    """An earlier run's folder gets another name, so that no work is ever overwritten."""
    if not (folder / "best").exists() and not any(folder.glob("checkpoints/*step_*")):
        return
    number = 1
    while (other := folder.with_name(f"{folder.name}.old{number}")).exists():
        number += 1
    folder.rename(other)
    say(f"{folder} held an earlier run: it is now {other}")
