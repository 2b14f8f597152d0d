"""The project's exceptions. Whatever a user can fix is a `StgError`; commands print it as one line and exit with 2."""


class StgError(ValueError):
    """A mistake the user can fix: one line that names the place, the value and the remedy."""


class GameError(StgError):
    """The box score cannot be used."""


class GameWarning(UserWarning):
    """The box score can be used, but something in it looks wrong."""
