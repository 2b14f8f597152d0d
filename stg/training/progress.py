"""What a run shows while it works: bars on a terminal, lines in a file, and scores to tensorboard or trackio."""

import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec

import numpy as np
from accelerate import Accelerator
from tqdm import tqdm

from stg.training.settings import Settings, SettingsError


REPORTERS = ("tensorboard", "trackio")


def reporters(settings: Settings) -> list[str]:
    names = [name for name in (settings.report_to or "").split(",") if name]
    for name in names:
        if name not in REPORTERS:
            raise SettingsError(f"report_to: {name!r} is not known; use {' or '.join(REPORTERS)}")
        if find_spec(name) is None:
            raise SettingsError(f"report_to: {name} is not installed; pip install {name}")
    return names


class Progress:
    """Epoch and step bars with the five losses, tokens/s and time left; only the first process shows anything."""

    def __init__(self, accelerator: Accelerator, epochs: int, done: int):
        self.accelerator = accelerator
        self.hidden = None if accelerator.is_main_process else True
        self.epochs = tqdm(total=epochs, initial=done, desc="epochs", unit="epoch", disable=self.hidden, position=0)
        self.steps: tqdm | None = None
        self.clock, self.counted = 0.0, 0.0

    def start_epoch(self, epoch: int, steps: int, done: int) -> None:
        self.steps = tqdm(
            total=steps, initial=done, desc=f"epoch {epoch}", unit="step", disable=self.hidden, position=1, leave=False
        )
        self.clock, self.counted = time.perf_counter(), 0.0

    def step(self, parts: Mapping[str, float], units: float) -> None:
        self.counted += units
        self.steps.update()
        self.steps.set_postfix_str(f"{describe(parts)}, {self.speed:,.0f} tok/s", refresh=False)

    @property
    def speed(self) -> float:
        return self.counted / max(time.perf_counter() - self.clock, 1e-9)

    def end_epoch(self) -> float:
        """Closes the step bar and returns the epoch's speed."""
        self.steps.close()
        return self.speed

    def say(self, text: str) -> None:
        """One line, above the bars."""
        if self.accelerator.is_main_process:
            tqdm.write(text, file=sys.stdout)
            sys.stdout.flush()

    def close(self) -> None:
        if self.steps is not None:
            self.steps.close()
        self.epochs.close()


def describe(parts: Mapping[str, float]) -> str:
    return " ".join(f"{name} {value:.3f}" for name, value in parts.items())


def per_decision(losses: Mapping[str, float], counts: Mapping[str, float]) -> dict[str, float]:
    """Each head's mean loss over its own decisions."""
    return {name: losses[name] / max(counts[name], 1) for name in losses}


def duration(seconds: float) -> str:
    minutes, seconds = divmod(int(np.ceil(seconds)), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
