"""Tables 15 and 16 of the transposition seed, each beside ours in the same layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import published
from captions import Gaps, provenance
from frames import Cell, Report, Row
from latex import Column, Number, Table, Text, Value, code, integer, significant
from stats import median
from tables_published import because

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
