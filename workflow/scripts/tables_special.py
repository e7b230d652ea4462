"""Tables that one problem alone has: SpMM's sweep over K, ELLPACK's padding, triangle counts."""

from __future__ import annotations

import published
from captions import Gaps, provenance
from frames import Cell, Report
from latex import (
    RAGGED,
    Column,
    Number,
    Table,
    Text,
    Value,
    code,
    escape,
    integer,
    scientific,
    significant,
)
from sections import headline_k


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
            cells = [c for r in own for n in names if (c := report.best(r, n)) and c.ok]
            if not cells:
                line.append(gaps.skipped("not in the measured grid"))
                continue
            best = min(cells, key=lambda c: c.seconds)
            used.append(best)
            flops = best.record["model"]["flops"]
            line.append(Number(significant(flops / best.seconds / 1e9)))
        body.append(line)
    return [
        Table(
            label=f"tab:spmm-k-{machine}",
            caption=r"SpMM: rate in \unit{\giga\flop\per\second} of the fastest algorithm, by the "
            f"number K of columns of X. {provenance(used)}",
            columns=[
                Column("matrix", "l"),
                Column("class", RAGGED + "{18mm}"),
                *[Column(rf"$K = {k}$") for k in ks],
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]


def padding(report: Report) -> list[Table]:
    """What padding costs ELLPACK: slots and bytes, and the time where both forms were measured."""
    body: list[list[Value]] = []
    gaps = Gaps()
    present = [f for f in report.matrices.values() if f.get("padding_factor") is not None]
    machine = next(iter(report.machines), "")
    k = headline_k(report, machine)
    rows = {r.matrix: r for r in report.rows(machine, "spmm", k=k)} if k else {}
    used: list[Cell] = []
    for facts in sorted(present, key=lambda f: (-f["padding_factor"], f["name"])):
        slots = facts["padding_factor"] * facts["stored"]
        ratio: Value = gaps.skipped("not in the measured grid")
        if facts["name"] in rows:
            row = rows[facts["name"]]
            padded = report.best(row, "omp_ellpack")
            bare = report.best(row, "omp_ellpack_no_padding")
            if padded and bare and padded.ok and bare.ok:
                ratio = Number(significant(padded.seconds / bare.seconds))
                used += [padded, bare]
            elif padded and not padded.ok:
                ratio = gaps.skipped(padded.reason)
        body.append(
            [
                Text(code(facts["name"])),
                Text(escape(facts.get("class") or "")),
                Number(significant(facts["row_length"]["mean"])),
                Text(integer(facts["row_length"]["max"])),
                Text(scientific(facts["padding_factor"], 3)),
                Text(scientific(slots * 12 / 1e6, 3)),
                ratio,
            ]
        )
    if not body:
        return []
    return [
        Table(
            label="tab:padding",
            caption="Padding of ELLPACK: slots over stored entries, and the memory of the padded "
            r"arrays (12 bytes a slot); last, the time of \code{omp\_ellpack} over that of "
            rf"\code{{omp\_ellpack\_no\_padding}}{f' at K = {k}' if k else ''}. {provenance(used)}",
            columns=[
                Column("matrix", RAGGED + "{36mm}"),
                Column("class", RAGGED + "{18mm}"),
                Column(r"mean row"),
                Column(r"longest row", "r"),
                Column("factor", "r"),
                Column(r"\unit{\mega\byte}", "r"),
                Column("time ratio"),
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]


def triangle_counts(report: Report) -> list[Table]:
    """The count of each graph, how many algorithms found it, and the known count."""
    known = {line["name"]: line for line in published.read("triangle-counts")}
    body: list[list[Value]] = []
    cells = report.select(problem="triangles", ok=True)
    for matrix in sorted({c.row.matrix for c in cells}, key=lambda n: (report.matrix_class(n), n)):
        own = [c for c in cells if c.row.matrix == matrix]
        counts = {int(t) for c in own if (t := c.measure("triangles")) is not None}
        found = ", ".join(integer(n) for n in sorted(counts)) or "--"
        facts = known.get(matrix)
        verdict = "--"
        if facts is not None:
            agrees = counts == {int(facts["triangles"])}
            verdict = f"{integer(int(facts['triangles']))} ({'agrees' if agrees else 'DIFFERS'})"
        edges = own[0].work
        body.append(
            [
                Text(code(matrix)),
                Text(escape(report.matrix_class(matrix))),
                Text(integer(own[0].record["matrix"]["rows"] or 0)),
                Text(integer(edges[0]) if edges else "--"),
                Text(found),
                Text(integer(len({c.algorithm for c in own}))),
                Text(verdict),
                Text(escape(facts["source"].replace("seed", "triangle seed")) if facts else "--"),
            ]
        )
    if not body:
        return []
    return [
        Table(
            label="tab:triangles-counts",
            caption="Triangle counts: what the algorithms found (every cell must agree with the "
            "reference before its time counts) beside the counts known from elsewhere.",
            columns=[
                Column("graph", RAGGED + "{30mm}"),
                Column("class", RAGGED + "{18mm}"),
                Column("vertices", "r"),
                Column("edges", "r"),
                Column("triangles", "r"),
                Column(r"\shortstack[r]{algo-\\rithms}", "r"),
                Column("known", "r"),
                Column("source", RAGGED + "{22mm}"),
            ],
            body=body,
        )
    ]
