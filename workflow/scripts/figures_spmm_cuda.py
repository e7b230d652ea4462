"""SpMM on a GPU: rate against K for every kernel, a panel a matrix, under both bounds."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import style
from captions import provenance
from figures_measured import Drawn, handles_of, legend, looks_of, numbered
from figures_sweeps import chunks, draw_k, panels, rate_y, sweep_x
from frames import Cell, Report
from sections import section

GATHER_BYTES_PER_S = {"H200": 8.5e12}
"""Rows of a table in L2 gathered at random with index and value streamed beside them, as SpMM reads
X, measured on that GPU with rows of 128 to 256 bytes; by a word of the GPU's name."""


def gather_flops(gpu: str) -> float | None:
    """Flop/s when each entry's row of X comes from L2: 8 K bytes for 2 K flops, whatever K."""
    rate = next((rate for word, rate in GATHER_BYTES_PER_S.items() if word in gpu), None)
    return None if rate is None else 2 * rate / 8


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
    figures: list[Figure] = []
    bounds = [Line2D([], [], color="#808080", linewidth=1.6, label="copy bound")]
    gpu = next(
        (c.record["machine"]["gpu"] for r in rows for n in names if (c := report.best(r, n))), None
    )
    gather = gather_flops(str(gpu["name"])) if gpu else None
    if gather:
        bounds.append(
            Line2D([], [], color="#808080", linewidth=1.2, linestyle=":", label="gather bound")
        )
    for page in chunks(list(dict.fromkeys(r.matrix for r in rows))):
        figure, flat, left, low = panels(len(page))
        for axes, matrix in zip(flat, page, strict=True):
            used += draw_k(axes, report, [r for r in rows if r.matrix == matrix], names, looks)
            if gather:
                axes.axhline(gather / 1e9, color="#808080", linewidth=1.2, linestyle=":", zorder=1)
            sweep_x(axes, ks)
            rate_y(axes)
            style.name_title(axes, f"{matrix} ({report.matrix_class(matrix)})")
        for axes in left:
            axes.set_ylabel("GFLOP/s")
        for axes in low:
            axes.set_xlabel("$K$")
        legend(figure, [*handles_of(part, names, lines=True), *bounds])
        figures.append(figure)
    caption = (
        "SpMM on the GPU: rate of every kernel, each with its best parameters, against the number "
        "K of columns of X. The solid grey line is the rate at which the least traffic of the "
        "problem would move at the copy bandwidth"
        + (
            "; the dotted one that at which rows of X come from the L2 cache at the measured "
            f"{gather * 8 / 2 / 1e12:.1f}"
            r" \unit{\tera\byte\per\second}, which only reuse inside a multiprocessor passes"
            if gather
            else ""
        )
        + f". {provenance(used)}"
    )
    return numbered(f"spmm-k-cuda-{machine}", caption, figures)
