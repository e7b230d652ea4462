"""Figures of triangle counting alone: the seed's, its explanation, preparation and count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sparserepro.data import published
from sparserepro.data.frames import Cell, Report, Row, fastest
from sparserepro.data.traces import Point
from sparserepro.plots import style
from sparserepro.plots.dots import row_name
from sparserepro.plots.measured import legend, log_x, looks_of
from sparserepro.plots.pages import Drawn, Page, numbered, pages
from sparserepro.ranks import rank_correlation
from sparserepro.render.latex import significant
from sparserepro.views.captions import provenance
from sparserepro.views.sections import section

EXPRESSION, KERNEL = "matrix_expression", "cuda_block_per_row"
PRINTED: dict[str, Any] = {
    "marker": "x",
    "color": "#606060",
    "markersize": 4.5,
    "linestyle": "none",
}
Dot = tuple[int, float, dict[str, Any]]  # height, value, marker
BAR_IN = 0.15  # height of a bar of the split
EDGE: dict[str, Any] = {"edgecolor": style.COLOURS[1], "linewidth": 0.6}
PREPARATION: dict[str, Any] = {"facecolor": "white", "hatch": "////"} | EDGE
COUNT: dict[str, Any] = {"facecolor": style.COLOURS[1]} | EDGE


@dataclass(frozen=True)
class Graph:
    """A graph of the seed: what it prints."""

    name: str
    rows: int
    stored: int
    speedup: float

    @property
    def density(self) -> float:
        return self.stored / self.rows**2

    @property
    def degree(self) -> float:
        return self.stored / self.rows


def seconds_printed() -> dict[tuple[str, str], float]:
    """By graph and the counterpart of the method."""
    lines = published.read("triangles-times")
    return {(line["name"], line["counterpart"]): float(line["seconds"]) for line in lines}


def seed_graphs() -> list[Graph]:
    times = seconds_printed()
    return [
        Graph(
            (name := line["name"]),
            int(line["rows"]),
            int(line["stored"]),
            times[name, EXPRESSION] / times[name, KERNEL],
        )
        for line in published.read("triangles-datasets")
    ]


def single(look: style.Look) -> dict[str, Any]:
    return look.marks() | {"linestyle": "none"}


def fastest_of(report: Report, name: str, algorithm: str) -> Cell | None:
    cells = report.select(problem="triangles", matrix=name, algorithm=algorithm, ok=True)
    return fastest([c for c in cells if c.row.is_plain])


def pairs(report: Report) -> list[tuple[Row, Cell, Cell]]:
    """Rows with a time of the matrix expression and of the seed's kernel, and both cells."""
    rows = [row for m in report.machines for row in report.rows(m, "triangles")]
    found = ((row, report.best(row, EXPRESSION), report.best(row, KERNEL)) for row in rows)
    return [(row, a, b) for row, a, b in found if a and b and a.ok and b.ok]


def seed_figures(report: Report) -> list[Drawn]:
    """Figures 1 to 4 of the seed as four panels, where one of its graphs was measured here."""
    looks, times = looks_of(report, "triangles"), seconds_printed()
    graphs = seed_graphs()
    methods = [counterpart for name, counterpart in times if name == "auto"]
    looks = style.looks(list(dict.fromkeys([*looks, *methods])), [EXPRESSION, "cusparse_spgemm"])
    paired = {row.matrix: (a, b) for row, a, b in pairs(report)}
    figure = style.new_figure(4.1)
    grid = figure.subplots(2, 2)
    used: list[Cell] = []
    points: list[Point] = []

    def dots(axes: Any, labels: list[str], rows: list[Dot]) -> None:
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        for label in axes.get_yticklabels():
            label.set_fontproperties(style.NAMES)
        for y, x, marks in rows:
            axes.plot([x], [y], **marks)
        log_x(axes)

    def here(name: str, algorithm: str, y: int, number: int) -> list[Dot]:
        cell = fastest_of(report, name, algorithm)
        if cell is None:
            return []
        used.append(cell)
        points.append(Point(algorithm, (cell,), f"figure={number}"))
        return [(y, cell.seconds, single(looks[algorithm]))]

    first = [(y, times["auto", m], PRINTED) for y, m in enumerate(methods)]
    for y, method in enumerate(methods):
        first += here("auto", method, y, 1)
    dots(grid[0][0], methods, first)
    grid[0][0].set_xlabel("seconds on auto (figure 1)")

    four, six = graphs[:4], graphs[4:]
    second = []
    for y, graph in enumerate(four):
        for algorithm in (EXPRESSION, KERNEL):
            second.append((y, times[graph.name, algorithm], PRINTED))
            second += here(graph.name, algorithm, y, 2)
    dots(grid[0][1], [g.name for g in four], second)
    grid[0][1].set_xlabel("seconds (figure 2)")

    for axes, chosen, number in ((grid[1][0], four, 3), (grid[1][1], six, 4)):
        ratios = [(y, g.speedup, PRINTED) for y, g in enumerate(chosen)]
        for y, graph in enumerate(chosen):
            if graph.name in paired:
                base, own = paired[graph.name]
                points.append(Point(KERNEL, (base, own), f"figure={number}"))
                ratios.append((y, base.seconds / own.seconds, single(looks[KERNEL])))
        dots(axes, [g.name for g in chosen], ratios)
        axes.set_xlabel(f"MATLAB over CUDA (figure {number})")
    if not used:
        return []
    handles = [Line2D([], [], label="printed", **PRINTED)]
    for algorithm in {c.algorithm: None for c in used}:
        handles.append(Line2D([], [], label=algorithm, **single(looks[algorithm])))
    legend(figure, handles)
    caption = (
        r"The seed's figures 1 to 4 \cite{antoniadis2019}: crosses are the printed times and "
        "their ratios (GeForce GTX 650 Ti, Core i5-4690K; MATLAB's times are of a whole "
        "expression, CUDA's of a kernel; in figure 2 the left cross of a graph is CUDA's). "
        + provenance(used)
    )
    return [Drawn("triangles-seed-figures", caption, figure, points)]


