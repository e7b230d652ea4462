"""Tables that one problem alone has: SpMM's sweep over K, ELLPACK's padding, triangle counts."""

from __future__ import annotations

from collections import Counter

from sparserepro.data import published
from sparserepro.data.frames import Cell, Report, fastest
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
    prose,
    scientific,
    significant,
)
from sparserepro.views.captions import ACROSS, Gaps, across_mark, provenance
from sparserepro.views.sections import headline_k


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
                both = (padded, bare)
                value = significant(padded.seconds / bare.seconds)
                ratio = Number(value, mark=across_mark(*both), sources=both)
                used += both
            elif padded and not padded.ok:
                ratio = gaps.of(padded)
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
            notes=gaps.notes() + ([f"{ACROSS}."] if any(map(is_across, body)) else []),
        )
    ]


def is_across(line: list[Value]) -> bool:
    return any(isinstance(cell, Number) and cell.mark for cell in line)


COUNTED = {
    "edges": "edges",
    "max_degree": r"\shortstack[r]{largest\\degree}",
    "products": "products",
    "loops_dropped": "loops",
    "duplicates_dropped": "duplicates",
    "edges_mirrored": "mirrored",
}
"""Measures of a graph and the heads of their columns."""


def triangle_counts(report: Report) -> list[Table]:
    """What was counted and dropped, the triangles, and whether all agree on them."""
    published_counts = {line["name"]: line for line in published.read("triangle-counts")}
    cells = report.select(problem="triangles", ok=True)
    names = sorted({c.row.matrix for c in cells}, key=lambda n: (report.matrix_class(n), n))
    known = {name: published_counts[name] for name in names if name in published_counts}
    body: list[list[Value]] = []
    for matrix in names:
        own = [c for c in cells if c.row.matrix == matrix]
        found = [int(t) for c in own if (t := c.measure("triangles")) is not None]
        counts = sorted(set(found))
        line: list[Value] = [
            Text(code(matrix)),
            Text(integer(own[0].line["rows"] or 0), (own[0],)),
            *[counted(own, measure) for measure in COUNTED],
            Text(", ".join(integer(n) for n in counts) or "--", tuple(own)),
            Text(agreement(own), tuple(own)),
        ]
        if known:
            line.append(Text(against_known(counts, known.get(matrix)), tuple(own)))
        body.append(line)
    if not body:
        return []
    sources = sorted({line["source"].replace("seed", "triangle seed") for line in known.values()})
    columns = [
        Column("graph", RAGGED + "{27mm}"),
        Column("vertices", "r"),
        *[Column(head, "r") for head in COUNTED.values()],
        Column("triangles", "r"),
        Column("agree", "r"),
    ]
    groups = [("", 5), ("dropped", 2), ("", 3)]
    if known:
        columns.append(Column("known", "r"))
        groups[-1] = ("", 4)
    return [
        Table(
            label="tab:triangles-counts",
            caption="The graphs as they are counted, and their triangles. Loops and duplicate "
            "entries of the matrix are dropped; mirrored are the edges that the matrix stores in "
            "one direction only; products are the multiplications of $A A$. Agree: how many of "
            "the measured algorithms found the count (every cell must before its time counts).",
            columns=columns,
            body=body,
            groups=groups,
            notes=[f"Known: {prose(listing(sources))}."] if known else [],
        )
    ]


def counted(cells: list[Cell], name: str) -> Text:
    """The measure, from the first record that has it."""
    known = ((c, v) for c in cells if (v := c.measure(name)) is not None)
    cell, value = next(known, (None, 0.0))
    return Text(integer(value), (cell,)) if cell else Text("--")


def agreement(cells: list[Cell]) -> str:
    """ "all 4", or "3 of 4" with the most frequent count."""
    counts = Counter(c.measure("triangles") for c in cells)
    most = counts.most_common(1)[0][0]
    algorithms = {c.algorithm for c in cells}
    differing = {c.algorithm for c in cells if c.measure("triangles") != most}
    if not differing:
        return f"all {len(algorithms)}"
    return f"{len(algorithms - differing)} of {len(algorithms)}"


def against_known(counts: list[int], line: dict[str, str] | None) -> str:
    if line is None:
        return "--"
    verdict = "agrees" if counts == [int(line["triangles"])] else "DIFFERS"
    return f"{integer(int(line['triangles']))} ({verdict})"
