"""The seeds' printed tables, each beside ours in the same layout."""

from __future__ import annotations

from sparserepro.data import published
from sparserepro.data.frames import Cell, Report, fastest
from sparserepro.render.latex import (
    Column,
    Number,
    Table,
    Text,
    Value,
    code,
    escape,
    integer,
    significant,
)
from sparserepro.views.captions import Gaps, provenance

HERE = "not measured here"


def because(report: Report, problem: str, algorithm: str, otherwise: str = HERE) -> str:
    """Why an algorithm has no time here, as its catalogue says."""
    book = report.catalogues.get(problem)
    for entry in book.algorithms if book else ():
        if entry.name == algorithm:
            return f"{HERE}: {entry.unavailable}" if entry.unavailable else otherwise
    return f"{HERE}: {algorithm} is not among the algorithms"


SEED_COLUMNS = ("cuda_splitters", "cuda")
"""The seed's methods by column: big merges between splitters (not along the merge path, which the
seed does not have), and the one method of the other procedures."""


def seeds_own(cells: list[Cell]) -> list[Cell]:
    """The cells of the first of these columns that has any."""
    found = [[c for c in cells if c.algorithm == name] for name in SEED_COLUMNS]
    return next((own for own in found if own), [])


def block_sizes(report: Report) -> list[Table]:
    """Figures 7, 9, 11 and 13: time by block size, printed and ours."""
    body: list[list[Value]] = []
    gaps = Gaps()
    used: list[Cell] = []
    for line in published.read("primitives-block-size"):
        cells = [
            c
            for c in report.select(problem="primitives", ok=True)
            if c.row.value("procedure") == line["procedure"]
            and c.row.value("length") == int(line["length"])
            and dict(c.params).get("block_size") == int(line["block_size"])
            and c.algorithm in SEED_COLUMNS
        ]
        best = fastest(seeds_own(cells))
        if best is not None:
            used.append(best)
        reason = because_no_cuda(report, line["procedure"])
        body.append(
            [
                Text(line["figure"]),
                Text(code(line["procedure"])),
                Text(integer(int(line["length"]))),
                Text(line["block_size"]),
                Number(line["ms"]),
                Number(significant(1e3 * best.seconds), sources=(best,))
                if best
                else gaps.skipped(reason),
            ]
        )
    return [
        Table(
            label="tab:primitives-block-size",
            caption="Time in ms by the number of threads in a block: as printed by the seed "
            r"\cite{incudini2020} in its figures 7, 9, 11 and 13 (GeForce GTX 780, with allocation "
            f"and copies), and of the kernel here. {provenance(used)}",
            columns=[
                Column("figure", "l"), Column("procedure", "l"), Column("length", "r"),
                Column("threads", "r"), Column("printed"), Column("measured here"),
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]  # fmt: skip


def because_no_cuda(report: Report, procedure: str) -> str:
    """Why no CUDA algorithm of a primitive has a time here."""
    book = report.catalogues.get("primitives")
    if report.select(problem="primitives", backend="cuda", ok=True):
        return f"{HERE}: not in the measured grid"
    entries = [
        a for a in (book.algorithms if book else ()) if a.backend == "cuda" and procedure in a.name
    ]
    if not entries:
        return f"{HERE}: this build's catalogue has no CUDA algorithm for it"
    return f"{HERE}: {entries[0].unavailable or 'not in the measured grid'}"


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
            caption=r"SpMM on \code{ML\_Laplace} in \unit{\giga\flop\per\second} by K: the raw "
            r"results in the repository of the seed \cite{capotombolo2023}, and this project's "
            "algorithm for the same kernel. Printed figures are of another machine and enter "
            f"no ratio. {provenance(used)}",
            columns=[
                Column("", "l"),
                Column("seed's kernel", r">{\raggedright\arraybackslash}p{38mm}"),
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
    best = fastest([c for c in cells if c.row.value("k") == k])
    if best is None:
        facts = report.matrices.get(matrix)
        if facts is None:
            return gaps.skipped("the matrix is not in this configuration")
        return gaps.skipped(facts.get("unavailable") or because(report, "spmm", algorithm))
    used.append(best)
    rate = best.flops / best.seconds / 1e9
    return Number(significant(rate), sources=(best,))


def triangle_times(report: Report) -> list[Table]:
    gaps = Gaps()
    body: list[list[Value]] = []
    used: list[Cell] = []
    for line in published.read("triangles-times"):
        cells = report.select(
            problem="triangles", matrix=line["name"], algorithm=line["counterpart"], ok=True
        )
        best = fastest(cells)
        facts = report.matrices.get(line["name"], {})
        if best is not None:
            used.append(best)
            ours: Value = Number(significant(best.seconds), sources=(best,))
        else:
            missing = facts.get("unavailable") or (
                "" if facts else "the graph is not in this configuration"
            )
            ours = gaps.skipped(missing or because(report, "triangles", line["counterpart"]))
        body.append(
            [
                Text(line["figure"]),
                Text(code(line["name"])),
                Text(escape(line["method"])),
                Text(code(line["counterpart"])),
                Number(line["seconds"]),
                ours,
            ]
        )
    return [
        Table(
            label="tab:triangles-printed",
            caption="Triangle counting, seconds: as printed by the seed "
            r"\cite{antoniadis2019} in its figures 1, 2 and 4 and their tables (GeForce GTX 650 "
            "Ti, Core i5-4690K; MATLAB times are of the whole expression, CUDA and cuSPARSE times "
            "of the kernels), and here. Printed figures enter no ratio. "
            f"{provenance(used)}",
            columns=[
                Column("figure", "l"), Column("graph", "l"), Column("method", "l"),
                Column("counterpart", "l"), Column("printed"), Column("measured here"),
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]  # fmt: skip
