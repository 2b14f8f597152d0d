"""Draws the figures: functions take measurements and return matplotlib figures."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stg.analysis.saliency import Mentions


RED, BLUE, ORANGE, GREEN, GREY = "#d62728", "#1f77b4", "#ff7f0e", "#2ca02c", "#b8b8b8"  # the paper's
MARKERS = {"double-double": "D", "double digits": "s", "did not play": "^", "other": "o"}
DPI = 110
OFFSETS = [(5, 2), (-5, 2), (5, -7), (-5, -7), (5, 11), (-5, 11), (5, -16), (-5, -16)]  # from a point to its name
MENTION_COLOURS = {
    "reference and generated": GREEN,
    "reference only": ORANGE,
    "generated only": BLUE,
    "neither": RED,
}


def static_entities(names: list[str], points: np.ndarray, shares: np.ndarray, top: list[str], shown: str) -> Figure:
    """Players by e. Those in `top` are blue and, in this order, named where there is room; `shown` is red."""
    figure = Figure(figsize=(11, 8), dpi=DPI)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    figure.subplots_adjust(left=0.07, right=0.95, bottom=0.08, top=0.98)
    colours = [RED if name == shown else BLUE if name in top else GREY for name in names]
    axes.scatter(*points.T, s=12, c=colours, linewidths=0)
    _label_axes(axes, shares)
    for name in sorted(top, key=lambda name: name != shown):
        index = names.index(name)
        _label_point(axes, name, points[index], always=False, fontsize=7, color=colours[index])
    return figure


def dynamic_entities(games: Sequence[Mapping]) -> Figure:
    """Players of each game by e-bar; a game has title, names, points, shares, forms, mentioned and shown."""
    figure = Figure(figsize=(8 * len(games), 6.5), dpi=DPI)
    FigureCanvasAgg(figure)
    for axes, game in zip(figure.subplots(1, len(games), squeeze=False)[0], games, strict=True):
        for point, form, mentioned in zip(game["points"], game["forms"], game["mentioned"], strict=True):
            axes.scatter(*point, s=45, marker=MARKERS[form], c=MENTION_COLOURS[mentioned], linewidths=0)
        axes.set_title(game["title"], fontsize=10)
        axes.margins(x=0.17)
        _label_axes(axes, game["shares"])
        for name, point in zip(game["names"], game["points"], strict=True):
            weight, colour = ("bold", RED) if name == game["shown"] else ("normal", "#444444")
            _label_point(axes, name, point, always=True, fontsize=7, color=colour, weight=weight)
    figure.subplots_adjust(left=0.05, right=0.98, bottom=0.16, top=0.94, wspace=0.15)
    forms = [Line2D([], [], ls="", marker=marker, color="#444444", label=form) for form, marker in MARKERS.items()]
    mentioned = [
        Line2D([], [], ls="", marker="o", color=colour, label=f"in {where}")
        for where, colour in MENTION_COLOURS.items()
    ]
    figure.legend(handles=[*forms, *mentioned], loc="lower center", ncols=4, fontsize=8, frameon=False)
    return figure


def duplicates(shares: Mapping[str, Mapping[str, float]], printed: Mapping[str, float]) -> Figure:
    """A bar of classes for each measured system, and a hollow bar for each figure printed in the paper."""
    figure = Figure(figsize=(8, 0.45 * (len(shares) + len(printed)) + 1.2), layout="constrained", dpi=DPI)
    axes = figure.subplots()
    rows = [*shares, *printed]
    classes = list(next(iter(shares.values())))
    blues = ["#9ecae1", "#6baed6", "#3182bd", "#08519c"]
    left = np.zeros(len(shares))
    for name, colour in zip(classes, blues, strict=True):
        widths = np.array([system[name] for system in shares.values()])
        axes.barh(range(len(shares)), widths, left=left, color=colour, label=name)
        left += widths
    axes.barh(range(len(shares), len(rows)), list(printed.values()), color="none", edgecolor="#666666", hatch="///")
    for row, total in enumerate([*left, *printed.values()]):
        axes.annotate(f"{total:.1f}", (total, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("summaries with duplicated relations, %")
    axes.legend(title="duplicated relations", fontsize=8, title_fontsize=8, frameon=False, loc="lower right")
    return figure


def saliency(names: Sequence[str], mentions: Mentions, most: int) -> Figure:
    """p(E_t) at the first `most` mentions: a row for each entity mentioned, a dot on the chosen one."""
    entity, sentence = mentions.entity[:most], mentions.sentence[:most]
    rows = list(dict.fromkeys(entity))
    figure = Figure(figsize=(0.24 * len(entity) + 3, 0.3 * len(rows) + 1.8), layout="constrained", dpi=DPI)
    axes = figure.subplots()
    image = axes.imshow(mentions.probabilities[:most, rows].T, aspect="auto", cmap="Blues", vmin=0, vmax=1)
    axes.scatter(range(len(entity)), [rows.index(index) for index in entity], s=9, c=ORANGE)
    for column in range(1, len(entity)):
        if sentence[column] != sentence[column - 1]:
            axes.axvline(column - 0.5, color="#888888", lw=0.8)
    axes.set_yticks(range(len(rows)), [names[row] for row in rows], fontsize=8)
    axes.set_xticks(range(len(entity)), mentions.texts[:most], rotation=90, fontsize=7)
    axes.set_xlabel("records in the order they are stated; lines separate sentences")
    figure.colorbar(image, ax=axes, label="p(E)", pad=0.01)
    return figure


def _label_point(axes, name: str, point: np.ndarray, always: bool, **style) -> None:
    """Writes a name beside its point without covering another name; if there is no room, only with `always`."""
    renderer = axes.figure.canvas.get_renderer()
    taken = [text.get_window_extent(renderer) for text in axes.texts]
    for x, y in OFFSETS:
        side = "left" if x > 0 else "right"
        text = axes.annotate(name, point, xytext=(x, y), textcoords="offset points", ha=side, **style)
        extent = text.get_window_extent(renderer)
        if not any(extent.overlaps(other) for other in taken):
            return
        text.remove()
    if always:
        axes.annotate(name, point, xytext=OFFSETS[0], textcoords="offset points", **style)


def _label_axes(axes, shares: np.ndarray) -> None:
    axes.set_xlabel(f"first principal component ({shares[0]:.0%} of the variance)")
    axes.set_ylabel(f"second ({shares[1]:.0%})")
    axes.spines[["top", "right"]].set_visible(False)
    axes.figure.draw_without_rendering()  # text extents need the final positions of the points
