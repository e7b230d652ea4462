"""The tables of one problem on one machine: times, speedups, rates, share of the bound, ..."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sparserepro.data.frames import Cell, Report, Row
from sparserepro.data.libraries import over
from sparserepro.render.latex import (
    Column,
    Number,
    Table,
    Text,
    Value,
    code,
    integer,
    measured,
    significant,
    sourced,
)
from sparserepro.stats import geometric_mean, median
from sparserepro.views.captions import (
    VERDICTS,
    Gaps,
    across_notes,
    clear_winner,
    instance_columns,
    instance_text,
    provenance,
    ratio_mark,
    row_label,
)
from sparserepro.views.sections import Section, baseline_words, preparing, rival_groups, unit_of
from sparserepro.views.width import fits, split

RATES = {
    "entry": (1e9, r"\nano\second", "per stored entry (less is better)"),
    "flop": (1e-9, r"\giga\flop\per\second", "of floating-point work (more is better)"),
    "edge": (1e-6, r"\mega\edge\per\second", "in undirected edges (more is better)"),
}

CALLS_TABLES = ("transpose", "spmm", "triangles")
"""Problems with tables of speedups by number of calls."""

WIDE = r"\wide~The interval reaches beyond twice the median."


@dataclass(frozen=True)
class Block:
    """Columns of one quantity, one for each algorithm. `value` returns None for a cell that has
    no such quantity, for the reason `absent`."""

    key: str
    head: str
    caption: str
    value: Callable[[Row, Cell], Value | None]
    algorithms: Sequence[str]
    which: str = "kernel_s"
    absent: str = "the algorithm has no such part"
    only_measured: bool = False
    """Leaves out rows without a value."""

    @property
    def among(self) -> str:
        """Samples of the cells that compete. Those of a preparation choose none: it is that of the
        setting whose time is shown, which may have none."""
        return "kernel_s" if self.which == "preprocess_s" else self.which

    def value_of(self, report: Report, row: Row, algorithm: str) -> Value | None:
        cell = report.best(row, algorithm, self.among)
        return self.value(row, cell) if cell and cell.ok else None


def build(part: Section, *blocks: Block) -> list[Table]:
    """The blocks beside each other in one table if they fit the text's width, else a table for
    each, in as many parts as it needs."""
    if len(blocks) > 1 and fits(table := assemble(part, blocks)):
        return [table]
    fixed = len(lead_columns(part))
    return [t for block in blocks for t in split(assemble(part, [block]), fixed)]


def lead_columns(part: Section) -> list[Column]:
    arrays = part.problem == "primitives"
    extra = instance_columns(part.rows, always=arrays)
    lead = [] if arrays else [Column("matrix", "l")]
    return lead + [Column(code(n), "l" if text_column(part.rows, n) else "S") for n in extra]


def assemble(part: Section, blocks: Sequence[Block]) -> Table:
    """A table with a row for each instance and the columns of all blocks."""
    gaps = Gaps()
    lead = lead_columns(part)
    extra = instance_columns(part.rows, always=part.problem == "primitives")
    peers = {c.algorithm for c in part.cells if c.peer}
    body: list[list[Value]] = []
    used: list[Cell] = []
    for row in part.rows:
        values = (b.value_of(part.report, row, a) for b in blocks for a in b.algorithms)
        if all(b.only_measured for b in blocks) and not any(values):
            continue
        line = row_label(row, extra)
        for block in blocks:
            for name in block.algorithms:
                cell = part.report.best(row, name, block.among)
                if cell is None and part.problem == "primitives":
                    line.append(gaps.skipped("the procedure has no such algorithm"))
                elif cell is None or not cell.ok:
                    line.append(gaps.of(cell))
                else:
                    used.append(cell)
                    line.append(sourced(block.value(row, cell) or gaps.skipped(block.absent), cell))
        body.append(line)
    shared = instance_text(part.rows)
    sides = ["left", "right"]
    words = [b.caption for b in blocks]
    if len(blocks) > 1:
        words = [f"{side}, {text}" for side, text in zip(sides, words, strict=True)]
    names = [name for block in blocks for name in block.algorithms]
    return Table(
        label=f"tab:{part.problem}-{blocks[0].key}-{part.machine}",
        caption=f"{part.title}: {'; '.join(words)}. {f'All with {shared}.' if shared else ''} "
        f"{provenance(used, *dict.fromkeys(b.which for b in blocks))}",
        columns=lead
        + [Column(r"\textsuperscript{\textdagger}" * (n in peers), "S", n) for n in names],
        body=body,
        notes=gaps.notes()
        + ([library_note(used)] if peers else [])
        + ([WIDE] if any(is_marked(cell) for line in body for cell in line) else []),
        groups=[("", len(lead)), *[(b.head, len(b.algorithms)) for b in blocks]]
        if len(blocks) > 1
        else [],
    )


def library_note(cells: Sequence[Cell]) -> str:
    """What the dagger at an algorithm's name means, with the versions that were measured."""
    versions = over(c for c in cells if c.peer)
    return rf"\textsuperscript{{\textdagger}}~Third-party library{versions and ': '}{versions}."


