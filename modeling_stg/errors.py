"""Exceptions. Anything a user can fix is an `StgError`; commands print it on one line and exit with 2."""

from collections.abc import Iterable


class StgError(ValueError):
    """A mistake the user can fix: one line that names the place, the value and the remedy."""


class GameError(StgError):
    """The box score cannot be used."""


class GameErrors(GameError):
    """Several problems of one file or game: a line each."""

    MOST_SHOWN = 20

    def __init__(self, problems: Iterable[str]):
        lines = list(dict.fromkeys(line for problem in problems for line in problem.splitlines()))
        hidden = len(lines) - self.MOST_SHOWN
        more = [f"... and {hidden} more problems"] if hidden > 0 else []
        super().__init__("\n".join([*lines[: self.MOST_SHOWN], *more]))


class GameWarning(UserWarning):
    """The box score can be used, but something in it looks wrong."""
