"""A small picture of every matrix's row lengths."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from sparserepro.data.frames import Report
from sparserepro.plots import style
from sparserepro.plots.pages import Drawn

COLUMNS = 4
PANELS = 24  # on one page
CLASS_COLOURS = style.COLOURS[1:]


def row_lengths(report: Report) -> list[Drawn]:
    """Log-log histograms, a panel a matrix, ordered by class."""
    present = [f for f in report.matrices.values() if "row_length" in f]
    present.sort(key=lambda f: (f.get("class") or "", f["name"].lower()))
    classes = sorted({f.get("class") or "" for f in present})
    colours = {c: CLASS_COLOURS[i % len(CLASS_COLOURS)] for i, c in enumerate(classes)}
    pages = [present[i : i + PANELS] for i in range(0, len(present), PANELS)]
    drawings = []
    for number, page in enumerate(pages, start=1):
        stem = "row-lengths" + ("" if number == 1 else f"-{number}")
        caption = (
            "Row lengths of the matrices: number of rows by stored entries in the row, in bins "
            "that double. The dotted line is the mean; empty rows are counted at the left edge. "
            "One colour for each class, which is written in the panel."
            + (f" Part {number} of {len(pages)}." if len(pages) > 1 else "")
        )
        drawings.append(Drawn(stem, caption, page_of_panels(page, colours)))
    return drawings


def page_of_panels(page: list[dict[str, Any]], colours: dict[str, str]) -> Figure:
    lines = math.ceil(len(page) / COLUMNS)
    figure = style.new_figure(1.22 * lines + 0.35)
    grid = figure.subplots(lines, COLUMNS, squeeze=False, sharey=True)
    for axes in grid.flat:
        axes.set_visible(False)
    for facts, axes in zip(page, grid.flat, strict=False):
        axes.set_visible(True)
        panel(axes, facts, colours[facts.get("class") or ""])
    for axes in grid[:, 0]:
        axes.set_ylabel("rows")
    bottom = [grid[i // COLUMNS][i % COLUMNS] for i in range(len(page))][-COLUMNS:]
    for axes in bottom:
        axes.set_xlabel("entries in a row")
    return figure


def histogram(axes: Any, length: dict[str, Any], colour: str) -> None:
    """Number of rows by entries in the row, both by logarithm; the mean is dotted."""
    bins = [b for b in length["histogram"] if b["count"] > 0]
    left = [max(b["from"], 0.5) for b in bins]
    right = [b["to"] + 1 if b["from"] > 0 else 1 for b in bins]
    widths = [r - x for x, r in zip(left, right, strict=True)]
    counts = [b["count"] for b in bins]
    axes.bar(left, counts, widths, align="edge", color=colour, edgecolor="white", linewidth=0.3)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.axvline(max(length["mean"], 0.5), color="black", linestyle=":", linewidth=0.8)


def panel(axes: Any, facts: dict[str, Any], colour: str) -> None:
    histogram(axes, facts["row_length"], colour)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(numticks=4))
        axis.set_minor_locator(NullLocator())
    style.name_title(axes, facts["name"], 24)
    axes.text(
        0.97, 0.95, facts.get("class") or "", transform=axes.transAxes, ha="right", va="top",
        fontsize=7, color="#404040",
        bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.8},
    )  # fmt: skip
    axes.tick_params(labelsize=7, pad=1)


MAKERS = {"row-lengths": row_lengths}
