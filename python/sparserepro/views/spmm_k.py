"""SpMM: the rate of the fastest algorithm by the number of columns of X."""

from __future__ import annotations

from sparserepro.data.frames import (
    Cell,
    Report,
    fastest,
)
from sparserepro.render.latex import code, escape, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.views.captions import (
    Gaps,
    provenance,
)
from sparserepro.views.view import View


def k_sweep(report: Report) -> list[Table]:
    """GFLOP/s of the fastest algorithm by matrix and K."""
    return [table for m in report.machines for table in k_sweep_of(report, m)]


def k_sweep_of(report: Report, machine: str) -> list[Table]:
    rows = report.rows(machine, "spmm")
    ks = sorted({k for r in rows if isinstance(k := r.value("k"), int)})
    if len(ks) < 2:
        return []
    names = report.algorithms("spmm")
    gaps = Gaps()
    used: list[Cell] = []
    body: list[list[Value]] = []
    for matrix in dict.fromkeys(r.matrix for r in rows):
        line: list[Value] = [Text(code(matrix)), Text(escape(report.matrix_class(matrix)))]
        for k in ks:
            own = [r for r in rows if r.matrix == matrix and r.value("k") == k]
            best = fastest([c for r in own for n in names for c in report.cells_of(r, n) if c.ok])
            if best is None:
                line.append(gaps.skipped("not in the measured grid"))
                continue
            used.append(best)
            flops = best.flops
            rate = significant(flops / best.seconds / 1e9)
            line.append(Number(rate, sources=(best,)))
        body.append(line)
    return [
        Table(
            label=f"tab:spmm-k-{machine}",
            title=f"SpMM on {code(machine)}: rate by the number of columns",
            caption=r"SpMM: rate in \unit{\giga\flop\per\second} of the fastest algorithm, by the "
            f"number K of columns of X. {provenance(used)}",
            columns=[
                Column("matrix", "l"),
                Column("class", "l"),
                *[Column(rf"$K = {k}$") for k in ks],
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]


VIEWS = (View("spmm-k", "spmm", k_sweep),)
