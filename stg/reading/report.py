"""A tally as JSON, with everything it was computed from, and as Markdown tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from stg.metrics.table import markdown, show
from stg.reading.agreement import agreement
from stg.reading.forms import COUNTED, PUBLISH, Reading
from stg.reading.tally import tally


_SCORE_HEADINGS = [*COUNTED, f"publish: {' / '.join(PUBLISH)}", "mean rank"]


def tally_json(readings: Sequence[Reading], key: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Scores, agreement and raw readings, with the true names of systems and games."""
    readers = list(dict.fromkeys(reading.reader for reading in readings))
    game_ids = {row["packet"]: row["game_id"] for row in key}
    return {
        "packets": len(key),
        "games_read": len({reading.packet for reading in readings}),
        "forms": {reader: sum(reading.reader == reader for reading in readings) for reader in readers},
        **tally(readings),
        "by_reader": {
            reader: tally([reading for reading in readings if reading.reader == reader])["systems"]
            for reader in readers
        },
        "agreement": agreement(readings),
        "readings": [
            {
                "reader": reading.reader,
                "packet": reading.packet,
                "game_id": game_ids[reading.packet],
                "texts": {
                    system: {**verdict.quotes, "publish": verdict.publish, "rank": verdict.rank}
                    for system, verdict in sorted(reading.verdicts.items())
                },
            }
            for reading in readings
        ],
    }


def tally_markdown(result: Mapping[str, Any]) -> str:
    """The tables of a tally: systems, pairs of systems and, with two readers or more, their agreement."""
    forms, systems = result["forms"], result["systems"]
    who = ", ".join(f"{reader} ({count})" for reader, count in forms.items())
    parts = [
        f"{sum(forms.values())} forms on {result['games_read']} of {result['packets']} games, by {who}. Claims and "
        "sentences per recap with 95% intervals (bootstrap over games; readers of a game are averaged), verdicts over "
        "all forms, mean rank (1 is best).",
        markdown(["system", *_SCORE_HEADINGS], [[name, *_cells(scores)] for name, scores in systems.items()]),
    ]
    if len(systems) > 1:
        shares = {(pair["system"], pair["above"]): pair["share"] for pair in result["pairs"]}
        rows = [[one, *(_percent(shares.get((one, other))) for other in systems)] for one in systems]
        parts.append(markdown(["ranked above, % of games", *systems], rows))
    if len(forms) > 1:
        rows = [
            [f"{name}, {reader}", *_cells(scores[name], with_interval=False)]
            for name in systems
            for reader, scores in result["by_reader"].items()
        ]
        parts.append(markdown(["system, reader", *_SCORE_HEADINGS], rows))
        rows = [
            [" / ".join(row["readers"]), str(row["texts"]), _percent(row["publish"]), show(row["kappa"])]
            + [_percent(row["order"])]
            for row in result["agreement"]
        ]
        head = ["readers", "texts both read", "same publish, %", "Cohen's kappa", "pairs ranked alike, %"]
        parts.append(markdown(head, rows))
    return "\n\n".join(parts) + "\n"


def _cells(scores: Mapping[str, Any], with_interval: bool = True) -> list[str]:
    counts = []
    for field in COUNTED:
        low, high = scores[field]["interval"]
        counts.append(f"{scores[field]['mean']:.2f}" + (f" ({low:.2f}..{high:.2f})" if with_interval else ""))
    return [*counts, " / ".join(str(scores["publish"][verdict]) for verdict in PUBLISH), f"{scores['rank']:.2f}"]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}"
