"""Rows of a report on an axis: their names, and dot plots with a line for each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from matplotlib.figure import Figure

from sparserepro.data.frames import Row
from sparserepro.plots import style
from sparserepro.views.captions import instance_columns
from sparserepro.views.sections import Section

LINE_IN = 0.21  # height of a row of a dot plot
CROWD = 7  # algorithms from which on a row is higher


def row_name(row: Row, rows: list[Row]) -> str:
    """The matrix and what distinguishes the row from others of the same matrix."""
    names = instance_columns(rows, always=row.problem == "primitives")
    known = [(n, value) for n in names if (value := row.value(n)) is not None]
    if row.problem != "primitives":
        return ", ".join([row.matrix, *[short(value) for _, value in known]])
    named = [short(v) if n in ("procedure", "length") else f"{n} {short(v)}" for n, v in known]
    return ", ".join(named)


def short(value: int | str) -> str:
    if isinstance(value, int) and value >= 1000:
        digits = str(value)
        zeros = len(digits) - len(digits.rstrip("0"))
        mantissa = digits[: len(digits) - zeros]
        if zeros >= 3 and len(mantissa) <= 2:
            factor = "" if mantissa == "1" else rf"{mantissa}\cdot"
            return f"${factor}10^{{{zeros}}}$"
    return str(value)


@dataclass
class Dots:
    """A dot plot: a line for each row, as high as its algorithms need."""

    figure: Figure
    axes: Any
    heights: dict[Row, float]
    places: dict[Row, float]
    marked: dict[Row, list[str]]

    def at(self, row: Row, name: str) -> float:
        """Algorithms of a row are shifted, so that equal values do not hide each other."""
        names = self.marked[row]
        share = (names.index(name) + 0.5) / len(names) - 0.5
        return self.places[row] + 0.7 * self.heights[row] * share


def dot_rows(part: Section, marked: dict[Row, list[str]]) -> Dots:
    """The lines of a dot plot, by row the algorithms with a mark."""
    rows = list(marked)
    heights = {row: max(1.0, len(names) / CROWD) for row, names in marked.items()}
    ends = list(accumulate(heights.values()))
    places = {row: end - heights[row] / 2 for row, end in zip(rows, ends, strict=True)}
    names = {name for found in marked.values() for name in found}
    figure = style.new_figure(LINE_IN * ends[-1] + 0.75 + 0.16 * (len(names) // 3 + 1))
    axes = figure.subplots()
    axes.set_yticks(list(places.values()), [row_name(r, part.rows) for r in rows])
    axes.set_ylim(ends[-1], 0)
    for label in axes.get_yticklabels():
        label.set_fontproperties(style.NAMES)
    axes.grid(axis="y", visible=False)
    for end in ends[:-1]:
        axes.axhline(end, linewidth=0.4, color="#ebebeb", zorder=0)
    axes.tick_params(axis="y", length=0)
    return Dots(figure, axes, heights, places, marked)


def offsets(algorithms: list[str]) -> dict[str, float]:
    """Small vertical shifts of the algorithms of a row."""
    n = len(algorithms)
    return {a: 0.5 * ((i + 0.5) / n - 0.5) for i, a in enumerate(algorithms)}
