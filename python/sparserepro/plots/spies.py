"""Where matrices have their entries, and how long their rows are: one matrix of each class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from sparserepro.data.frames import GRID, Report
from sparserepro.plots import style
from sparserepro.plots.matrices import histogram
from sparserepro.plots.pages import Drawn

MOST = 9
COLUMNS = 3
STEPS = 12
Facts = dict[str, Any]


def preference(facts: Facts) -> tuple[Any, ...]:
    """The least of a class is shown."""
    return not facts.get("spy"), facts["origin"] != "file", -facts["stored"], facts["name"]


def chosen(facts: Iterable[Facts]) -> list[Facts]:
    """Of each class one matrix: rather one whose blocks are recorded, rather one of a collection,
    rather a large one. At most nine classes, those of most matrices, by name."""
    classes: dict[str, list[Facts]] = {}
    for one in facts:
        if "row_length" in one and one.get("class") not in (None, GRID):
            classes.setdefault(one["class"], []).append(one)
    largest = sorted(classes, key=lambda name: (-len(classes[name]), name))[:MOST]
    return [min(classes[name], key=preference) for name in sorted(largest)]


def digits(spy: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Binary digits of each block's number of entries."""
    return np.array([[int(digit, 36) for digit in line] for line in spy], dtype=np.int64)


def rounded(count: int) -> str:
    """ "1.2M" of 1210000."""
    for unit, name in ((10**6, "M"), (10**3, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{name}"
    return str(count)


def shades(facts: Facts) -> np.ndarray[Any, np.dtype[np.float64]]:
    """White (0) without entries, 0.5 for as many as the mean block has, and 1/12 more for twice as
    many."""
    found = digits(facts["spy"])
    mean = math.log2(max(facts["stored"], 1) / found.size)
    shade = np.clip(0.5 + (found - 0.5 - mean) / STEPS, 0.12, 1)
    return np.where(found > 0, shade, 0)


def blocks(axes: Any, facts: Facts) -> None:
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[["top", "right"]].set_visible(True)
    axes.set_box_aspect(1)
    if facts.get("spy"):
        axes.imshow(shades(facts), cmap="Greys", vmin=0, vmax=1, aspect="auto",
                    interpolation="nearest")  # fmt: skip
    else:
        axes.text(0.5, 0.5, "not\nrecorded", transform=axes.transAxes, ha="center", va="center",
                  fontsize=7)  # fmt: skip
    axes.set_xlabel(rf"{rounded(facts['rows'])} $\times$ {rounded(facts['cols'])}", fontsize=7)


def lengths(axes: Any, facts: Facts) -> None:
    histogram(axes, facts["row_length"], style.COLOURS[1])
    axes.set_box_aspect(1)
    bins = [b for b in facts["row_length"]["histogram"] if b["count"] > 0]
    named = sorted({bins[0]["from"], bins[len(bins) // 2]["from"], bins[-1]["from"]})
    axes.set_xticks([max(b, 0.5) for b in named], [str(b) for b in named])
    axes.yaxis.set_major_locator(LogLocator(numticks=4))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
    axes.tick_params(labelsize=7, pad=1)
    axes.set_xlabel("entries in a row", fontsize=7)


def spies(report: Report) -> list[Drawn]:
    """A pair of panels for each matrix: its blocks and its row lengths."""
    shown = chosen(report.matrices.values())
    if not shown:
        return []
    caption = (
        "Where matrices have their entries, and how long their rows are, for one matrix of a "
        r"class. Left: the matrix in $48\times48$ blocks, with its rows and columns. A white block "
        "is empty. A medium grey one has as many entries as the mean block, and a step of grey is "
        "a factor of two. Right: number of rows by entries in the row, in bins that double; the "
        "dotted line is the mean."
    )
    without = [one["name"] for one in shown if not one.get("spy")]
    if without:
        caption += f" Of {len(without)} matrices no blocks were recorded."
    return [Drawn("spies", caption, draw(shown))]


def draw(shown: Sequence[Facts]) -> Figure:
    lines = -(-len(shown) // COLUMNS)
    figure = style.new_figure(1.42 * lines)
    parts = figure.subfigures(lines, COLUMNS, squeeze=False)
    for place, facts in enumerate(shown):
        part = parts[place // COLUMNS][place % COLUMNS]
        left, right = part.subplots(1, 2)
        blocks(left, facts)
        lengths(right, facts)
        part.suptitle(f"{facts['class']}: {facts['name']}", fontproperties=style.NAMES)
    return figure


MAKERS = {"spies": spies}
