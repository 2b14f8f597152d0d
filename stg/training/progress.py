"""Progress bars on a terminal, lines in a log file, and the choice of experiment trackers."""

import sys
import time
from collections.abc import Mapping

import numpy as np
from accelerate import Accelerator
from accelerate.tracking import LOGGER_TYPE_TO_CLASS, get_available_trackers
from tqdm import tqdm

from stg.training.settings import Settings, SettingsError


def trackers(settings: Settings) -> list[str]:
    """The trackers of `report_to`, checked to be installed."""
    names = [name for name in (settings.report_to or "").split(",") if name]
    for name in names:
        if name not in LOGGER_TYPE_TO_CLASS:
            raise SettingsError(f"report_to: {name!r} is not known; use {', '.join(sorted(LOGGER_TYPE_TO_CLASS))}")
        if name not in map(str, get_available_trackers()):
            raise SettingsError(f"report_to: {name} is not installed, or not set up; see `pip install {name}`")
    return names


LINE_EVERY = 60  # seconds between lines within an epoch, where there is no terminal for bars


class Progress:
    """Epoch and step bars with losses, speed and time left; only the main process shows anything."""

    def __init__(self, accelerator: Accelerator, epochs: int, done: int):
        self.accelerator = accelerator
        self.hidden = None if accelerator.is_main_process else True
        self.epochs = tqdm(total=epochs, initial=done, desc="epochs", unit="epoch", disable=self.hidden, position=0)
        self.steps: tqdm | None = None
        self.started, self.counted, self.printed = 0.0, 0.0, 0.0
        self.place = [0, 0, 0]  # epoch, steps done, steps

    def start_epoch(self, epoch: int, steps: int, done: int) -> None:
        self.steps = tqdm(
            total=steps, initial=done, desc=f"epoch {epoch}", unit="step", disable=self.hidden, position=1, leave=False
        )
        self.started, self.counted = time.perf_counter(), 0.0
        self.place, self.printed = [epoch, done, steps], self.started

    def step(self, losses: Mapping[str, float], units: float) -> None:
        self.counted += units
        self.steps.update()
        self.steps.set_postfix_str(f"{format_scores(losses)}, {self.speed:,.0f} tok/s", refresh=False)
        self.place[1] += 1
        epoch, done, steps = self.place
        if self.steps.disable and time.perf_counter() - self.printed > LINE_EVERY and done < steps:
            self.printed = time.perf_counter()
            self.print_line(f"epoch {epoch}, step {done}/{steps}  {format_scores(losses)}  {self.speed:,.0f} tok/s")

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
