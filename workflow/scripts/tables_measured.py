"""The tables of one problem on one machine: times, speedups, rates, share of the bound, ..."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from captions import Gaps, clear_winner, instance_columns, instance_text, provenance, row_label
from frames import PROBLEM_TITLES, Cell, Report, Row
from latex import (
    RAGGED,
    Column,
    Number,
    Table,
    Text,
    Value,
    code,
    integer,
    listing,
    measured,
    prose,
    scientific,
    significant,
    split,
)
from stats import Verdict, geometric_mean, verdict

UNITS = ((1.0, r"\second"), (1e3, r"\milli\second"), (1e6, r"\micro\second"))
RATES = {
    "entry": (1e9, r"\nano\second", "per stored entry (less is better)"),
    "flop": (1e-9, r"\giga\flop\per\second", "of floating-point work (more is better)"),
    "edge": (1e-6, r"\mega\edge\per\second", "in undirected edges (more is better)"),
}

WIDE = r"\wide~The interval reaches beyond twice the median."


@dataclass(frozen=True)
class Section:
    """The rows and algorithms that the tables of one problem on one machine share."""

    report: Report
    machine: str
    problem: str
    rows: list[Row]
    algorithms: list[str]

    @property
    def title(self) -> str:
        return PROBLEM_TITLES[self.problem]

    @property
    def cells(self) -> list[Cell]:
        found = (self.report.best(r, a) for r in self.rows for a in self.algorithms)
        return [c for c in found if c and c.ok]

    def left_out(self) -> str:
        """Names the algorithms without any time here, with the reasons."""
        absent: dict[str, list[str]] = {}
        for name in self.report.algorithms(self.problem):
            if name in self.algorithms:
                continue
            reasons = {c.reason for r in self.rows if (c := self.report.best(r, name))}
            reason = listing(sorted(reasons)) if reasons else "not in the measured grid"
            absent.setdefault(reason, []).append(code(name))
        parts = [f"{listing(names)} ({prose(why)})" for why, names in absent.items()]
        return "Without a time here: " + "; ".join(parts) + "." if parts else ""


def headline_k(report: Report, machine: str) -> int | None:
    """The K of SpMM's one-K tables: the driver's default when measured, else the middle one."""
    ks = sorted({k for r in report.rows(machine, "spmm") if isinstance(k := r.value("k"), int)})
    if not ks:
        return None
    default = report.catalogues["spmm"].fallbacks.get("k") if "spmm" in report.catalogues else None
    return int(default) if default in ks else ks[len(ks) // 2]


def section(report: Report, machine: str, problem: str) -> Section | None:
    only = {"k": headline_k(report, machine)} if problem == "spmm" else {}
    rows = report.rows(machine, problem, **only)
    algorithms = report.measured(rows, report.algorithms(problem))
    return Section(report, machine, problem, rows, algorithms) if algorithms else None


def build(
    part: Section,
    key: str,
    caption: str,
    value: Callable[[Row, Cell], Value | None],
    algorithms: Sequence[str],
    which: str = "kernel_s",
    foot: Callable[[str], list[Value]] | None = None,
    foot_heads: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> list[Table]:
    """A table with a row for each instance and a column for each algorithm, in as many parts as
    the width asks for. `value` returns None for a cell to which the table does not apply."""
    gaps = Gaps()
    extra = instance_columns(part.rows, always=part.problem == "primitives")
    lead = [] if part.problem == "primitives" else [Column("matrix", "l")]
    lead += [Column(code(n), "l" if text_column(part.rows, n) else "S") for n in extra]
    peers = {c.algorithm for c in part.cells if c.peer}
    body: list[list[Value]] = []
    used: list[Cell] = []
    for row in part.rows:
        line = row_label(row, extra)
        for name in algorithms:
            cell = part.report.best(row, name)
            if cell is None and part.problem == "primitives":
                line.append(gaps.skipped("the procedure has no such algorithm"))
                continue
            if cell is None or not cell.ok:
                line.append(gaps.of(cell))
                continue
            used.append(cell)
            line.append(value(row, cell) or gaps.skipped("the algorithm has no such part"))
        body.append(line)
    for index, text in enumerate(foot_heads):
        blank: list[Value] = [Text(text), *[Text("")] * (len(lead) - 1)]
        body.append(blank + [foot(name)[index] for name in algorithms] if foot else blank)
    shared = instance_text(part.rows)
    table = Table(
        label=f"tab:{part.problem}-{key}-{part.machine}",
        caption=f"{part.title}: {caption} {f'All with {shared}.' if shared else ''} "
        f"{provenance(used, which)}",
        columns=lead
        + [Column(r"\textsuperscript{\textdagger}" * (n in peers), "S", n) for n in algorithms],
        body=body,
        notes=[*filter(None, notes), *gaps.notes()]
        + ([r"\textsuperscript{\textdagger}~Somebody's library."] if peers else [])
        + ([WIDE] if any(is_marked(cell) for line in body for cell in line) else []),
        foot_rows=len(foot_heads),
    )
    return split(table, len(lead))


def is_marked(cell: Value) -> bool:
    return isinstance(cell, Number) and r"\wide" in cell.mark


def text_column(rows: Sequence[Row], name: str) -> bool:
    return any(isinstance(row.value(name), str) for row in rows)


def unit_of(seconds: Sequence[float]) -> tuple[float, str]:
    middle = statistics.median(seconds)
    if middle >= 1:
        return UNITS[0]
    return UNITS[1] if middle >= 1e-4 else UNITS[2]


def times(part: Section) -> list[Table]:
    scale, unit = unit_of([c.seconds for c in part.cells])
    winners = {row: clear_winner(part.report, row, part.algorithms) for row in part.rows}

    def value(row: Row, cell: Cell) -> Number:
        bold = winners[row] == cell.algorithm
        return measured(cell.kernel, scale, bold)

    columns = (
        " Columns are named without the procedure: \\code{omp} is \\code{omp\\_scan} for a scan."
        if part.problem == "primitives"
        else ""
    )
    caption = (
        rf"time of one execution in \unit{{{unit}}}, each algorithm at its fastest parameters; "
        r"in brackets, in units of the last digit, the larger half of the interval of the median. "
        r"Bold: fastest, with a clear verdict against the second." + columns
    )
    return build(part, "times", caption, value, part.algorithms, notes=[part.left_out()])


def speedups(part: Section) -> list[Table]:
    compared = [
        a
        for a in part.algorithms
        if any((b := part.report.baseline(r, a)) and b.algorithm != a for r in part.rows)
    ]
    if not compared:
        return []

    def value(row: Row, cell: Cell) -> Number | None:
        return speedup_number(part, row, cell)

    def foot(name: str) -> list[Value]:
        ratios = [x.value for r in part.rows if (x := part.report.speedup(r, name))]
        if not ratios:
            return [Text("--"), Text("0")]
        return [Number(significant(geometric_mean(ratios))), Text(f"{len(ratios)}")]

    caption = (
        f"speedup against {baseline_words(part)}, whose absolute times are in "
        rf"\cref{{tab:{part.problem}-times-{part.machine}}}: median over median. "
        r"\same~same within the smallest effect of interest, \unclear~not decided by the samples."
    )
    heads = ("geometric mean", "of rows")
    return build(part, "speedup", caption, value, compared, foot=foot, foot_heads=heads)


def speedup_number(part: Section, row: Row, cell: Cell) -> Number | None:
    """The speedup with a mark when it says little; a baseline is exactly one."""
    ratio = part.report.speedup(row, cell.algorithm)
    if ratio is None:
        return None
    if part.report.baseline(row, cell.algorithm) is cell:
        return Number("1.00")
    marks = {Verdict.same: r"{\same}", Verdict.unclear: r"{\unclear}"}
    return Number(significant(ratio.value), mark=marks.get(verdict(ratio), ""))


def baseline_words(part: Section) -> str:
    """The baseline by name when all algorithms share it, else where each one's is named."""
    found = (part.report.baseline(r, a) for r in part.rows for a in part.algorithms)
    names = {b.record["algorithm"] for b in found if b}
    if len(names) == 1:
        return code(names.pop())
    return rf"each algorithm's serial baseline (named in \cref{{tab:{part.problem}-algorithms}})"


