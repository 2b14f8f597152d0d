"""Scores as Markdown tables."""

from collections.abc import Mapping, Sequence

from stg.metrics.scores import SCORES


HEADINGS = {
    "rg_number": "RG #",
    "rg_precision": "RG P",
    "cs_precision": "CS P",
    "cs_recall": "CS R",
    "cs_f1": "CS F1",
    "co_dld": "CO",
    "bleu": "BLEU",
    "duplicate_ratio": "dupl.",
    "unexplained_numerals": "unexpl.",
    "sanity_winner": "winner",
    "sanity_credited": "team",
    "sanity_weekday": "day",
    "sanity_repeated": "echo",
    "sanity_self": "self",
    "words_150": "150-400",
    "player_first": "player first",
    "distinct_openings": "own opening",
    "shared_sentences": "shared sentences",
    "same_skeleton": "same skeleton",
    "self_bleu": "self-BLEU",
    "odd_sentences": "odd sentences",
}


def score_table(systems: Mapping[str, Mapping[str, float | None]], games: Mapping[str, int]) -> str:
    """One row per system, one column per score."""
    rows = [[name, str(games[name]), *(show(scores[score]) for score in SCORES)] for name, scores in systems.items()]
    return markdown(["system", "games", *(HEADINGS[score] for score in SCORES)], rows)


def plain_table(systems: Mapping[str, Mapping[str, float]], scores: Sequence[str]) -> str:
    """The given scores, one row per system."""
    rows = [[name, *(show(values[score]) for score in scores)] for name, values in systems.items()]
    return markdown(["system", *(HEADINGS.get(score, score) for score in scores)], rows)


def interval_table(systems: Mapping[str, Mapping[str, Sequence[float] | None]]) -> str:
    """95% intervals, one row per system."""
    rows = [
        [name, *("-" if bounds[score] is None else "{:.2f}..{:.2f}".format(*bounds[score]) for score in SCORES)]
        for name, bounds in systems.items()
    ]
    return markdown(["95% interval", *(HEADINGS[score] for score in SCORES)], rows)


def paired_table(pairs: Mapping[str, Mapping[str, float | None]]) -> str:
    """p-values of differences, one row per pair of systems."""
    rows = [[name, *(show(values[score], 3) for score in SCORES)] for name, values in pairs.items()]
    return markdown(["p of no difference", *(HEADINGS[score] for score in SCORES)], rows)


def show(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    ruler = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return "| " + " | ".join([first, *rest]) + " |"

    return "\n".join(line(cells) for cells in [head, ruler, *rows])
