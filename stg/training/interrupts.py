"""SIGTERM and Ctrl-C: remembered, and acted on once the work so far is saved."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator


class Stop(Exception):
    """Raised where a run can stop because everything is saved."""


class Interrupts:
    """Context manager that handles the signals.

    `accelerate launch` does not forward signals, so the death of the launcher counts as SIGTERM.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._immediate = False
        self._parent = os.getppid() if "ACCELERATE_MIXED_PRECISION" in os.environ else None

    def __enter__(self) -> "Interrupts":
        self._previous = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number, _frame) -> None:
        self.received = number
        if self._immediate:
            self._immediate = False
            raise Stop

    @property
    def pending(self) -> bool:
        """Whether a signal has arrived."""
        if self._parent is not None and os.getppid() != self._parent:
            self.received = self.received or signal.SIGTERM
        return self.received is not None

    @contextlib.contextmanager
    def immediate(self) -> Iterator[None]:
        """Within this block nothing can be lost, so a signal raises `Stop` immediately."""
        if self.pending:
            raise Stop
        self._immediate = True
        try:
            yield
        finally:
            self._immediate = False

    @property
    def exit_code(self) -> int:
        return 128 + (self.received or signal.SIGTERM)
