"""Progress bars on a terminal, lines in a log file, and the choice of experiment trackers."""

import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec

import numpy as np
from accelerate import Accelerator
from tqdm import tqdm

from stg.training.settings import Settings, SettingsError


TRACKERS = ("tensorboard", "trackio")


def trackers(settings: Settings) -> list[str]:
    """The trackers of `report_to`, checked to be installed."""
    names = [name for name in (settings.report_to or "").split(",") if name]
    for name in names:
        if name not in TRACKERS:
            raise SettingsError(f"report_to: {name!r} is not known; use {' or '.join(TRACKERS)}")
        if find_spec(name) is None:
            raise SettingsError(f"report_to: {name} is not installed; pip install {name}")
    return names


class Progress:
    """Epoch and step bars with losses, speed and time left; only the main process shows anything."""

    def __init__(self, accelerator: Accelerator, epochs: int, done: int):
        self.accelerator = accelerator
        self.hidden = None if accelerator.is_main_process else True
        self.epochs = tqdm(total=epochs, initial=done, desc="epochs", unit="epoch", disable=self.hidden, position=0)
        self.steps: tqdm | None = None
        self.started, self.counted = 0.0, 0.0

    def start_epoch(self, epoch: int, steps: int, done: int) -> None:
        self.steps = tqdm(
            total=steps, initial=done, desc=f"epoch {epoch}", unit="step", disable=self.hidden, position=1, leave=False
        )
        self.started, self.counted = time.perf_counter(), 0.0

    def step(self, losses: Mapping[str, float], units: float) -> None:
        self.counted += units
        self.steps.update()
        self.steps.set_postfix_str(f"{format_scores(losses)}, {self.speed:,.0f} tok/s", refresh=False)

    @property
    def speed(self) -> float:
        return self.counted / max(time.perf_counter() - self.started, 1e-9)

    def end_epoch(self) -> float:
        """Closes the step bar and returns the epoch's speed."""
        self.steps.close()
        return self.speed

    def print_line(self, text: str) -> None:
        """Prints above the bars."""
        if self.accelerator.is_main_process:
            tqdm.write(text, file=sys.stdout)
            sys.stdout.flush()

    def close(self) -> None:
        if self.steps is not None:
            self.steps.close()
        self.epochs.close()


def format_scores(scores: Mapping[str, float]) -> str:
    return " ".join(f"{name} {value:.3f}" for name, value in scores.items())


def mean_losses(losses: Mapping[str, float], counts: Mapping[str, float]) -> dict[str, float]:
    """Each head's mean loss per decision."""
    return {name: losses[name] / max(counts[name], 1) for name in losses}


def format_duration(seconds: float) -> str:
    minutes, seconds = divmod(int(np.ceil(seconds)), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
