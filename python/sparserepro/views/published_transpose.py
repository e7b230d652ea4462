"""Tables 15 and 16 of the transposition seed, each beside ours in the same layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparserepro.data import published
from sparserepro.data.frames import Cell, Report, Row
from sparserepro.render.latex import code, integer, listing, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.views.captions import ACROSS, Gaps, across_mark, provenance
from sparserepro.views.published import because
from sparserepro.views.view import View

Measure = Callable[[Row, Cell], Number | None]

SCAN = ("cuda_scantrans", "omp_scantrans")
MERGE = ("cuda_mergetrans", "omp_mergetrans")
OURS: Sequence[Sequence[str]] = (("serial",), SCAN, MERGE, ("cusparse_csr2csc",))
"""Of each column that we can fill, the algorithms that may: the first with a time does."""
BACKENDS = {"cuda": "CUDA", "omp": "OpenMP"}
KERNEL_ONLY = r"{\kernelonly}"
"""Mark of a time without allocation and transfers, where no other was measured."""


def clock(*cells: Cell) -> str:
    """The samples that compare these cells: end to end, or of the kernels where one has none."""
    return "end_to_end_s" if all(c.count("end_to_end_s") for c in cells) else "kernel_s"


def seconds(cell: Cell, which: str) -> float:
    found = cell.summary(which)
    if found is None:
        raise ValueError(f"no {which} of {cell.name} on {cell.row}")
    return found.median


def timed(text: str, which: str, *cells: Cell) -> Number:
    """A figure of these cells by these samples, with the marks of what it lacks."""
    marks = (KERNEL_ONLY if which == "kernel_s" else "") + across_mark(*cells)
    return Number(text, mark=marks.replace("}{", ""), sources=cells)


def matching_rows(report: Report, machine: str, line: dict[str, str]) -> Row | None:
    """The fp32 or fp64 row of the matrix of a line of Tables 15 and 16, if it was measured: by
    name, or for random ones by shape and number of entries."""
    wanted = (int(line["rows"]), int(line["cols"]), int(line["stored"]))
    found = []
    for row in report.rows(machine, "transpose"):
        if row.value("value_type") == "pattern" or row.value("offset_bits") == 64:
            continue
        if row.value("cache") == "flushed":
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
        title=f"Transposition: {kind} of the seed",
        caption=rf"Transposition as printed by the seed \cite{{incudini2020}}, Table~{number}: "
        f"{what}. GeForce GTX 780, single precision, mean of five runs with the cold first one; "
        "the clock includes allocation and transfers. Not measured here, and used in no ratio.",
        columns=transpose_columns(kind),
        body=[printed_cells(line) + [Number(line[c]) for c in columns] for line in lines],
        groups=[("", 4), ("printed", 5)],
    )


def transpose_ours(report: Report, machine: str, kind: str, number: str, value: Measure) -> Table:
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
        for candidates in OURS:
            cells.append(our_cell(report, line, row, candidates, value, gaps, used))
        cells.append(gaps.skipped("the library no longer has this algorithm (since cuSPARSE 12)"))
        body.append(cells)
    word = "end-to-end time in ms" if kind == "times" else "speedup of the end-to-end time"
    every = "".join(v.mark for cells in body for v in cells if isinstance(v, Number))
    marks = [r"\kernelonly~of the kernels alone."] if r"\kernelonly" in every else []
    marks += [f"{ACROSS}."] if r"\across" in every else []
    return Table(
        label=f"tab:transpose-ours-{kind}-{machine}",
        title=f"Transposition on {code(machine)}: {kind} in the seed's layout",
        caption=rf"The layout of \cref{{tab:transpose-printed-{kind}}} with this project's "
        f"algorithms, {word}. {whose(used)}Other machine, other baseline, right CSR: not to be "
        "divided by the printed figures. "
        f"{provenance(used, *dict.fromkeys(map(clock, used)))}",
        columns=transpose_columns(kind),
        body=body,
        notes=gaps.notes() + marks,
        groups=[("", 4), ("measured here", 5)],
    )


def whose(used: Sequence[Cell]) -> str:
    """On what ScanTrans and MergeTrans ran, one sentence where it is the same for both."""
    found = {
        name: listing(sorted({BACKENDS[c.backend] for c in used if c.algorithm in of}))
        for name, of in (("ScanTrans", SCAN), ("MergeTrans", MERGE))
    }
    scan, merge = found.values()
    if scan and scan == merge:
        return f"ScanTrans and MergeTrans are of {scan}. "
    return "".join(f"{name} is of {backends}. " for name, backends in found.items() if backends)


def our_cell(
    report: Report,
    line: dict[str, str],
    row: Row | None,
    candidates: Sequence[str],
    value: Measure,
    gaps: Gaps,
    used: list[Cell],
) -> Value:
    if row is None:
        facts = report.matrices.get(line["name"], {})
        return gaps.skipped(facts.get("unavailable") or "the matrix is not in this configuration")
    cells = [c for name in candidates if (c := report.best(row, name, "end_to_end_s"))]
    measured = [c for c in cells if c.ok]
    if not measured:
        reason = cells[0].reason if cells else because(report, "transpose", candidates[0])
        return gaps.skipped(reason)
    number = value(row, measured[0])
    if number is None:
        return gaps.skipped("no serial time to compare with")
    used.append(measured[0])
    return number


def transpose_times(report: Report) -> list[Table]:
    def milliseconds(_: Row, cell: Cell) -> Number:
        which = clock(cell)
        return timed(significant(1e3 * seconds(cell, which), 4), which, cell)

    ours = [transpose_ours(report, m, "times", "15", milliseconds) for m in transposing(report)]
    return [transpose_printed("times", "15", "times in ms"), *ours]


def transpose_speedups(report: Report) -> list[Table]:
    def against_serial(row: Row, cell: Cell) -> Number | None:
        base = report.baseline(row, cell.algorithm)
        if base is None:
            return None
        which = clock(base, cell)
        before, after = (seconds(c, which) for c in (base, cell))
        return timed(significant(before / after), which, base, cell)

    ours = [
        transpose_ours(report, m, "speedups", "16", against_serial) for m in transposing(report)
    ]
    return [transpose_printed("speedups", "16", "speedups"), *ours]


def transposing(report: Report) -> list[str]:
    """Machines with at least one matrix of the printed tables."""
    lines = published.read("transpose-times")
    return [m for m in report.machines if any(matching_rows(report, m, line) for line in lines)]


VIEWS = (
    View("transpose-published-times", "transpose", transpose_times),
    View("transpose-published-speedups", "transpose", transpose_speedups),
)
