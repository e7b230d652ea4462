"""Speedups of OpenMP algorithms over themselves with one thread."""

from __future__ import annotations

from functools import partial

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from sparserepro.data.frames import PROBLEMS, Cell, Report, Row
from sparserepro.data.traces import Point
from sparserepro.plots import style
from sparserepro.plots.dots import dot_rows, row_name
from sparserepro.plots.measured import handles_of, legend, looks_of, plain
from sparserepro.plots.pages import Drawn, Maker, Page, numbered, of_this_run, pages
from sparserepro.plots.sweeps import chunks, fastest_by, panels, sweep_x
from sparserepro.render.latex import listing
from sparserepro.stats import Ratio
from sparserepro.views.captions import across_words, provenance
from sparserepro.views.sections import Section, section


def threads(report: Report, problem: str) -> list[Drawn]:
    """Speedup of each OpenMP algorithm over itself with one thread, a panel a row."""
    parts = (section(report, machine, problem) for machine in report.machines)
    return [drawn for part in parts if part for drawn in threads_of(part)]


def thread_cells(part: Section, row: Row, name: str) -> dict[int, Cell]:
    """The algorithm's fastest cell for each thread count, when there is one for one thread."""
    found = fastest_by(part, row, name, "threads")
    return found if 1 in found and len(found) > 1 else {}


def threads_of(part: Section) -> list[Drawn]:
    names = [a for a in part.algorithms if any(thread_cells(part, r, a) for r in part.rows)]
    rows = [r for r in part.rows if any(thread_cells(part, r, a) for a in names)]
    if not names:
        return []
    most = max(len(thread_cells(part, r, a)) for r in rows for a in names)
    if most < 3:
        return thread_dots(part, rows, names)
    looks = looks_of(part.report, part.problem)
    figures: list[Page] = []
    used: list[Cell] = []
    for page in chunks(rows):
        figure, flat, left, low = panels(len(page))
        points: list[Point] = []
        for axes, row in zip(flat, page, strict=True):
            counts: set[int] = set()
            for name in names:
                cells = thread_cells(part, row, name)
                used += cells.values()
                counts |= set(cells)
                ratios = [cells[1].seconds / c.seconds for c in cells.values()]
                points += [Point(name, (cells[1], c), f"threads={n}") for n, c in cells.items()]
                axes.plot(list(cells), ratios, **looks[name].line(3.5))
            every = sorted(counts)
            axes.plot(every, every, color="#808080", linewidth=1.2, zorder=1)
            sweep_x(axes, every)
            axes.set_yscale("log", base=2)
            axes.yaxis.set_major_formatter(FuncFormatter(plain))
            axes.yaxis.set_minor_locator(NullLocator())
            style.name_title(axes, row_name(row, part.rows))
        for axes in left:
            axes.set_ylabel("speedup")
        for axes in low:
            axes.set_xlabel("threads")
        ideal = Line2D([], [], color="#808080", linewidth=1.2, label="ideal")
        legend(figure, [*handles_of(part, names, lines=True), ideal])
        figures.append((figure, points))
    caption = (
        f"{part.title}: speedup of each OpenMP algorithm over itself with one thread. "
        f"{provenance(used)}"
    )
    return numbered(f"{part.problem}-threads-{part.machine}", caption, figures)


def thread_dots(part: Section, rows: list[Row], names: list[str]) -> list[Drawn]:
    """The same for two thread counts, between which there is no curve: a dot a row."""
    looks = looks_of(part.report, part.problem)
    figures: list[Page] = []
    used: list[Cell] = []
    counts: set[int] = set()
    ratios: list[Ratio] = []
    for page in pages(rows):
        dots = dot_rows(part, {r: [a for a in names if thread_cells(part, r, a)] for r in page})
        figure, axes = dots.figure, dots.axes
        points: list[Point] = []
        for row, own in dots.marked.items():
            for name in own:
                cells = thread_cells(part, row, name)
                used += cells.values()
                for n in list(cells)[1:]:
                    counts.add(n)
                    ratio = part.report.ratio(cells[1], cells[n])
                    points.append(Point(name, (cells[1], cells[n]), f"threads={n}"))
                    ratios.append(ratio)
                    at, look = dots.at(row, name), looks[name]
                    if ratio.low is not None and ratio.high is not None:
                        axes.plot([ratio.low, ratio.high], [at, at], color=look.colour)
                    axes.plot([ratio.value], [at], linestyle="none", **look.marks())
        axes.axvline(1, color="black", linewidth=0.9)
        axes.axvline(max(counts), color="#808080", linewidth=1.2)
        axes.set_xlabel("speedup over one thread")
        legend(figure, handles_of(part, names))
        figures.append((figure, points))
    caption = (
        f"{part.title}: speedup of each OpenMP algorithm with {listing([str(n) for n in counts])} "
        "threads over itself with one, with its conservative interval; black line: no gain, grey "
        f"line: ideal.{across_words(ratios)} {provenance(used)}"
    )
    return numbered(f"{part.problem}-threads-{part.machine}", caption, figures)


MAKERS: dict[str, Maker] = {
    f"{problem}-threads": of_this_run(partial(threads, problem=problem)) for problem in PROBLEMS
}
