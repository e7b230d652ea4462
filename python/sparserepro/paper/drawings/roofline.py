"""Achieved rates under the roof of the memory: SpMM by intensity, transposition by traffic.

SpMM does 2 K nnz operations. Its roof is a slope: the copy rate times the intensity, which is
operations over minimum traffic. Transposition does none. Its roof is the copy rate, and half of
that rate for an algorithm of two passes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from sparserepro.paper.axes import plain
from sparserepro.paper.contests import Contest
from sparserepro.paper.plate import Contests, Drawn, Mark, Plate, both, row_name
from sparserepro.plots import style

SIDES = ("device", "host")
GIGA = 1e9
LIBRARY: dict[str, Any] = {
    "linestyle": "", "marker": "o", "color": "#808080", "markerfacecolor": "white",
    "markersize": 2.6, "markeredgewidth": 0.6,
}  # fmt: skip


def measured(contest: Contest) -> pd.DataFrame:
    """Ours and the fastest library of each row, as minimum traffic over time, in B/s."""
    rows = contest.rows[contest.rows["copy_bound_s"].notna()]
    traffic, ours = rows["model_bytes"].astype(float), rows["headline_s"].astype(float)
    return rows.assign(
        traffic=traffic,
        intensity=rows["model_flops"].astype(float) / traffic,
        ours=traffic / ours,
        library=traffic / (ours * rows["library_ratio"].astype(float)),
        roof=traffic / rows["copy_bound_s"].astype(float),
    )


Looks = dict[str, dict[str, Any]]


def looks(classes: Iterable[str]) -> Looks:
    """The mark of each class of matrices, the same in all panels. Half marks tell classes of one
    colour apart."""
    return {
        name: {
            "linestyle": "", "markersize": 3.6,
            "color": style.COLOURS[place % len(style.COLOURS)],
            "marker": style.MARKERS[place % len(style.MARKERS)],
            "fillstyle": "full" if place < len(style.COLOURS) else "left",
            "markerfacecoloralt": "white",
        }
        for place, name in enumerate(sorted(set(classes)))
    }  # fmt: skip


def ticks(axis: Any) -> None:
    axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=20))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain))


def points(
    axes: Any, rows: pd.DataFrame, marks: Looks, x: str, ours: pd.Series, library: pd.Series
) -> None:
    """A line from the library's hollow mark to ours, for each row."""
    axes.vlines(rows[x], library, ours, color="#a0a0a0", linewidth=0.5, zorder=1)
    axes.plot(rows[x], library, **LIBRARY, zorder=2)
    for name, look in marks.items():
        chosen = rows["class"] == name
        axes.plot(rows.loc[chosen, x], ours[chosen], **look, zorder=3)


def roof(axes: Any, x: Any, low: Any, high: Any, dash: str = "-") -> None:
    """From the least to the greatest rate that the runs measured."""
    axes.fill_between(x, low, high, color="#d0d0d0", linewidth=0, zorder=0)
    axes.plot(x, high, color="black", linestyle=dash, linewidth=0.8, zorder=0)


def named(axes: Any, x: float, y: float, words: str, **place: Any) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}
    axes.annotate(words, (x, y), textcoords="offset points", fontsize=7.5, bbox=box, **place)


def spmm(axes: Any, rows: pd.DataFrame, marks: Looks) -> None:
    scale = rows["intensity"] / GIGA
    points(axes, rows, marks, "intensity", rows["ours"] * scale, rows["library"] * scale)
    x = np.array([0.8 * rows["intensity"].min(), 1.25 * rows["intensity"].max()])
    low, high = x * rows["roof"].min() / GIGA, x * rows["roof"].max() / GIGA
    roof(axes, x, low, high)
    named(axes, x[1], high[1], "copy rate", xytext=(-22, -4), ha="right")
    axes.set_xlim(*x)
    axes.set_xlabel("flop per byte of minimum traffic")


def transposition(axes: Any, rows: pd.DataFrame, marks: Looks) -> None:
    rows = rows.assign(megabytes=rows["traffic"] / 1e6)
    points(axes, rows, marks, "megabytes", rows["ours"] / GIGA, rows["library"] / GIGA)
    x = np.array([0.8 * rows["megabytes"].min(), 1.25 * rows["megabytes"].max()])
    low, high = np.full(2, rows["roof"].min() / GIGA), np.full(2, rows["roof"].max() / GIGA)
    roof(axes, x, low, high)
    named(axes, x[0], high[0], "copy rate", xytext=(3, 3))
    roof(axes, x, low / 2, high / 2, "--")
    named(axes, x[0], high[0] / 2, "two passes", xytext=(3, 3))
    axes.set_xlim(*x)
    axes.set_ylim(top=1.6 * high[0])
    axes.set_xlabel("minimum traffic (MB)")


PANELS = (
    ("spmm", spmm, "SpMM", "GFLOP/s"),
    ("transpose", transposition, "Transposition", "GB/s of minimum traffic"),
)


def roofline(contests: Contests, _cells: pd.DataFrame) -> Drawn | None:
    """A line of panels for each problem, a column for each part of the machine."""
    lines = [p for p in PANELS if any((p[0], side) in contests for side in SIDES)]
    columns = [side for side in SIDES if any((p[0], side) in contests for p in lines)]
    found = {
        (problem, side): measured(contests[problem, side])
        for problem, *_ in lines
        for side in columns
        if (problem, side) in contests
    }
    if not any(len(rows) > 1 for rows in found.values()):
        return None
    figure = style.new_figure(2.7 * len(lines) + 0.4)
    figure.set_layout_engine("constrained", hspace=0.08)
    grid = figure.subplots(len(lines), len(columns), squeeze=False)
    marks: list[Mark] = []
    of_class = looks(name for rows in found.values() for name in rows["class"].dropna())
    for (problem, draw, title, unit), line in zip(lines, grid, strict=True):
        for side, axes in zip(columns, line, strict=True):
            here = found.get((problem, side))
            if here is None or here.empty:
                axes.set_visible(False)
                continue
            axes.set_xscale("log")
            axes.set_yscale("log")
            draw(axes, here, of_class)
            for axis in (axes.xaxis, axes.yaxis):
                ticks(axis)
            axes.set_ylabel(unit)
            axes.set_title(f"{title}, {side} of {contests[problem, side].machine}")
            for _, one in here.iterrows():
                marks.append(Mark(row_name(one), f"{title}, {side}", both(one.to_frame().T)))
    handles = [Line2D([], [], **LIBRARY, label="fastest library")]
    handles += [Line2D([], [], **look, label=name) for name, look in of_class.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=7, handletextpad=0.2)
    return Drawn(figure, marks)


PLATES = (Plate("roofline", "Achieved rates under the roof of the memory", roofline),)