def is_marked(cell: Value) -> bool:
    return isinstance(cell, Number) and r"\wide" in cell.mark


def text_column(rows: Sequence[Row], name: str) -> bool:
    return any(isinstance(row.value(name), str) for row in rows)


def times(part: Section) -> list[Table]:
    scale, unit = unit_of([c.seconds for c in part.cells])
    groups = rival_groups(part)
    winners = {
        row: {clear_winner(part.report, row, names) for names in groups.values()}
        for row in part.rows
    }

    def value(row: Row, cell: Cell) -> Number:
        return measured(cell.kernel, scale, cell.algorithm in winners[row])

    columns = (
        ". Columns are named without the procedure: \\code{omp} is \\code{omp\\_scan} for a scan"
        if part.problem == "primitives"
        else ""
    )
    apart = ", conversions to each format apart" if len(groups) > 1 else ""
    caption = (
        rf"{timed(part)} in \unit{{{unit}}}, each algorithm at its fastest parameters; "
        r"in brackets, in units of the last digit, the larger half of the interval of the median. "
        r"Bold: fastest, with a clear verdict against the second" + apart + columns
    )
    made = build(part, Block("times", "time", caption, value, part.algorithms))
    made[-1].notes[:0] = filter(None, [part.left_out()])
    return made


def timed(part: Section) -> str:
    """What the times are of: whether they hold the preparation, where algorithms prepare."""
    if not any(cell.prepares for cell in part.cells):
        return "time of one execution"
    if part.problem == "triangles":
        return "time of one execution with one preparation"
    return "time of one execution without preparation"


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

    caption = (
        f"speedup against {baseline_words(part)}, whose absolute times are in "
        rf"\cref{{tab:{part.problem}-times-{part.machine}}}: median over median"
        f"{calls_words(part)}. {VERDICTS}"
    )
    absent = "no time of its baseline here"
    block = Block("speedup", "speedup", caption, value, compared, "kernel_s", absent, True)
    made = build(part, block)
    found = [part.report.speedup(row, name) for row in part.rows for name in compared]
    for table in made:
        add_means(part, table)
    made[-1].notes += across_notes(part.report, part.machine, part.problem, found)
    return made


def calls_words(part: Section) -> str:
    """For how many calls a speedup is, where algorithms prepare."""
    if not any(cell.prepares for cell in part.cells):
        return ""
    shown = "one call" if part.problem == "triangles" else "infinitely many calls"
    table = rf"\cref{{tab:{part.problem}-calls-baseline-{part.machine}}}"
    shown_elsewhere = part.problem in CALLS_TABLES and preparing(part)
    others = f"; for other numbers see {table}" if shown_elsewhere else ""
    return f", for {shown}{others}"


