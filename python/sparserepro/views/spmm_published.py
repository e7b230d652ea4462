"""Rates of the SpMM seed's repository, beside ours."""

from __future__ import annotations

from sparserepro.data import published
from sparserepro.data.frames import (
    Cell,
    Report,
    fastest,
)
from sparserepro.render.latex import code, escape, significant
from sparserepro.render.tabular import WORDS, Column, Number, Table, Text, Value
from sparserepro.views.captions import (
    Gaps,
    provenance,
)
from sparserepro.views.published import because
from sparserepro.views.view import View


def spmm_gflops(report: Report) -> list[Table]:
    """GFLOP/s by K of the SpMM seed's repository, and of the counterparts here."""
    lines = published.read("spmm-gflops")
    ks = sorted({int(line["k"]) for line in lines})
    kernels = list(dict.fromkeys((x["device"], x["kernel"], x["counterpart"]) for x in lines))
    gaps = Gaps()
    used: list[Cell] = []
    body: list[list[Value]] = []
    for device, kernel, counterpart in kernels:
        own = {int(x["k"]): x for x in lines if (x["device"], x["kernel"]) == (device, kernel)}
        printed: list[Value] = [
            Number(own[k]["gflops"]) if k in own else gaps.skipped("not printed") for k in ks
        ]
        name = code(kernel) if "(" not in kernel else escape(kernel)
        matrix = next(iter(own.values()))["matrix"]
        ours = [spmm_here(report, matrix, counterpart, k, gaps, used) for k in ks]
        body.append([Text(device.upper()), Text(name), *printed, *ours])
    return [
        Table(
            label="tab:spmm-printed",
            title="SpMM: rates of the seed",
            caption=r"SpMM on \code{ML\_Laplace} in \unit{\giga\flop\per\second} by K: the raw "
            r"results in the repository of the seed \cite{capotombolo2023}, and this project's "
            "algorithm for the same kernel. Printed figures are of another machine and enter "
            f"no ratio. {provenance(used)}",
            columns=[
                Column("", "l"),
                Column("seed's kernel", WORDS),
                *[Column(str(k)) for k in (*ks, *ks)],
            ],
            body=body,
            notes=gaps.notes(),
            groups=[("", 2), ("printed", len(ks)), ("measured here", len(ks))],
        )
    ]


def spmm_here(
    report: Report, matrix: str, algorithm: str, k: int, gaps: Gaps, used: list[Cell]
) -> Value:
    if not algorithm:
        return gaps.skipped("no counterpart here")
    cells = report.select(problem="spmm", matrix=matrix, algorithm=algorithm, ok=True)
    best = fastest([c for c in cells if c.row.is_plain and c.row.value("k") == k])
    if best is None:
        facts = report.matrices.get(matrix)
        if facts is None:
            return gaps.skipped("the matrix is not in this configuration")
        return gaps.skipped(facts.get("unavailable") or because(report, "spmm", algorithm))
    used.append(best)
    rate = best.flops / best.seconds / 1e9
    return Number(significant(rate), sources=(best,))


VIEWS = (View("spmm-published", "spmm", spmm_gflops),)
