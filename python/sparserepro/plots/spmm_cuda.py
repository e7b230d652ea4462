"""SpMM on a GPU: rate against K for every kernel, a panel a matrix, with copy bound and gathers."""

from __future__ import annotations

from matplotlib.lines import Line2D

from sparserepro.data.comparisons import compared
from sparserepro.data.frames import Cell, Report
from sparserepro.data.traces import Point
from sparserepro.plots import style
from sparserepro.plots.measured import COPY_BOUND, handles_of, hollow, legend, looks_of
from sparserepro.plots.pages import Drawn, Page, numbered
from sparserepro.plots.sweeps import chunks, draw_k, panels, rate_points, rate_y, sweep_x
from sparserepro.views.captions import provenance
from sparserepro.views.sections import section


def gather_rate(cell: Cell) -> float:
    """Flop/s at which gathers of X alone would end; 0 where no record has it."""
    second = cell.second_bound
    return cell.flops / second[1] if second and second[0] == "gather" else 0.0


def gather_cells(cells: list[Cell]) -> list[Cell]:
    """Of each K in ascending order, the cell of the highest such rate."""
    best: dict[int, Cell] = {}
    for cell in cells:
        k = cell.row.value("k")
        if gather_rate(cell) and isinstance(k, int):
            best[k] = max(best.get(k, cell), cell, key=gather_rate)
    return [cell for _, cell in sorted(best.items())]


def gather_rates(cells: list[Cell]) -> dict[int, float]:
    return {int(c.row.value("k") or 0): gather_rate(c) for c in gather_cells(cells)}


def calls_reference(report: Report, machine: str) -> str:
    """Where the figures for fewer calls are, when something prepares."""
    pairs = compared(report, machine, "spmm", "device")
    if not any(pair.prepares for pair in pairs):
        return ""
    table = rf"\cref{{tab:spmm-calls-device-{machine}}}"
    return f"; with the preparation counted, 1, 10 and 100 calls are in {table}"


def device_names(report: Report, machine: str) -> list[str]:
    """The CUDA algorithms with a time, in the catalogue's order."""
    cells = report.select(machine=machine, problem="spmm", backend="cuda", ok=True)
    found = {c.algorithm for c in cells}
    return [name for name in report.algorithms("spmm") if name in found]


def k_curves(report: Report) -> list[Drawn]:
    return [drawn for m in report.machines for drawn in k_curves_of(report, m)]


def k_curves_of(report: Report, machine: str) -> list[Drawn]:
    rows = report.rows(machine, "spmm")
    names = device_names(report, machine)
    rows = [r for r in rows if any((c := report.best(r, n)) and c.ok for n in names)]
    ks = sorted({k for r in rows if isinstance(k := r.value("k"), int)})
    part = section(report, machine, "spmm")
    if len(ks) < 2 or part is None:
        return []
    looks = looks_of(report, "spmm")
    used: list[Cell] = []
    figures: list[Page] = []
    bounds = [Line2D([], [], color="#808080", linewidth=1.6, label=COPY_BOUND)]
    every = [c for r in rows for n in names if (c := report.best(r, n)) and c.ok]
    gather = bool(gather_rates(every))
    if gather:
        bounds.append(
            Line2D([], [], color="#808080", linewidth=1.2, linestyle=":", label="gathers")
        )
    for page in chunks(list(dict.fromkeys(r.matrix for r in rows))):
        figure, flat, left, low = panels(len(page))
        points: list[Point] = []
        for axes, matrix in zip(flat, page, strict=True):
            drawn = draw_k(axes, report, [r for r in rows if r.matrix == matrix], names, looks)
            used += drawn
            points += rate_points(drawn)
            points += [Point("gathers", (cell,)) for cell in gather_cells(drawn)]
            if rates := gather_rates(drawn):
                bound = [rate / 1e9 for rate in rates.values()]
                axes.plot(
                    list(rates), bound, color="#808080", linewidth=1.2, linestyle=":", zorder=1
                )
            sweep_x(axes, ks)
            rate_y(axes)
            style.name_title(axes, f"{matrix} ({report.matrix_class(matrix)})")
        for axes in left:
            axes.set_ylabel("GFLOP/s")
        for axes in low:
            axes.set_xlabel("$K$")
        legend(figure, [*handles_of(part, names, lines=True), *bounds])
        figures.append((figure, points))
    caption = (
        "SpMM on the GPU: rate of every kernel, each with its best parameters, against the number "
        "K of columns of X. Rates are of one execution, as in infinitely many calls"
        f"{calls_reference(report, machine)}. The solid grey line is the rate at which the least "
        "traffic of the problem would move at the copy bandwidth"
        + (
            "; the dotted one that at which the rows of X are gathered at the measured rates of "
            "the caches and of the memory"
            if gather
            else ""
        )
        + f". {provenance(used)}{hollow(used)}"
    )
    return numbered(f"spmm-k-cuda-{machine}", caption, figures)


MAKERS = {"spmm-k-cuda": k_curves}