def explanations(report: Report) -> list[Drawn]:
    """Speedup over the matrix expression against density and mean degree, and, for our graphs,
    against the work that the expression does for each vertex and edge that the kernel visits."""
    graphs, ours = seed_graphs(), pairs(report)
    figure = style.new_figure(2.5)
    axes_of = list(figure.subplots(1, 3 if ours else 2, sharey=True))
    printed = [g.speedup for g in graphs]
    ratios = [a.seconds / b.seconds for _, a, b in ours]
    look = looks_of(report, "triangles").get(KERNEL)
    columns = [
        ("density", [g.density for g in graphs], [density(b) for _, _, b in ours]),
        ("mean degree", [g.degree for g in graphs], [degree(b) for _, _, b in ours]),
        ("products of $A A$ a vertex and edge", [], [products_each(b) for _, _, b in ours]),
    ]
    for axes, (words, theirs, own) in zip(axes_of, columns, strict=False):
        if theirs:
            axes.plot(theirs, printed, **PRINTED)
        if own and look:
            axes.plot(own, ratios, **single(look))
        axes.set_yscale("log")
        log_x(axes)
        axes.set_xlabel(words)
    axes_of[0].set_ylabel("speedup")
    handles = [Line2D([], [], label="printed", **PRINTED)]
    if ours and look:
        handles.append(Line2D([], [], label=KERNEL, **single(look)))
    legend(figure, handles)
    by_density = rank_correlation(columns[0][1], printed)
    by_degree = rank_correlation(columns[1][1], printed)
    caption = (
        "Speedup of the seed's kernel over the matrix expression. Of the printed ten graphs "
        f"(crosses) it has the rank correlation {by_density:.2f} with the density, by which the "
        f"seed explains it, and {by_degree:.2f} with the mean degree: \\code{{delaunay\\_n22}} is "
        "twice as dense as \\code{delaunay\\_n23} and gains as much, \\code{fe\\_tooth} is the "
        "densest and gains less than three others. "
    )
    if ours:
        by_work = rank_correlation(columns[2][2], ratios) if len(ours) > 1 else None
        caption += (
            "Right: the products of the expression over the vertices and edges that the kernel "
            "visits" + (f" (rank correlation {by_work:.2f})" if by_work is not None else "") + ". "
        )
    used = [c for _, a, b in ours for c in (a, b)]
    caption += provenance(used) if used else "No graph was measured here with both."
    points = [Point(KERNEL, (a, b), f"machine={row.machine}") for row, a, b in ours]
    return [Drawn("triangles-density", caption, figure, points)]


def density(cell: Cell) -> float:
    return degree(cell) / cell.order


def degree(cell: Cell) -> float:
    return 2 * (cell.measure("edges") or 0) / cell.order


def products_each(cell: Cell) -> float:
    visited = cell.order + (cell.measure("edges") or 0)
    return (cell.measure("products") or 0) / visited


def split(report: Report) -> list[Drawn]:
    """Shares of preparation and count in the headline time, with that time."""
    drawings: list[Drawn] = []
    for machine in report.machines:
        part = section(report, machine, "triangles")
        if part is None:
            continue
        prepared = [
            (row, cell)
            for row in part.rows
            for name in part.algorithms
            if (cell := report.best(row, name)) and cell.prepares
        ]
        rows = [row for row in part.rows if any(row == other for other, _ in prepared)]
        figures: list[Page] = []
        for page in pages(rows) if rows else []:
            bars = [(row, cell) for row, cell in prepared if row in page]
            figure = style.new_figure(BAR_IN * len(bars) + 0.9)
            axes = figure.subplots()
            for y, (_, cell) in enumerate(bars):
                share = 100 * cell.cost.preparation / cell.seconds
                axes.barh(y, share, **PREPARATION)
                axes.barh(y, 100 - share, left=share, **COUNT)
                text = f"{significant(1e3 * cell.seconds)} ms"
                axes.annotate(text, (101, y), va="center", fontsize=7)
            labels = [f"{row_name(row, part.rows)}  {cell.algorithm}" for row, cell in bars]
            axes.set_yticks(range(len(bars)), labels)
            for label in axes.get_yticklabels():
                label.set_fontproperties(style.NAMES)
            axes.set_ylim(len(bars) - 0.5, -0.5)
            axes.set_xlim(0, 114)
            axes.set_xticks(range(0, 101, 20))
            axes.set_xlabel("% of preparation plus count")
            axes.grid(visible=False)
            legend(
                figure,
                [Patch(label="preparation", **PREPARATION), Patch(label="count", **COUNT)],
            )
            figures.append((figure, [Point(cell.algorithm, (cell,)) for _, cell in bars]))
        if figures:
            caption = (
                "Triangle counting: preparation and count as shares of the headline time, which "
                "stands at the right, for the algorithms that prepare. "
                f"{provenance([cell for _, cell in prepared], 'kernel_s', 'preprocess_s')}"
            )
            drawings += numbered(f"triangles-split-{machine}", caption, figures)
    return drawings


MAKERS = {
    "triangles-seed-figures": seed_figures,
    "triangles-density": explanations,
    "triangles-split": split,
}