def add_means(part: Section, table: Table) -> None:
    """Two last rows: the geometric mean of each column, and of how many rows it is."""
    fixed = sum(not column.name for column in table.columns)
    means: list[Value] = [Text("geometric mean"), *[Text("")] * (fixed - 1)]
    counts: list[Value] = [Text("of rows"), *[Text("")] * (fixed - 1)]
    for column in table.columns[fixed:]:
        ratios = [x.value for r in part.rows if (x := part.report.speedup(r, column.name))]
        cells = tuple(c for r in part.rows for c in part.report.compared(r, column.name))
        mean = significant(geometric_mean(ratios)) if ratios else ""
        means.append(Number(mean, sources=cells) if ratios else Text("--"))
        counts.append(Text(f"{len(ratios)}", cells))
    table.body += [means, counts]
    table.foot_rows = 2


def speedup_number(part: Section, row: Row, cell: Cell) -> Number | None:
    """The speedup with a mark when it says little; a baseline is exactly one."""
    ratio = part.report.speedup(row, cell.algorithm)
    if ratio is None:
        return None
    if part.report.baseline(row, cell.algorithm) is cell:
        return Number("1.00")
    sources = part.report.compared(row, cell.algorithm)
    return Number(significant(ratio.value), mark=ratio_mark(ratio), sources=sources)


def rates(part: Section) -> list[Table]:
    """The rate of work, where the problem has a unit of it, beside the share of the bound."""
    kinds = {w[1] for c in part.cells if (w := c.work)}
    if len(kinds) != 1:
        return [*build(part, share_of_bound(part)), *second_bound(part)]
    kind = kinds.pop()
    scale, unit, words = RATES[kind]

    def value(_: Row, cell: Cell) -> Number | None:
        if not cell.work or not cell.work[0]:
            return None
        rate = cell.work[0] / cell.seconds
        return Number(significant(scale / rate if kind == "entry" else scale * rate))

    head = rf"{'time per entry' if kind == 'entry' else 'rate'} (\unit{{{unit}}})"
    name = "time" if kind == "entry" else "rate"
    rate = Block("rate", head, rf"{name} in \unit{{{unit}}} {words}", value, part.algorithms)
    return [*build(part, rate, share_of_bound(part)), *second_bound(part)]


def share_of_bound(part: Section) -> Block:
    def value(_: Row, cell: Cell) -> Number | None:
        fraction = cell.fraction_of_bound
        return None if fraction is None else Number(significant(100 * fraction))

    caption = (
        r"share of the copy bound in \unit{\percent}: the time in which the least traffic of the "
        "problem moves at the highest rate at which the same threads, or the same device, copy, "
        "read or write memory, over the time taken. Above 100 the data stay in cache"
    )
    head = r"share of the bound (\unit{\percent})"
    return Block("bound", head, caption, value, part.algorithms, absent="no bound is known")


SECOND_BOUNDS = {
    "two_passes": (
        "second bound",
        "two passes over the entries, which a transposition by partition needs. It is the nearer "
        "one where the least traffic is out of reach",
    ),
    "gather": (
        "time of gathers",
        "a row of X for every entry, at the measured rates of the caches and of the memory. No "
        "kernel is faster without reuse of X; above 100 a kernel has such reuse",
    ),
}
"""Names of second bounds in records: what a table calls them, and in words what they are;
docs/bounds.md derives them."""


def second_bound(part: Section) -> list[Table]:
    """The share of the second bound beside that of the copy bound, where records have one."""
    names = {s[0] for c in part.cells if (s := c.second_bound)}
    if not names:
        return []

    def value(_: Row, cell: Cell) -> Number | None:
        second = cell.second_bound
        return None if second is None else Number(significant(100 * second[1] / cell.seconds))

    (name,) = names
    called, words = SECOND_BOUNDS[name]
    caption = (
        rf"share of the {called} in \unit{{\percent}}, that time over the time taken: "
        rf"{words} (derived in \code{{docs/bounds.md}})"
    )
    head = rf"share of the {called} (\unit{{\percent}})"
    bounded = {c.algorithm for c in part.cells if c.second_bound}
    chosen = [a for a in part.algorithms if a in bounded]
    copy = replace(share_of_bound(part), key="second-bound", algorithms=chosen)
    second = Block("second", head, caption, value, chosen, absent="no such time is known")
    return build(part, copy, second)


