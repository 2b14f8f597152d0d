"""The progress of a run: everything in a checkpoint besides tensors."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from stg.training.settings import Settings


@dataclass
class State:
    """The names of the fields are the keys of a checkpoint's state.json."""

    step: int = 0  # optimiser steps taken
    epoch: int = 0  # epochs completed, including evaluation
    step_in_epoch: int = 0
    finished: bool = False
    rate_factor: float = 1.0  # product of the decays after stalls (schedule plateau)
    stalled: int = 0  # epochs since the last improvement on dev
    epochs: int = 0  # setting `epochs` at the time of saving
    merit: list[float] = field(default_factory=list)  # of the best evaluation, see `Task.merit`
    epoch_merit: list[float] = field(default_factory=list)  # of the best complete epoch; stalls count from it
    best: dict[str, float] = field(default_factory=dict)  # dev scores of the best evaluation
    scaler: dict[str, float] = field(default_factory=dict)  # of the fp16 gradient scaler
    losses: dict[str, float] = field(default_factory=dict)  # summed since the start of the epoch
    counts: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)  # dev scores of every evaluation

    def add_losses(self, losses: dict[str, float], counts: dict[str, float]) -> None:
        for total, values in ((self.losses, losses), (self.counts, counts)):
            for name, value in values.items():
                total[name] = total.get(name, 0.0) + value

    def record_scores(self, scores: dict[str, float], merit: list[float], settings: Settings, whole: bool) -> bool:
        """Records dev scores and returns whether they are the best so far.

        Only `whole` epochs count as stalls, so that stopping and resuming within one changes nothing.
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


def to_json(state: State, fixed: dict[str, Any]) -> dict[str, Any]:
    """state.json: the state, and the settings that a resumed run must share (key "course")."""
    return {**asdict(state), "course": fixed}


def digest(*vocabularies: Sequence[str]) -> str:
    """A digest that is equal for runs with the same vocabularies."""
    return hashlib.sha256(json.dumps([list(words) for words in vocabularies]).encode()).hexdigest()[:16]


def from_json(saved: dict[str, Any], fixed: dict[str, Any], settings: Settings) -> State:
    """The state of a checkpoint. Raises if a setting in `fixed` differs: that would be a different run."""
    saved = _checked(saved)
    for name, before in saved.pop("course").items():
        if name in fixed and fixed[name] != before:
            raise StgError(
                f"{name}: {fixed[name]!r:.300} now, {before!r:.300} when the run began; resume with the latter, "
                "or start another run with --output_dir"
            )
    state = State(**({"epoch_merit": saved["merit"]} | saved))  # older checkpoints lack epoch_merit
    still_over = 0 < settings.max_steps <= state.step or 0 < settings.patience <= state.stalled
    state.finished = state.finished and still_over  # max_steps or patience may have been raised
    return state


def _checked(saved: Any) -> dict[str, Any]:
    """A copy of what a state.json holds; raises if it cannot have been written by a run."""
    kinds = {name: type(value) for name, value in asdict(State()).items()} | {"course": dict}
    valid = isinstance(saved, dict) and {"step", "epoch", "step_in_epoch", "merit", "course"} <= set(saved) <= set(
        kinds
    )
    for name, value in saved.items() if valid else ():
        kind = kinds[name]
        numeric = kind in (int, float)
        valid &= type(value) in ((int, float) if kind is float else (kind,)) and (not numeric or 0 <= value < 2**53)
    if not valid:
        raise StgError("state.json: is not the state of a run; delete this checkpoint, or start without --resume")
    return dict(saved)


def move_old_run(folder: Path, print_line: Callable[[str], None]) -> bool:
    """Renames the folder of an earlier run, so that it is never overwritten; returns whether there was one."""
    if not (folder / "best").exists() and not any(folder.glob("checkpoints/*step_*")):
        return False
    number = 1
    while (other := folder.with_name(f"{folder.name}.old{number}")).exists():
        number += 1
    folder.rename(other)
    print_line(f"{folder} held an earlier run, now renamed to {other}")
    return True
