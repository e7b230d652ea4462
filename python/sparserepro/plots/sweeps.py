"""Figures along a swept parameter: SpMM's K, block sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from sparserepro.data.frames import Cell, Report, Row, fastest
from sparserepro.data.traces import Point
from sparserepro.plots import style
from sparserepro.plots.dots import row_name
from sparserepro.plots.measured import COPY_BOUND, handles_of, hollow, legend, looks_of, plain
from sparserepro.plots.pages import Drawn, Maker, Page, numbered, of_this_run
from sparserepro.views.captions import provenance
from sparserepro.views.sections import Section, section

SWEEPS = [
    *((problem, "block_size") for problem in ("primitives", "transpose", "spmm", "triangles")),
    *((problem, "sp_dist") for problem in ("primitives", "transpose")),
]
SWEPT = {"block_size": "block size", "sp_dist": "distance of splitters"}
SWEPT_WORDS = {
    "block_size": "the number of threads in a block",
    "sp_dist": "the distance of the splitters",
}
"""Numeric parameters that have figures: their axis and their place in a caption."""

COLUMNS = 3
PANELS = 12  # on one page


def panels(count: int) -> tuple[Figure, list[Any], list[Any], list[Any]]:
    """A figure with `count` panels: all of them, the leftmost, and the lowest of each column."""
    columns = min(COLUMNS, count)
    lines = math.ceil(count / columns)
    figure = style.new_figure(1.75 * lines + 0.6)
    grid = figure.subplots(lines, columns, squeeze=False)
    flat = list(grid.flat)
    for axes in flat[count:]:
        axes.set_visible(False)
    return figure, flat[:count], flat[:count:columns], flat[:count][-columns:]


def chunks(items: list[Any]) -> list[list[Any]]:
    count = max(1, math.ceil(len(items) / PANELS))
    each = math.ceil(len(items) / count)
    return [items[i : i + each] for i in range(0, len(items), each)]


def sweep_x(axes: Any, values: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(apart(values)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))


def apart(values: Sequence[int]) -> list[int]:
    """Of ascending values those whose numbers do not touch on a panel's axis: at least an eighth of
    its length lies between two."""
    least = math.log2(values[-1] / values[0]) / 8 if len(values) > 1 else 0
    kept = [values[-1]]
    for value in reversed(values[:-1]):
        if math.log2(kept[-1] / value) >= least:
            kept.append(value)
    return kept[::-1]


def rate_y(axes: Any) -> None:
    """A log axis over a factor of two or more, so that small differences look small."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    if high / low < 2:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(2), middle * math.sqrt(2)
        axes.set_ylim(low, high)
    if high / low < 60:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.yaxis.set_minor_formatter(NullFormatter())


def k_curves(report: Report) -> list[Drawn]:
    """GFLOP/s of the host's algorithms against K, a panel a matrix, by class; the bound in grey."""
    return [drawn for m in report.machines for drawn in k_curves_of(report, m)]


def k_curves_of(report: Report, machine: str) -> list[Drawn]:
    rows = report.rows(machine, "spmm")
    ks = sorted({k for r in rows if isinstance(k := r.value("k"), int)})
    part = section(report, machine, "spmm")
    if len(ks) < 2 or part is None:
        return []
    names = [
        name
        for name in report.measured(rows, report.algorithms("spmm"))
        if any((c := report.best(r, name)) and c.ok and c.backend != "cuda" for r in rows)
    ]
    rows = [r for r in rows if report.measured([r], names)]
    if not names:
        return []
    looks = looks_of(report, "spmm")
    matrices = list(dict.fromkeys(r.matrix for r in rows))
    figures: list[Page] = []
    used: list[Cell] = []
    for page in chunks(matrices):
        figure, flat, left, low = panels(len(page))
        points: list[Point] = []
        for axes, matrix in zip(flat, page, strict=True):
            own = [r for r in rows if r.matrix == matrix]
            drawn = draw_k(axes, report, own, names, looks)
            used += drawn
            points += rate_points(drawn)
            sweep_x(axes, ks)
            rate_y(axes)
            style.name_title(axes, f"{matrix} ({report.matrix_class(matrix)})")
        for axes in left:
            axes.set_ylabel("GFLOP/s")
        for axes in low:
            axes.set_xlabel("$K$")
        bound = Line2D([], [], color="#808080", linewidth=1.6, label=COPY_BOUND)
        legend(figure, [*handles_of(part, names, lines=True), bound])
        figures.append((figure, points))
    caption = (
        "SpMM on the host: rate against the number K of columns of X, a panel a matrix. The grey "
        "line is the rate at which the least traffic of the problem would move at the copy "
        "bandwidth; above it the data stay in cache. Rates are of one execution, without "
        f"preparation. {provenance(used)}{hollow(used)}"
    )
    return numbered(f"spmm-k-{machine}", caption, figures)


