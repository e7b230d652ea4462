"""The seeds' printed tables, each beside ours in the same layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import published
from captions import Gaps, provenance
from frames import Cell, Report, Row
from latex import Column, Number, Table, Text, Value, code, escape, integer, significant
from stats import median

SERIAL, SCAN, MERGE = (
    ("serial",),
    ("cuda_scantrans", "omp_scantrans"),
    (
        "cuda_mergetrans",
        "omp_mergetrans",
    ),
)
TRANSPOSE_COLUMNS: dict[str, Sequence[str]] = {
    "serial": SERIAL,
    "scantrans": SCAN,
    "mergetrans": MERGE,
    "cusparse_alg1": ("cusparse_csr2csc",),
}
HERE = "not measured here"


def because(report: Report, problem: str, algorithm: str, otherwise: str = HERE) -> str:
    """Why an algorithm has no time here, as its catalogue says."""
    book = report.catalogues.get(problem)
    for entry in book.algorithms if book else ():
        if entry.name == algorithm:
            return f"{HERE}: {entry.unavailable}" if entry.unavailable else otherwise
    return f"{HERE}: {algorithm} is not among the algorithms"


def matching_rows(report: Report, machine: str, line: dict[str, str]) -> Row | None:
    """The fp32 or fp64 row of the matrix of a line of Tables 15 and 16, if it was measured: by
    name, or for random ones by shape and number of entries."""
    wanted = (int(line["rows"]), int(line["cols"]), int(line["stored"]))
    found = []
    for row in report.rows(machine, "transpose"):
        if row.value("value_type") == "pattern" or row.value("offset_bits") == 64:
            continue
        facts = report.facts_of(row)
        shape = (facts["rows"], facts["cols"], facts["stored"])
        uniform = facts["source"].startswith("uniform:")
        if row.matrix == line["name"] or (line["name"] == "random" and uniform and shape == wanted):
            found.append(row)
    found.sort(key=lambda row: row.value("value_type") != "fp32")
    return found[0] if found else None


def printed_cells(line: dict[str, str]) -> list[Value]:
    name = Text("random" if line["name"] == "random" else code(line["name"]))
    return [name, *[Text(integer(int(line[n]))) for n in ("rows", "cols", "stored")]]


def transpose_columns(kind: str) -> list[Column]:
    heads = ("Serial", "ScanTrans", "MergeTrans", "cuSPARSE 1", "cuSPARSE 2")
    first = [Column("matrix", "l"), *[Column(h, "r") for h in ("M", "N", "NNZ")]]
    return first + [Column(h, "S") for h in heads]


def transpose_printed(kind: str, number: str, what: str) -> Table:
    lines = published.read(f"transpose-{kind}")
    columns = ("serial", "scantrans", "mergetrans", "cusparse_alg1", "cusparse_alg2")
    return Table(
        label=f"tab:transpose-printed-{kind}",
        caption=rf"Transposition as printed by the seed \cite{{incudini2020}}, Table~{number}: "
        f"{what}. GeForce GTX 780, single precision, mean of five runs with the cold first one; "
        "the clock includes allocation and transfers. Not measured here, and used in no ratio.",
        columns=transpose_columns(kind),
        body=[printed_cells(line) + [Number(line[c]) for c in columns] for line in lines],
        groups=[("", 4), ("printed", 5)],
    )


def transpose_ours(
    report: Report, machine: str, kind: str, number: str, value: Callable[[Row, Cell], str | None]
) -> Table:
    gaps = Gaps()
    body: list[list[Value]] = []
    used: list[Cell] = []
    for line in published.read(f"transpose-{kind}"):
        row = matching_rows(report, machine, line)
        cells = printed_cells(line)
        if row is not None:
            facts = report.facts_of(row)
            shape = [facts[key] for key in ("rows", "cols", "stored")]
            cells = [Text(code(row.matrix)), *[Text(integer(v)) for v in shape]]
        for candidates in TRANSPOSE_COLUMNS.values():
            cells.append(our_cell(report, line, row, candidates, value, gaps, used))
        cells.append(gaps.skipped("the library no longer has this algorithm (since cuSPARSE 12)"))
        body.append(cells)
    backend = "CUDA" if any(c.backend == "cuda" for c in used) else "OpenMP"
    word = "end-to-end time in ms" if kind == "times" else "speedup of the end-to-end time"
    return Table(
        label=f"tab:transpose-ours-{kind}-{machine}",
        caption=rf"The layout of \cref{{tab:transpose-printed-{kind}}} with this project's "
        f"algorithms, {word}; ScanTrans and MergeTrans are the {backend} ones. Other machine, "
        f"other baseline, right CSR: not to be divided by the printed figures. "
        f"{provenance(used, 'end_to_end_s')}",
        columns=transpose_columns(kind),
        body=body,
        notes=gaps.notes(),
        groups=[("", 4), ("measured here", 5)],
    )


def our_cell(
    report: Report,
    line: dict[str, str],
    row: Row | None,
    candidates: Sequence[str],
    value: Callable[[Row, Cell], str | None],
    gaps: Gaps,
    used: list[Cell],
) -> Value:
    if row is None:
        facts = report.matrices.get(line["name"], {})
        return gaps.skipped(facts.get("unavailable") or "the matrix is not in this configuration")
    cells = [c for name in candidates if (c := report.best(row, name))]
    measured = [c for c in cells if c.ok and c.samples("end_to_end_s")]
    if not measured:
        reason = cells[0].reason if cells else because(report, "transpose", candidates[0])
        return gaps.skipped(reason)
    text = value(row, measured[0])
    if text is None:
        return gaps.skipped("no serial time to compare with")
    used.append(measured[0])
    return Number(text)


def transpose_times(report: Report) -> list[Table]:
    def milliseconds(_: Row, cell: Cell) -> str:
        return significant(1e3 * median(cell.samples("end_to_end_s")), 4)

    ours = [transpose_ours(report, m, "times", "15", milliseconds) for m in transposing(report)]
    return [transpose_printed("times", "15", "times in ms"), *ours]


def transpose_speedups(report: Report) -> list[Table]:
    def against_serial(row: Row, cell: Cell) -> str | None:
        base = report.baseline(row, cell.algorithm)
        if base is None or not base.samples("end_to_end_s"):
            return None
        return significant(
            median(base.samples("end_to_end_s")) / median(cell.samples("end_to_end_s"))
        )

    ours = [
        transpose_ours(report, m, "speedups", "16", against_serial) for m in transposing(report)
    ]
    return [transpose_printed("speedups", "16", "speedups"), *ours]


def transposing(report: Report) -> list[str]:
    """Machines with at least one matrix of the printed tables."""
    lines = published.read("transpose-times")
    return [m for m in report.machines if any(matching_rows(report, m, line) for line in lines)]


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
            and not c.peer
        ]
        best = min(cells, key=lambda c: c.seconds, default=None)
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
                Number(significant(1e3 * best.seconds)) if best else gaps.skipped(reason),
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
            r"results in the repository of the seed \cite{ludovico2023}, and this project's "
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
    best = min((c for c in cells if c.row.value("k") == k), key=lambda c: c.seconds, default=None)
    if best is None:
        facts = report.matrices.get(matrix)
        if facts is None:
            return gaps.skipped("the matrix is not in this configuration")
        return gaps.skipped(facts.get("unavailable") or because(report, "spmm", algorithm))
    used.append(best)
    return Number(significant(best.record["model"]["flops"] / best.seconds / 1e9))


def triangle_times(report: Report) -> list[Table]:
    gaps = Gaps()
    body: list[list[Value]] = []
    used: list[Cell] = []
    for line in published.read("triangles-times"):
        cells = report.select(
            problem="triangles", matrix=line["name"], algorithm=line["counterpart"], ok=True
        )
        best = min(cells, key=lambda c: c.seconds, default=None)
        facts = report.matrices.get(line["name"], {})
        if best is not None:
            used.append(best)
            ours: Value = Number(significant(best.seconds))
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
