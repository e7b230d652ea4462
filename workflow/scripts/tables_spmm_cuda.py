"""SpMM on a GPU: order of the seed's kernels then and now; the own kernel beside cuSPARSE."""

from __future__ import annotations

import published
from captions import Gaps, provenance
from figures_spmm_cuda import device_names
from frames import Cell, Report, Row
from latex import RAGGED, Column, Number, Table, Text, Value, code, escape, listing, significant
from stats import geometric_mean, speedup

OWN = "cuda_csr_balanced"
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
    for k in ks:
        found = {n: c for n in kernels if k in rows and (c := report.best(rows[k], n)) and c.ok}
        used += found.values()
        now[k] = ranks({n: 1 / c.seconds for n, c in found.items()})
    gaps = Gaps()

    def place(found: dict[str, int], name: str) -> Value:
        return Number(str(found[name])) if name in found else gaps.skipped("no time")

    body: list[list[Value]] = [
        [
            Text(code(kernel)),
            *[place(then[k], name) for k in ks],
            *[place(now[k], name) for k in ks],
        ]
        for name, kernel in kernels.items()
    ]
    return [
        Table(
            label=f"tab:spmm-ranking-{machine}",
            caption=rf"Order of the seed's kernels by rate, 1 the fastest, for each K: on "
            rf"\code{{{escape(SEED_MATRIX)}}} in the raw results of the seed "
            r"\cite{ludovico2023}, on a card that double precision arithmetic limits, and on "
            rf"{code(matrix)} here, where memory and caches do. {provenance(used)}",
            columns=[
                Column("seed's kernel", RAGGED + "{50mm}"),
                *[Column(str(k)) for k in (*ks, *ks)],
            ],
            body=body,
            notes=gaps.notes(),
            groups=[("", 1), ("then", len(ks)), ("here", len(ks))],
        )
    ]


def best_of_cusparse(report: Report, row: Row) -> Cell | None:
    cells = (report.best(row, n) for n in report.algorithms("spmm") if n.startswith("cusparse_"))
    return min((c for c in cells if c and c.ok), key=lambda c: c.seconds, default=None)


def own_against_cusparse(report: Report) -> list[Table]:
    return [t for m in report.machines for t in own_against_cusparse_of(report, m)]


def own_against_cusparse_of(report: Report, machine: str) -> list[Table]:
    pairs: dict[tuple[str, int], tuple[Cell, Cell]] = {}
    for row in report.rows(machine, "spmm"):
        own, peer, k = report.best(row, OWN), best_of_cusparse(report, row), row.value("k")
        if own and own.ok and peer and isinstance(k, int):
            pairs[row.matrix, k] = own, peer
    if not pairs:
        return []
    ks = sorted({k for _, k in pairs})
    matrices = list(dict.fromkeys(matrix for matrix, _ in pairs))
    ratio = {key: speedup(peer.kernel, own.kernel).value for key, (own, peer) in pairs.items()}
    gaps = Gaps()
    losses: list[str] = []
    body: list[list[Value]] = []
    for matrix in matrices:
        line: list[Value] = [Text(code(matrix))]
        for k in ks:
            if (matrix, k) not in ratio:
                line.append(gaps.skipped("not in the measured grid"))
                continue
            line.append(Number(significant(ratio[matrix, k])))
            if ratio[matrix, k] < 1:
                losses.append(f"{code(matrix)} at K = {k}")
        body.append(line)
    means: list[Value] = [Text("geometric mean")]
    for k in ks:
        means.append(
            Number(significant(geometric_mean([v for (_, at), v in ratio.items() if at == k])))
        )
    body.append(means)
    several = [v for (_, k), v in ratio.items() if k >= 2]
    words = (
        f"Over all with K at least 2 the geometric mean is {significant(geometric_mean(several))}. "
        if several
        else ""
    )
    words += f"Slower: {listing(losses)}. " if losses else "It is slower nowhere. "
    return [
        Table(
            label=f"tab:spmm-cusparse-{machine}",
            caption="SpMM on the GPU: time of the best of cuSPARSE, over all its algorithms, both "
            r"layouts, with and without its analysis, and \code{cusparseSpMV} at K = 1, over that "
            f"of {code(OWN)}, by K. {words}{provenance([c for p in pairs.values() for c in p])}",
            columns=[Column("matrix", RAGGED + "{38mm}"), *[Column(str(k)) for k in ks]],
            body=body,
            notes=gaps.notes(),
        )
    ]
