"""Order of the SpMM seed's kernels on a GPU, then and now."""

from __future__ import annotations

from sparserepro.data import published
from sparserepro.data.frames import (
    Cell,
    Report,
)
from sparserepro.plots.spmm_cuda import device_names
from sparserepro.render.latex import code, escape
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.views.captions import (
    Gaps,
    provenance,
)
from sparserepro.views.view import View

SEED_MATRIX = "ML_Laplace"


def ranks(rates: dict[str, float]) -> dict[str, int]:
    """1 for the highest rate."""
    order = sorted(rates, key=lambda name: -rates[name])
    return {name: place for place, name in enumerate(order, start=1)}


def fem_matrix(report: Report, machine: str, names: list[str]) -> str | None:
    """The seed's matrix when it was measured, else the largest of the class fem."""
    measured = {
        r.matrix: report.facts_of(r)["stored"] or 0
        for r in report.rows(machine, "spmm")
        if any((c := report.best(r, n)) and c.ok for n in names)
        and (r.matrix == SEED_MATRIX or report.matrix_class(r.matrix) == "fem")
    }
    if SEED_MATRIX in measured:
        return SEED_MATRIX
    return max(measured, key=lambda name: measured[name], default=None)


def ranking(report: Report) -> list[Table]:
    return [t for m in report.machines for t in ranking_of(report, m)]


def ranking_of(report: Report, machine: str) -> list[Table]:
    lines = [x for x in published.read("spmm-gflops") if x["device"] == "gpu" and x["counterpart"]]
    kernels = {x["counterpart"]: x["kernel"] for x in lines}
    ks = sorted({int(x["k"]) for x in lines})
    names = [n for n in device_names(report, machine) if n in kernels]
    matrix = fem_matrix(report, machine, names)
    if matrix is None or len(names) < 2:
        return []
    rows = {r.value("k"): r for r in report.rows(machine, "spmm") if r.matrix == matrix}
    used: list[Cell] = []
    then = {
        k: ranks({x["counterpart"]: float(x["gflops"]) for x in lines if int(x["k"]) == k})
        for k in ks
    }
    now: dict[int, dict[str, int]] = {}
    sources: dict[int, tuple[Cell, ...]] = {}
    for k in ks:
        found = {n: c for n in kernels if k in rows and (c := report.best(rows[k], n)) and c.ok}
        used += found.values()
        sources[k] = tuple(found.values())
        now[k] = ranks({n: 1 / c.seconds for n, c in found.items()})
    gaps = Gaps()

    def place(found: dict[str, int], name: str, cells: tuple[Cell, ...] = ()) -> Value:
        if name not in found:
            return gaps.skipped("no time")
        return Number(str(found[name]), sources=cells)

    body: list[list[Value]] = [
        [
            Text(code(kernel)),
            *[place(then[k], name) for k in ks],
            *[place(now[k], name, sources[k]) for k in ks],
        ]
        for name, kernel in kernels.items()
    ]
    return [
        Table(
            label=f"tab:spmm-ranking-{machine}",
            title=f"SpMM on {code(machine)}: order of the seed's kernels",
            caption=rf"Order of the seed's kernels by rate, 1 the fastest, for each K: on "
            rf"\code{{{escape(SEED_MATRIX)}}} in the raw results of the seed "
            r"\cite{capotombolo2023}, on a card that double precision arithmetic limits, and on "
            rf"{code(matrix)} here, where memory and caches do. {provenance(used)}",
            columns=[
                Column("seed's kernel", "l"),
                *[Column(str(k)) for k in (*ks, *ks)],
            ],
            body=body,
            notes=gaps.notes(),
            groups=[("", 1), ("then", len(ks)), ("here", len(ks))],
        )
    ]


VIEWS = (View("spmm-ranking", "spmm", ranking),)