def draw_k(
    axes: Any, report: Report, rows: list[Row], names: list[str], looks: dict[str, style.Look]
) -> list[Cell]:
    used: list[Cell] = []
    bounds: dict[int, float] = {}
    for name in names:
        cells = [c for r in rows if (c := report.best(r, name)) and c.ok]
        cells.sort(key=lambda c: int(c.row.value("k") or 0))
        used += cells
        points = [(int(c.row.value("k") or 0), c.flops / 1e9) for c in cells]
        for (k, flops), cell in zip(points, cells, strict=True):
            if bound := cell.bound_seconds:
                bounds[k] = max(bounds.get(k, 0.0), flops / bound)
        rates = [flops / cell.seconds for (_, flops), cell in zip(points, cells, strict=True)]
        axes.plot([k for k, _ in points], rates, **looks[name].line(3.5))
    if bounds:
        steps = sorted(bounds.items())
        axes.plot(*zip(*steps, strict=True), color="#808080", linewidth=1.6, zorder=1)
    return used


def rate_points(cells: list[Cell]) -> list[Point]:
    """The marks of a panel, and its copy bound: of each K the highest."""
    bounds: dict[Row, Cell] = {}
    for cell in cells:
        if cell.bound_seconds:
            bounds[cell.row] = min(
                bounds.get(cell.row, cell), cell, key=lambda c: c.bound_seconds or math.inf
            )
    own = [Point(cell.algorithm, (cell,)) for cell in cells]
    return own + [Point(COPY_BOUND, (cell,)) for cell in bounds.values()]


def fastest_by(part: Section, row: Row, name: str, parameter: str) -> dict[int, Cell]:
    """The algorithm's fastest cell at each value of a numeric parameter."""
    groups: dict[int, list[Cell]] = {}
    for cell in part.report.cells_of(row, name):
        value = dict(cell.params).get(parameter)
        if cell.ok and isinstance(value, int):
            groups.setdefault(value, []).append(cell)
    return {n: best for n, cells in sorted(groups.items()) if (best := fastest(cells))}


def parameter_sweep(report: Report, problem: str, parameter: str) -> list[Drawn]:
    """Time against a numeric parameter of the algorithms, a panel a row."""
    drawings: list[Drawn] = []
    for machine in report.machines:
        part = section(report, machine, problem)
        if part is None:
            continue

        def swept(row: Row, name: str, part: Section = part) -> dict[int, Cell]:
            return swept_cells(part, row, name, parameter)

        names = [a for a in part.algorithms if any(swept(r, a) for r in part.rows)]
        rows = [r for r in part.rows if any(swept(r, a) for a in names)]
        if rows:
            drawings += sweep_figures(part, rows, names, parameter)
    return drawings


def swept_cells(part: Section, row: Row, name: str, parameter: str) -> dict[int, Cell]:
    """The algorithm's fastest cell at each value of the parameter, when it has several."""
    found = fastest_by(part, row, name, parameter)
    return found if len(found) > 1 else {}


def sweep_figures(part: Section, rows: list[Row], names: list[str], parameter: str) -> list[Drawn]:
    looks = looks_of(part.report, part.problem)
    figures: list[Page] = []
    used: list[Cell] = []
    for page in chunks(rows):
        figure, flat, left, low = panels(len(page))
        points: list[Point] = []
        for axes, row in zip(flat, page, strict=True):
            values: set[int] = set()
            for name in names:
                cells = swept_cells(part, row, name, parameter)
                used += cells.values()
                values |= set(cells)
                times = [1e3 * c.seconds for c in cells.values()]
                points += [Point(name, (c,), f"{parameter}={n}") for n, c in cells.items()]
                axes.plot(list(cells), times, **looks[name].line(3.5))
            sweep_x(axes, sorted(values))
            rate_y(axes)
            style.name_title(axes, row_name(row, part.rows))
        for axes in left:
            axes.set_ylabel("ms")
        for axes in low:
            axes.set_xlabel(SWEPT[parameter])
        legend(figure, handles_of(part, names, lines=True))
        figures.append((figure, points))
    caption = (
        f"{part.title}: time against {SWEPT_WORDS[parameter]}, other parameters at their fastest. "
        f"{provenance(used)}"
    )
    stem = f"{part.problem}-{parameter.replace('_', '-')}-{part.machine}"
    return numbered(stem, caption, figures)


MAKERS: dict[str, Maker] = {"spmm-k": k_curves} | {
    f"{problem}-{parameter.replace('_', '-')}": of_this_run(
        partial(parameter_sweep, problem=problem, parameter=parameter)
    )
    for problem, parameter in SWEEPS
}
