"""Exceptions. Anything a user can fix is an `StgError`; commands print it on one line and exit with 2."""


class StgError(ValueError):
    """A mistake the user can fix: one line that names the place, the value and the remedy."""


class GameError(StgError):
    """The box score cannot be used."""


class GameWarning(UserWarning):
    """The box score can be used, but something in it looks wrong."""
