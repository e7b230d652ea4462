"""SpMM on a GPU: order of the seed's kernels then and now; the own kernel beside cuSPARSE."""

from __future__ import annotations

import math

from sparserepro.data import published
from sparserepro.data.calls import CALLS
from sparserepro.data.comparisons import Pair, for_few_calls, median_calls
from sparserepro.data.frames import Cell, Report, Row
from sparserepro.data.libraries import notes, over
from sparserepro.plots.spmm_cuda import device_names
from sparserepro.render.latex import (
    RAGGED,
    Column,
    Number,
    Table,
    Text,
    Value,
    code,
    escape,
    integer,
    listing,
    significant,
)
from sparserepro.stats import geometric_mean
from sparserepro.views.captions import VERDICTS, Gaps, across_notes, provenance, ratio_mark
from sparserepro.views.width import split

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
            caption=rf"Order of the seed's kernels by rate, 1 the fastest, for each K: on "
            rf"\code{{{escape(SEED_MATRIX)}}} in the raw results of the seed "
            r"\cite{capotombolo2023}, on a card that double precision arithmetic limits, and on "
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


def pair_of(report: Report, row: Row) -> Pair | None:
    """The own kernel and all of cuSPARSE on a row, where both have times."""
    cells = [c for n in report.algorithms("spmm") for c in report.cells_of(row, n)]
    cusparse = [c for c in cells if c.ok and c.algorithm.startswith("cusparse_")]
    if not cusparse or not any(c.ok for c in report.cells_of(row, OWN)):
        return None
    return Pair(report, row, OWN, tuple(cusparse))


def own_against_cusparse(report: Report) -> list[Table]:
    return [t for m in report.machines for t in own_against_cusparse_of(report, m)]


def own_against_cusparse_of(report: Report, machine: str) -> list[Table]:
    pairs: dict[tuple[str, int], Pair] = {}
    for row in report.rows(machine, "spmm"):
        pair, k = pair_of(report, row), row.value("k")
        if pair and isinstance(k, int):
            pairs[row.matrix, k] = pair
    if not pairs:
        return []
    ks = sorted({k for _, k in pairs})
    matrices = list(dict.fromkeys(matrix for matrix, _ in pairs))
    ratios = {key: pair.ratio for key, pair in pairs.items()}
    gaps = Gaps()
    losses: list[str] = []
    body: list[list[Value]] = []
    for matrix in matrices:
        line: list[Value] = [Text(code(matrix))]
        for k in ks:
            if (matrix, k) not in ratios:
                line.append(gaps.skipped("not in the measured grid"))
                continue
            ratio = ratios[matrix, k]
            sources = pairs[matrix, k].cells()
            line.append(Number(significant(ratio.value), mark=ratio_mark(ratio), sources=sources))
            if ratio.value < 1:
                losses.append(f"{code(matrix)} at K = {k}")
        body.append(line)
    foot = summary_rows(pairs, ks)
    several = [ratio.value for (_, k), ratio in ratios.items() if k >= 2]
    words = (
        f"Over all with K at least 2 the geometric mean is {significant(geometric_mean(several))}. "
        if several
        else ""
    )
    words += f"Slower: {listing(losses)}. " if losses else "It is slower nowhere. "
    ended = for_few_calls(pairs.values())
    few = f" (on {integer(ended)} rows it takes less for few calls alone)" if ended else ""
    peers = [pair.peer() for pair in pairs.values()]
    return split(
        Table(
            label=f"tab:spmm-cusparse-{machine}",
            caption=f"SpMM on the GPU: time of the best of {over(peers) or 'cuSPARSE'}, over all "
            "its algorithms, both layouts, with and without its analysis, and "
            rf"\code{{cusparseSpMV}} at K = 1, over that of {code(OWN)}, by K; of one execution, "
            "as in infinitely many calls, and in the last rows for fewer calls with the "
            "preparations counted, each against the best setting for that number; pays from: the "
            f"median number of calls from which ours takes less and stays ahead{few}. {words}"
            f"{VERDICTS}. {provenance([c for p in pairs.values() for c in (p.own(), p.peer())])}",
            columns=[Column("matrix", RAGGED + "{30mm}"), *[Column(str(k)) for k in ks]],
            body=body + foot,
            notes=gaps.notes()
            + notes(peers)
            + across_notes(report, machine, "spmm", ratios.values()),
            foot_rows=len(foot),
        ),
        fixed=1,
    )


def summary_rows(pairs: dict[tuple[str, int], Pair], ks: list[int]) -> list[list[Value]]:
    """Geometric means by K for each number of calls, and the median break-even."""
    by_k = {k: [pair for (_, at), pair in pairs.items() if at == k] for k in ks}
    rows: list[list[Value]] = []
    for calls in reversed(CALLS):
        words = f"mean, {calls:.0f} call{'s' * (calls > 1)}"
        line: list[Value] = [Text("geometric mean" if math.isinf(calls) else words)]
        for k in ks:
            values = [
                pair.ratio.value if math.isinf(calls) else pair.speedup(calls) for pair in by_k[k]
            ]
            sources = tuple(cell for pair in by_k[k] for cell in pair.cells(calls))
            line.append(Number(significant(geometric_mean(values)), sources=sources))
        rows.append(line)
    pays: list[Value] = [Text("pays from")]
    for k in ks:
        typical = median_calls(by_k[k])
        every = tuple(cell for pair in by_k[k] for cell in pair.every)
        pays.append(Text("--" if math.isinf(typical) else f"{typical:.0f}", every))
    return [*rows, pays]
