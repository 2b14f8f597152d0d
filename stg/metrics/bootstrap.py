"""Confidence intervals and paired significance by resampling documents (Koehn 2004)."""

import numpy as np

from stg.metrics.scores import SCORES, from_counts


SAMPLES = 1000


def intervals(counts: np.ndarray, samples: int = SAMPLES, seed: int = 0) -> dict[str, tuple[float, float] | None]:
    """95% interval of every score; None if the score is undefined in a resampled corpus."""
    drawn = _resampled(counts, samples, seed)
    return {name: _interval([scores[name] for scores in drawn]) for name in SCORES}


def paired(one: np.ndarray, other: np.ndarray, samples: int = SAMPLES, seed: int = 0) -> dict[str, float | None]:
    """Two-sided p of every score's difference between two systems, on the same resampled documents."""
    pairs = list(zip(_resampled(one, samples, seed), _resampled(other, samples, seed), strict=True))
    return {name: _p_value([(a[name], b[name]) for a, b in pairs]) for name in SCORES}


def _resampled(counts: np.ndarray, samples: int, seed: int) -> list[dict[str, float | None]]:
    documents = len(counts)
    draws = np.random.default_rng(seed).multinomial(documents, np.full(documents, 1 / documents), size=samples)
    return [from_counts(sums) for sums in draws @ counts]


def _interval(values: list[float | None]) -> tuple[float, float] | None:
    if None in values:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _p_value(pairs: list[tuple[float | None, float | None]]) -> float | None:
    if any(None in pair for pair in pairs):
        return None
    differences = np.array([a - b for a, b in pairs])
    tail = min((differences <= 0).sum(), (differences >= 0).sum())
    return float(min(1.0, 2 * (tail + 1) / (len(differences) + 1)))
