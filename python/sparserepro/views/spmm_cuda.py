"""SpMM on a GPU: the best own algorithm beside cuSPARSE, by K."""

from __future__ import annotations

import math

from sparserepro.data.calls import CALLS
from sparserepro.data.comparisons import Pair, compared, for_few_calls, median_calls
from sparserepro.data.frames import Report
from sparserepro.data.libraries import notes, over
from sparserepro.render.latex import code, count, integer, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value, names
from sparserepro.stats import geometric_mean
from sparserepro.views.captions import VERDICTS, Gaps, across_notes, provenance, ratio_mark
from sparserepro.views.pairs import own_names
from sparserepro.views.view import View


def own_by_k(report: Report) -> list[Table]:
    return [t for m in report.machines for t in own_by_k_of(report, m)]


def own_by_k_of(report: Report, machine: str) -> list[Table]:
    pairs = {
        (pair.row.matrix, k): pair
        for pair in compared(report, machine, "spmm", "device")
        if isinstance(k := pair.row.value("k"), int)
    }
    if not pairs:
        return []
    own = own_names(pairs.values())
    ks = sorted({k for _, k in pairs})
    matrices = list(dict.fromkeys(matrix for matrix, _ in pairs))
    ratios = {key: pair.ratio for key, pair in pairs.items()}
    gaps = Gaps()
    losses = 0
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
                losses += 1
        body.append(line)
    foot = summary_rows(pairs, ks)
    several = [ratio.value for (_, k), ratio in ratios.items() if k >= 2]
    words = (
        f"Over all with K at least 2 the geometric mean is {significant(geometric_mean(several))}. "
        if several
        else ""
    )
    where = f"on {integer(losses)} of {count(len(ratios), 'row')}" if losses else "nowhere"
    words += f"It is slower {where}. "
    ended = for_few_calls(pairs.values())
    few = f" (on {integer(ended)} rows it takes less for few calls alone)" if ended else ""
    peers = [pair.peer() for pair in pairs.values()]
    return [
        Table(
            label=f"tab:spmm-cusparse-{machine}",
            title=f"SpMM on {code(machine)}: {own} and cuSPARSE",
            caption=f"SpMM on the GPU: time of the best of {over(peers) or 'cuSPARSE'}, over all "
            "its algorithms, both layouts, with and without its analysis, and "
            rf"\code{{cusparseSpMV}} at K = 1, over that of {own}, by K; of one execution, "
            "as in infinitely many calls, and in the last rows for fewer calls with the "
            "preparations counted, each against the best setting for that number; pays from: the "
            f"median number of calls from which ours takes less and stays ahead{few}. {words}"
            f"{VERDICTS}. {provenance([c for p in pairs.values() for c in (p.own(), p.peer())])}",
            columns=[
                names("matrix", (line[0] for line in body + foot)),
                *[Column(str(k)) for k in ks],
            ],
            body=body + foot,
            notes=gaps.notes()
            + notes(peers)
            + across_notes(report, machine, "spmm", ratios.values()),
            foot_rows=len(foot),
        )
    ]


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


VIEWS = (View("spmm-cusparse", "spmm", own_by_k),)