def rates(part: Section) -> list[Table]:
    work = [c.work for c in part.cells]
    known = {w[1] for w in work if w}
    if len(known) != 1:
        return []
    kind = known.pop()
    scale, unit, words = RATES[kind]

    def value(_: Row, cell: Cell) -> Number | None:
        if not cell.work or not cell.work[0]:
            return None
        rate = cell.work[0] / cell.seconds
        return Number(significant(scale / rate if kind == "entry" else scale * rate))

    return build(part, "rate", rf"rate in \unit{{{unit}}} {words}.", value, part.algorithms)


def bounds(part: Section) -> list[Table]:
    def value(_: Row, cell: Cell) -> Number | None:
        fraction = cell.fraction_of_bound
        return None if fraction is None else Number(significant(100 * fraction))

    caption = (
        r"share of the copy bound in \unit{\percent}: the time in which a copy, with the same "
        "threads or on the same device, moves the least traffic of the problem, over the time "
        "taken. Above 100 the data stay in cache."
    )
    return build(part, "bound", caption, value, part.algorithms)


def end_to_end(part: Section) -> list[Table]:
    seconds = [s.median for c in part.cells if (s := c.summary("end_to_end_s"))]
    if not seconds:
        return []
    scale, unit = unit_of(seconds)

    def value(_: Row, cell: Cell) -> Number | None:
        summary = cell.summary("end_to_end_s")
        return None if summary is None else measured(summary, scale)

    caption = (
        rf"end to end in \unit{{{unit}}}: allocation, transfers, preparation and one execution."
    )
    return build(part, "end-to-end", caption, value, part.algorithms, which="end_to_end_s")


