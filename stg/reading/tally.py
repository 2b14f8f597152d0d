"""Scores of systems from filled-in forms: counts per recap, verdicts, ranks."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stg.reading.forms import COUNTED, PUBLISH, Reading


_SAMPLES = 10_000  # of the bootstrap
_SEED = 0


def tally(readings: Sequence[Reading]) -> dict[str, Any]:
    """Scores every system. Readers of the same game are averaged first, so that each game counts once.

    Args:
        readings: filled-in forms of one reader or several, from `read_forms`.

    Returns:
        `systems`: for each, the mean of `false`, `undecidable` and `senseless` per recap with a 95% interval,
        `publish` (how often each verdict was given, over all forms) and the mean `rank`; and `pairs`: for two
        systems, the share of games in which the first is ranked above the second.

    Example:
        >>> tally(readings)["systems"]["ours"]["false"]
        {'mean': 5.3, 'interval': [3.9, 6.8]}
    """
    systems = sorted(readings[0].verdicts)
    pairs = [
        {"system": one, "above": other, "share": _share_above(readings, one, other)}
        for one, other in itertools.permutations(systems, 2)
    ]
    return {"systems": {system: _score(readings, system) for system in systems}, "pairs": pairs}


def _score(readings: Sequence[Reading], system: str) -> dict[str, Any]:
    given = [reading.verdicts[system].publish for reading in readings]
    ranks = _by_game(readings, lambda reading: reading.verdicts[system].rank)
    return {
        **{field: _count(readings, system, field) for field in COUNTED},
        "publish": {verdict: given.count(verdict) for verdict in PUBLISH},
        "rank": float(ranks.mean()),
    }


def _count(readings: Sequence[Reading], system: str, field: str) -> dict[str, Any]:
    by_game = _by_game(readings, lambda reading: len(reading.verdicts[system].quotes[field]))
    return {"mean": float(by_game.mean()), "interval": interval(by_game)}


def _share_above(readings: Sequence[Reading], one: str, other: str) -> float:
    is_above = _by_game(readings, lambda reading: reading.verdicts[one].rank < reading.verdicts[other].rank)
    return float(is_above.mean())


def _by_game(readings: Sequence[Reading], measure: Callable[[Reading], float]) -> np.ndarray:
    """A number for each game: the mean of its readers."""
    measured: dict[int, list[float]] = {}
    for reading in readings:
        measured.setdefault(reading.packet, []).append(measure(reading))
    return np.array([np.mean(measured[packet]) for packet in sorted(measured)])


def interval(by_game: np.ndarray) -> list[float]:
    """95% interval of the mean, by resampling games."""
    games = len(by_game)
    draws = np.random.default_rng(_SEED).multinomial(games, np.full(games, 1 / games), size=_SAMPLES)
    return [float(bound) for bound in np.percentile(draws @ by_game / games, [2.5, 97.5])]
