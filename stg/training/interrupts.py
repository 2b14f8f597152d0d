"""SIGTERM and Ctrl-C: noted at once, obeyed when the work so far can be saved."""

import contextlib
import os
import signal
import threading


class Stop(Exception):
    """Raised where a run may stop at once, because everything is saved."""


class Interrupts:
    """Handles the signals while it is entered. Under `accelerate launch`, a launcher that died counts as SIGTERM,
    because it does not pass its own signals on."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._at_once = False
        self._parent = os.getppid() if "ACCELERATE_MIXED_PRECISION" in os.environ else None

    def __enter__(self) -> "Interrupts":
        self._before = {}
        if threading.current_thread() is threading.main_thread():
            for each in (signal.SIGTERM, signal.SIGINT):
                self._before[each] = signal.signal(each, self._handle)
        return self

    def __exit__(self, *_) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _handle(self, number, _frame) -> None:
        self.received = number
        if self._at_once:
            self._at_once = False
            raise Stop

    @property
    def pending(self) -> bool:
        if self._parent is not None and os.getppid() != self._parent:
            self.received = self.received or signal.SIGTERM
        return self.received is not None

    @contextlib.contextmanager
    def at_once(self):
        """Within it nothing is lost by stopping: a signal interrupts."""
        if self.pending:
            raise Stop
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    @property
    def exit_code(self) -> int:
        return 128 + (self.received or signal.SIGTERM)
