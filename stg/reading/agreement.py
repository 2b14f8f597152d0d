"""How far readers agree: on publishing, and on the order of the texts."""

import itertools
from collections.abc import Sequence
from typing import Any

from stg.reading.forms import Reading


def agreement(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Compares every two readers on the packets that both have read.

    Returns:
        For each two `readers`: the number of `texts` that both judged, the share with the same verdict on `publish`,
        Cohen's `kappa` of these verdicts, and `order`: the share of pairs of texts that both rank the same way round.
        None where it is undefined.
    """
    by_reader: dict[str, dict[int, Reading]] = {}
    for reading in readings:
        by_reader.setdefault(reading.reader, {})[reading.packet] = reading
    rows = []
    for (one, ones), (other, others) in itertools.combinations(by_reader.items(), 2):
        shared = [(ones[packet], others[packet]) for packet in sorted(ones.keys() & others.keys())]
        verdicts = [
            (first.verdicts[system].publish, second.verdicts[system].publish)
            for first, second in shared
            for system in first.verdicts
        ]
        orders = [
            _order(first, pair) == _order(second, pair)
            for first, second in shared
            for pair in itertools.combinations(sorted(first.verdicts), 2)
        ]
        same = [first == second for first, second in verdicts]
        rows.append(
            {
                "readers": [one, other],
                "texts": len(verdicts),
                "publish": _share(same),
                "kappa": kappa(verdicts),
                "order": _share(orders),
            }
        )
    return rows


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa: (observed - expected) / (1 - expected); None if chance alone makes readers agree always."""
    if not pairs:
        return None
    firsts, seconds = zip(*pairs, strict=True)
    observed = sum(first == second for first, second in pairs) / len(pairs)
    expected = sum(firsts.count(verdict) * seconds.count(verdict) for verdict in set(firsts)) / len(pairs) ** 2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _order(reading: Reading, pair: tuple[str, str]) -> bool:
    return reading.verdicts[pair[0]].rank < reading.verdicts[pair[1]].rank


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
