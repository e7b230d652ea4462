"""Where one transposition overtakes another: time per entry over order and mean degree.

Drawn from all square uniform matrices of a machine, those of the class for it and others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from sparserepro.data.frames import Cell, Report, Row
from sparserepro.data.traces import Point as Mark
from sparserepro.plots import style
from sparserepro.plots.dots import short
from sparserepro.plots.measured import handles_of, legend, looks_of, plain
from sparserepro.plots.pages import Drawn
from sparserepro.plots.sweeps import panels, rate_y
from sparserepro.views.captions import instance_columns, provenance
from sparserepro.views.sections import Section, section

UNIFORM = re.compile(r"uniform:rows=(\d+),cols=(\d+),nnz=(\d+)")
FEWEST_ORDERS = 3


@dataclass(frozen=True)
class Point:
    """A square uniform matrix: its order, mean degree and row of the report."""

    order: int
    degree: int
    row: Row


def rows(part: Section) -> list[Row]:
    cells = part.report.select(machine=part.machine, problem=part.problem)
    return sorted({c.row for c in cells}, key=part.report.row_order)


def points(part: Section) -> list[Point]:
    found = []
    for row in rows(part):
        match = UNIFORM.match(part.report.facts_of(row)["source"])
        if match and match[1] == match[2] and int(match[3]) >= int(match[1]):
            order, entries = int(match[1]), int(match[3])
            found.append(Point(order, round(entries / order), row))
    return found


def groups(part: Section) -> dict[str, dict[int, list[Point]]]:
    """By the values of the instance parameters that vary, then by degree; degrees with a curve."""
    extra = instance_columns(rows(part))
    found: dict[str, dict[int, list[Point]]] = defaultdict(lambda: defaultdict(list))
    for point in points(part):
        words = ", ".join(short(v) for n in extra if (v := point.row.value(n)) is not None)
        found[words][point.degree].append(point)
    kept = {}
    for words, degrees in found.items():
        curves = {
            degree: sorted(own, key=lambda p: p.order)
            for degree, own in sorted(degrees.items())
            if len({p.order for p in own}) >= FEWEST_ORDERS
        }
        if len(curves) > 1:
            kept[words] = curves
    return kept


def crossover(report: Report) -> list[Drawn]:
    """A figure for each machine and kind of instance: a panel a mean degree."""
    parts = (section(report, machine, "transpose") for machine in report.machines)
    return [
        drawn
        for part in parts
        if part
        for number, (words, degrees) in enumerate(groups(part).items(), start=1)
        for drawn in draw(part, number, words, degrees)
    ]


def cells(part: Section, own: Iterable[Point], name: str) -> list[tuple[int, Cell]]:
    found = ((p.order, part.report.best(p.row, name)) for p in own)
    return [(order, cell) for order, cell in found if cell and cell.ok]


def draw(part: Section, number: int, words: str, degrees: dict[int, list[Point]]) -> list[Drawn]:
    looks = looks_of(part.report, "transpose")
    every = [p for own in degrees.values() for p in own]
    names = [a for a in part.algorithms if cells(part, every, a)]
    figure, flat, left, low = panels(len(degrees))
    used: list[Cell] = []
    marks: list[Mark] = []
    for axes, (degree, own) in zip(flat, degrees.items(), strict=True):
        for name in names:
            curve = cells(part, own, name)
            used += [cell for _, cell in curve]
            marks += [Mark(name, (cell,)) for _, cell in curve]
            times = [1e9 * c.seconds / (c.entries or 1) for _, c in curve]
            axes.plot([order for order, _ in curve], times, **looks[name].line(3.5))
        orders(axes, sorted({p.order for p in every}))
        rate_y(axes)
        axes.set_title(f"mean degree {degree}")
    for axes in left:
        axes.set_ylabel("ns per entry")
    for axes in low:
        axes.set_xlabel("order $n$")
    legend(figure, handles_of(part, names, lines=True))
    caption = (
        "Transposition of square uniform matrices: time per entry against the order, a panel a "
        f"mean degree{f' ({words})' if words else ''}; where two curves cross, one algorithm "
        f"overtakes the other. {provenance(used)}"
    )
    suffix = "" if number == 1 else f"-{number}"
    return [
        Drawn(f"transpose-crossover-{part.machine}{suffix}", caption, figure, marks),
        fastest_map(part, suffix, words, degrees, names),
    ]


def orders(axes: Axes, values: list[int]) -> None:
    """A binary log axis with powers of two written as such."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(power))


def power(value: float, _: int | None = None) -> str:
    exponent = int(value).bit_length() - 1
    return rf"$2^{{{exponent}}}$" if value == 1 << exponent else plain(value)


def fastest_map(
    part: Section, suffix: str, words: str, degrees: dict[int, list[Point]], names: list[str]
) -> Drawn:
    """The fastest algorithm at each order and degree, and its lead over the second."""
    looks = looks_of(part.report, "transpose")
    figure: Figure = style.new_figure(0.32 * len(degrees) + 1.3)
    axes = figure.subplots()
    used: list[Cell] = []
    marks: list[Mark] = []
    winners: set[str] = set()
    levels = list(degrees)
    for y, own in enumerate(degrees.values()):
        for point in own:
            timed = [(c.seconds, n, c) for n in names for _, c in cells(part, [point], n)]
            if len(timed) < 2:
                continue
            (first, name, cell), (second, _, other) = sorted(timed, key=lambda t: t[0])[:2]
            used.append(cell)
            marks.append(Mark("fastest", (other, cell)))
            winners.add(name)
            axes.plot([point.order], [y], linestyle="none", **looks[name].marks(6))
            axes.annotate(
                f"{second / first:.2f}", (point.order, y), textcoords="offset points",
                xytext=(0, 6), ha="center", fontsize=7,
            )  # fmt: skip
    orders(axes, sorted({p.order for own in degrees.values() for p in own}))
    axes.set_yticks(range(len(levels)), [str(degree) for degree in levels])
    axes.set_ylim(-0.5, len(levels) - 0.2)
    axes.set_ylabel("mean degree")
    axes.set_xlabel("order $n$")
    legend(figure, handles_of(part, [n for n in names if n in winners]))
    caption = (
        "The fastest transposition at each order and mean degree of square uniform matrices"
        f"{f' ({words})' if words else ''}; the number is the second's time over its time. "
        f"{provenance(used)}"
    )
    return Drawn(f"transpose-fastest-{part.machine}{suffix}", caption, figure, marks)


MAKERS = {"transpose-crossover": crossover}