def end_to_end(part: Section) -> list[Table]:
    """Preparation, where there is one, beside the end-to-end time; and the parts of that."""
    blocks = [block for block in (preparation(part), whole(part)) if block]
    return [*(build(part, *blocks) if blocks else []), *parts_of_whole(part)]


def parts_of_whole(part: Section) -> list[Table]:
    """How the end-to-end time divides into allocation, transfers and kernel, by algorithm and kind
    of transfers: medians over the rows of the medians over the cycles."""
    body: list[list[Value]] = []
    used: list[Cell] = []
    for name in part.algorithms:
        cells = [c for r in part.rows if (c := part.report.best(r, name, "end_to_end_s"))]
        for transfers in ("none", "pageable", "pinned"):
            found = [(c, cycles) for c in cells if (cycles := c.end_to_end(transfers))]
            if not found:
                continue
            used += [c for c, _ in found]
            sources = tuple(c for c, _ in found)
            rows = Text(integer(len(found)), sources)
            line: list[Value] = [Text(code(name)), Text(transfers), rows]
            for key in ("allocation_s", "transfer_s", "kernel_s"):
                shares = [cycles[key] / cycles["total_s"] for _, cycles in found]
                line.append(Number(f"{100 * median(shares):.1f}", sources=sources))
            ratios = [cycles["total_s"] / c.cost.execution for c, cycles in found]
            line.append(Number(significant(median(ratios)), sources=sources))
            body.append(line)
    if not body:
        return []
    table = Table(
        label=f"tab:{part.problem}-end-to-end-parts-{part.machine}",
        caption=f"{part.title}: parts of the end-to-end time in \\unit{{\\percent}}, and the "
        "end-to-end time over that of one execution, medians over the rows. Preparation is in the "
        "kernel's part. Pageable transfers are from memory as a program allocates it, pinned ones "
        f"from memory that the driver has registered. {provenance(used, 'end_to_end_s')}",
        columns=[
            Column("algorithm", "l"),
            Column("transfers", "l"),
            Column("rows", "r"),
            Column("allocation"),
            Column("transfers"),
            Column("kernel"),
            Column("over execution"),
        ],
        body=body,
    )
    return [table]


def whole(part: Section) -> Block | None:
    seconds = [s.median for c in part.cells if (s := c.summary("end_to_end_s"))]
    if not seconds:
        return None
    scale, unit = unit_of(seconds)

    def value(_: Row, cell: Cell) -> Number | None:
        summary = cell.summary("end_to_end_s")
        return None if summary is None else measured(summary, scale)

    caption = (
        rf"end to end in \unit{{{unit}}}: allocation, transfers (pageable where measured), "
        "preparation and one execution"
    )
    head = rf"end to end (\unit{{{unit}}})"
    names = {c.algorithm for c in part.cells if c.count("end_to_end_s")}
    chosen = [a for a in part.algorithms if a in names]
    absent = "taken of the kernel alone"
    return Block("end-to-end", head, caption, value, chosen, "end_to_end_s", absent, True)


def preparation(part: Section) -> Block | None:
    names = {c.algorithm for c in part.cells if c.prepares}
    if not names:
        return None
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
        rf"\cref{{tab:{part.problem}-times-{part.machine}}}, for the algorithms that need one"
    )
    chosen = [a for a in part.algorithms if a in names]
    head = rf"preparation (\unit{{{unit}}})"
    absent = "its fastest setting prepares nothing"
    return Block("preparation", head, caption, value, chosen, "preprocess_s", absent, True)


KINDS: dict[str, Callable[[Section], list[Table]]] = {
    "times": times,
    "speedup": speedups,
    "rate": rates,
    "end-to-end": end_to_end,
}
