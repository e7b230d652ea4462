"""Figures of one problem on one machine: times, speedups, performance profiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, ScalarFormatter

from sparserepro.data.frames import PROBLEMS, Cell, Report, Row
from sparserepro.data.libraries import over
from sparserepro.data.traces import Point
from sparserepro.plots import style
from sparserepro.plots.dots import dot_rows
from sparserepro.plots.pages import Drawn, Maker, Page, numbered, pages
from sparserepro.ranks import performance_profile
from sparserepro.views.captions import across_words, provenance
from sparserepro.views.measured import calls_words, timed
from sparserepro.views.sections import Section, baseline_words, rival_groups, section

COPY_BOUND = "copy bound"


def of_problem(
    maker: Callable[[Section], list[Drawn]], problem: str, report: Report
) -> list[Drawn]:
    """Of machines of sets the speedups alone, where this run has a machine of its own."""
    shown = report if maker is speedups else report.of_this_run()
    parts = (section(shown, machine, problem) for machine in shown.machines)
    return [drawn for part in parts if part for drawn in maker(part)]


def looks_of(report: Report, problem: str) -> dict[str, style.Look]:
    peers = {c.algorithm for c in report.select(problem=problem) if c.peer}
    return style.looks(report.algorithms(problem), sorted(peers))


def plain(value: float, _: int | None = None) -> str:
    return f"{value:g}"


def legend(figure: Figure, handles: list[Any], columns: int | None = None) -> None:
    """Above the panels, over the whole width, as many columns as the names allow."""
    longest = max(len(str(h.get_label())) for h in handles)
    fit = max(1, min(len(handles), int(118 / (longest + 8))))
    figure.legend(
        handles=handles, loc="outside upper center", ncols=columns or fit, prop=style.NAMES
    )


def handles_of(part: Section, algorithms: list[str], lines: bool = False) -> list[Line2D]:
    looks = looks_of(part.report, part.problem)
    blank = {"linestyle": "none"}
    return [
        Line2D([], [], label=a, **(looks[a].line() if lines else looks[a].marks() | blank))
        for a in algorithms
    ]


def log_x(axes: Any) -> None:
    """A log axis over all that is drawn: decades, and numbers between them when it is short."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    if high / low < 30:
        subs = (1, 1.2, 1.5, 2, 3, 4, 5, 6, 8) if high / low < 4 else (1, 2, 5)
        axes.xaxis.set_major_locator(LogLocator(subs=subs))
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.xaxis.set_minor_formatter(NullFormatter())


def times(part: Section) -> list[Drawn]:
    """Median and interval of each algorithm on each row, with the copy bound."""
    looks = looks_of(part.report, part.problem)
    figures: list[Page] = []
    for rows in pages(part.rows):
        points: list[Point] = []
        found = {row: part.report.measured([row], part.algorithms) for row in rows}
        dots = dot_rows(part, {row: names for row, names in found.items() if names})
        figure, axes = dots.figure, dots.axes
        bounded = False
        for row, names in dots.marked.items():
            bounds: list[tuple[float, Cell]] = []
            for name in names:
                cell = part.report.best(row, name)
                if cell is None:
                    continue
                draw_interval(axes, cell, dots.at(row, name), looks[name])
                points.append(Point(name, (cell,)))
                if (bound := cell.bound_seconds) is not None:
                    bounds.append((bound, cell))
            if bounds:
                bounded = True
                least, cell = min(bounds, key=lambda pair: pair[0])
                points.append(Point(COPY_BOUND, (cell,)))
                y, half = dots.places[row], 0.42 * dots.heights[row]
                axes.plot([least] * 2, [y - half, y + half], color="black", linewidth=1.2)
        log_x(axes)
        axes.set_xlabel("seconds")
        handles = handles_of(part, part.algorithms)
        if bounded:
            mark: dict[str, Any] = {
                "marker": "|",
                "markersize": 8,
                "markeredgewidth": 1.2,
                "linestyle": "none",
            }
            handles.append(Line2D([], [], color="black", label=COPY_BOUND, **mark))
        legend(figure, handles)
        figures.append((figure, points))
    caption = (
        f"{part.title}: {timed(part)}, each algorithm at its fastest parameters, with the interval "
        "of the median where it is wider than the marker. The bar is the least of the copy bounds "
        f"of the row. {provenance(part.cells)}{hollow(part.cells)}"
    )
    return numbered(f"{part.problem}-times-{part.machine}", caption, figures)


def hollow(cells: Sequence[Cell]) -> str:
    """What hollow markers mean, with the versions of the libraries."""
    versions = over(c for c in cells if c.peer)
    return (
        f" Hollow: third-party library{versions and ': '}{versions}."
        if any(c.peer for c in cells)
        else ""
    )


def draw_interval(axes: Any, cell: Cell, y: float, look: style.Look) -> None:
    low, high = cell.kernel.ends
    axes.plot([low, high], [y, y], color=look.colour, linewidth=0.9)
    axes.plot([cell.seconds], [y], linestyle="none", **look.marks())