def preprocess(part: Section) -> list[Table]:
    names = [c.algorithm for c in part.cells if c.samples("preprocess_s")]
    chosen = [a for a in part.algorithms if a in names]
    if not chosen:
        return []
    summaries = [s for c in part.cells if (s := c.summary("preprocess_s"))]
    scale, unit = unit_of([s.median for s in summaries])

    def value(_: Row, cell: Cell) -> Number | None:
        summary = cell.summary("preprocess_s")
        if summary is None or summary.median <= 0:
            return None
        return measured(summary, scale)

    relation = "part of" if part.problem == "triangles" else "not part of"
    caption = (
        rf"preparation in \unit{{{unit}}}, {relation} the times in "
        rf"\cref{{tab:{part.problem}-times-{part.machine}}}, for the algorithms that need one."
    )
    return build(part, "preprocess", caption, value, chosen, which="preprocess_s")


def errors(part: Section) -> list[Table]:
    """One row an algorithm: how its answers were checked, the worst error, and its workspace."""
    cells = [c for c in part.report.select(machine=part.machine, problem=part.problem) if c.ok]
    measures = list(dict.fromkeys(m for c in cells for m in c.record["check"]["measures"]))
    body: list[list[Value]] = []
    for name in part.report.measured(part.report.rows(part.machine, part.problem),
                                     part.report.algorithms(part.problem)):  # fmt: skip
        own = [c for c in cells if c.algorithm == name]
        methods = sorted({c.record["check"]["method"] for c in own})
        worst = max(own, key=lambda c: c.record["check"]["error"])
        line: list[Value] = [
            Text(code(name)),
            Text(integer(len(own))),
            Text(listing([code(m) for m in methods])),
            Text(scientific(worst.record["check"]["error"])),
            Text(scientific(worst.record["check"]["bound"])),
        ]
        for measure in measures:
            seen = [c.record["check"]["measures"].get(measure) for c in own]
            known = [v for v in seen if v is not None]
            line.append(Text(scientific(max(known)) if known else "--"))
        stored = [
            c.record["workspace_bytes"] / c.record["matrix"]["stored"]
            for c in own
            if c.record["workspace_bytes"] is not None and c.record["matrix"]["stored"]
        ]
        line.append(Text(scientific(max(stored)) if stored else "--"))
        body.append(line)
    columns = [
        Column("algorithm", "l"),
        Column("cells", "r"),
        Column("check", "l"),
        Column("largest error", "r"),
        Column("bound", "r"),
        *[Column(r"\shortstack[r]{" + r"\\".join(m.split("_")) + "}", "r") for m in measures],
        Column(r"\shortstack[r]{workspace\\(\unit{\byte\per entry})}", "r"),
    ]
    table = Table(
        label=f"tab:{part.problem}-errors-{part.machine}",
        caption=f"{part.title}: checks of every measured cell against the reference; the largest "
        "error with its bound (an answer is right when the error is not above the bound), "
        "the largest value of each further measure, and the most workspace that a cell took. "
        f"Machine {code(part.machine)}.",
        columns=columns,
        body=body,
    )
    return [table]


def parameters(part: Section) -> list[Table]:
    """Which value of each swept parameter gave the least median, on how many rows."""
    body: list[list[Value]] = []
    for name in part.algorithms:
        winners: dict[str, Counter[int | str]] = {}
        for row in part.rows:
            cells = [c for c in part.report.cells_of(row, name) if c.ok]
            best = part.report.best(row, name)
            for parameter, value in best.params if best else ():
                if len({dict(c.params).get(parameter) for c in cells}) > 1:
                    winners.setdefault(parameter, Counter())[value] += 1
        for parameter, values in winners.items():
            ranked = sorted(values.items(), key=lambda item: (-item[1], str(item[0])))
            words = listing([f"{code(v)} on {integer(n)}" for v, n in ranked])
            body.append([Text(code(name)), Text(code(parameter)), Text(words)])
    if not body:
        return []
    table = Table(
        label=f"tab:{part.problem}-parameters-{part.machine}",
        caption=f"{part.title}: the parameters that were swept, and the values that gave the least "
        f"median on {integer(len(part.rows))} rows of "
        rf"\cref{{tab:{part.problem}-times-{part.machine}}}.",
        columns=[
            Column("algorithm", RAGGED + "{60mm}"),
            Column("parameter", "l"),
            Column("fastest", "p{60mm}"),
        ],
        body=body,
    )
    return [table]


KINDS: dict[str, Callable[[Section], list[Table]]] = {
    "times": times,
    "speedup": speedups,
    "rate": rates,
    "bound": bounds,
    "end-to-end": end_to_end,
    "preprocess": preprocess,
    "errors": errors,
    "parameters": parameters,
}