def speedups(part: Section) -> list[Drawn]:
    """Speedup against the serial baseline, with the interval of the ratio."""
    report, looks = part.report, looks_of(part.report, part.problem)
    compared = [
        a
        for a in part.algorithms
        if any((b := report.baseline(r, a)) and b.algorithm != a for r in part.rows)
    ]
    known = [r for r in part.rows if any(report.speedup(r, a) for a in compared)]
    if not known:
        return []
    figures: list[Page] = []
    for rows in pages(known):
        points: list[Point] = []
        dots = dot_rows(part, {r: [a for a in compared if report.speedup(r, a)] for r in rows})
        figure, axes = dots.figure, dots.axes
        for row, names in dots.marked.items():
            for name in names:
                ratio = report.speedup(row, name)
                if ratio is None:
                    continue
                points.append(Point(name, report.compared(row, name)))
                at, look = dots.at(row, name), looks[name]
                if ratio.low is not None and ratio.high is not None:
                    axes.plot([ratio.low, ratio.high], [at, at], color=look.colour, linewidth=0.9)
                axes.plot([ratio.value], [at], linestyle="none", **look.marks())
        axes.axvline(1, color="black", linewidth=0.9)
        log_x(axes)
        axes.set_xlabel("speedup against the serial baseline")
        legend(figure, handles_of(part, compared))
        figures.append((figure, points))
    caption = (
        f"{part.title}: speedup against {baseline_words(part)} (the line at 1), with its "
        f"conservative interval{calls_words(part)}."
        f"{across_words([report.speedup(r, a) for r in known for a in compared])} "
        f"{provenance(part.cells)}{hollow(part.cells)}"
    )
    return numbered(f"{part.problem}-speedup-{part.machine}", caption, figures)


def profile(part: Section) -> list[Drawn]:
    """Dolan and More's performance profile over the rows."""
    groups = rival_groups(part)
    if len(part.rows) < 3 or not groups:
        return []
    looks = looks_of(part.report, part.problem)
    figure = style.new_figure(2.1 + 0.16 * (len(part.algorithms) // 3 + 1))
    grid = figure.subplots(1, len(groups), squeeze=False, sharey=True)
    for axes, (title, algorithms) in zip(grid.flat, groups.items(), strict=True):
        rows = [r for r in part.rows if len(part.report.measured([r], algorithms)) > 1]
        draw_profile(axes, part, rows, algorithms, looks)
        axes.set_title(f"{title} ({len(rows)} rows)".strip())
        axes.set_xlabel(r"$\tau$: time over the least time")
    grid[0][0].set_ylabel("share of the rows")
    legend(figure, handles_of(part, part.algorithms, lines=True))
    caption = (
        f"{part.title}: performance profile. For each algorithm, the share of the rows on which "
        "its time is at most $\\tau$ times the least. The rows are those with times of two "
        "algorithms of the panel or more; one on which an algorithm has no time counts as never "
        "reached. Only the uppermost curve ranks. "
        f"{provenance(part.cells)}{hollow(part.cells)}"
    )
    points = [
        Point(name, (cell,))
        for name in part.algorithms
        for row in part.rows
        if (cell := part.report.best(row, name)) and cell.ok
    ]
    return [Drawn(f"{part.problem}-profile-{part.machine}", caption, figure, points)]


def draw_profile(
    axes: Any,
    part: Section,
    rows: list[Row],
    algorithms: list[str],
    looks: dict[str, style.Look],
) -> None:
    def seconds(row: Row, name: str) -> float | None:
        cell = part.report.best(row, name)
        return cell.seconds if cell and cell.ok else None

    columns = {a: [seconds(row, a) for row in rows] for a in algorithms}
    profiles = performance_profile(columns)
    worst = max((steps[-1][0] for steps in profiles.values() if steps), default=1.0)
    end = max(worst * 1.1, 1.2)
    for name, steps in profiles.items():
        taus = [1.0, *[tau for tau, _ in steps], end]
        shares = [0.0, *[share for _, share in steps]]
        shares.append(shares[-1])
        look = looks[name]
        every = max(1, len(taus) // 6)
        axes.plot(taus, shares, drawstyle="steps-post", markevery=every, **look.line(3.5))
    axes.set_xscale("log")
    axes.set_xlim(1, end)
    axes.set_ylim(0, 1.03)
    if end < 30:
        subs = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8) if end < 4 else (1, 1.5, 2, 3, 5)
        axes.xaxis.set_major_locator(LogLocator(subs=subs))
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(ScalarFormatter())


KINDS: dict[str, Callable[[Section], list[Drawn]]] = {
    "times": times,
    "speedup": speedups,
    "profile": profile,
}

MAKERS: dict[str, Maker] = {
    f"{problem}-{kind}": partial(of_problem, maker, problem)
    for problem in PROBLEMS
    for kind, maker in KINDS.items()
}
