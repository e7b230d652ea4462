"""The quantities of a measured cell that the long tables have in columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sparserepro.data.frames import Cell, Row
from sparserepro.data.libraries import over
from sparserepro.render.latex import listing, significant
from sparserepro.render.tabular import Number, Value, measured
from sparserepro.views.captions import VERDICTS, clear_winner, ratio_mark
from sparserepro.views.sections import (
    CALLS_TABLES,
    Section,
    baseline_words,
    preparing,
    rival_groups,
    unit_of,
)

RATES = {
    "entry": (1e9, r"\nano\second", "per stored entry (less is better)"),
    "flop": (1e-9, r"\giga\flop\per\second", "of floating-point work (more is better)"),
    "edge": (1e-6, r"\mega\edge\per\second", "in undirected edges (more is better)"),
}

SECOND_BOUNDS = {
    "two_passes": (
        "second",
        "second bound",
        "two passes over the entries, which a transposition by partition needs. It is the nearer "
        "one where the least traffic is out of reach",
    ),
    "gather": (
        "gathers",
        "time of gathers",
        "a row of X for every entry, at the measured rates of the caches and of the memory. No "
        "kernel is faster without reuse of X; above 100 a kernel has such reuse",
    ),
}
"""Names of second bounds: the head of their column, what a caption calls them, and in words what
they are; docs/bounds.md derives them."""


@dataclass(frozen=True)
class Quantity:
    """A column of numbers. `value` returns None for a cell that has no such quantity, for the
    reason `absent`."""

    head: str
    caption: str
    value: Callable[[Row, Cell], Value | None]
    which: str = "kernel_s"
    absent: str = "the algorithm has no such part"

    @property
    def among(self) -> str:
        """Samples of the cells that compete. Those of a preparation choose none: it is that of the
        setting whose time is shown, which may have none."""
        return "kernel_s" if self.which == "preprocess_s" else self.which


def headed(*lines: str) -> str:
    """A head of several lines, above numbers."""
    return r"\shortstack[c]{" + r"\\".join(lines) + "}" if len(lines) > 1 else lines[0]


def time(part: Section) -> Quantity:
    scale, unit = unit_of([c.seconds for c in part.cells])
    groups = rival_groups(part)
    winners = {
        row: {clear_winner(part.report, row, names) for names in groups.values()}
        for row in part.rows
    }

    def value(row: Row, cell: Cell) -> Number:
        return measured(cell.kernel, scale, cell.algorithm in winners[row])

    apart = f" of its group ({listing([*groups])})" if len(groups) > 1 else ""
    caption = (
        rf"{timed(part)} in \unit{{{unit}}}, each algorithm at its fastest parameters; "
        r"in brackets, in units of the last digit, the larger half of the interval of the median. "
        rf"Bold: fastest{apart}, with a clear verdict against the second"
    )
    return Quantity(headed("time", rf"(\unit{{{unit}}})"), caption, value)


def timed(part: Section) -> str:
    """What the times are of: whether they hold the preparation, where algorithms prepare."""
    if not any(cell.prepares for cell in part.cells):
        return "time of one execution"
    if part.problem == "triangles":
        return "time of one execution with one preparation"
    return "time of one execution without preparation"


def speedup(part: Section) -> Quantity | None:
    if not compared(part):
        return None

    def value(row: Row, cell: Cell) -> Number | None:
        return speedup_number(part, row, cell)

    caption = (
        f"Speedup: median over median against {baseline_words(part)}{calls_words(part)}. {VERDICTS}"
    )
    return Quantity("speedup", caption, value, absent="no time of its baseline here")


def compared(part: Section) -> list[str]:
    """Algorithms with another one for a baseline."""
    return [
        name
        for name in part.algorithms
        if any(
            (base := part.report.baseline(row, name)) and base.algorithm != name
            for row in part.rows
        )
    ]


def speedup_number(part: Section, row: Row, cell: Cell) -> Number | None:
    """The speedup with a mark when it says little; a baseline is exactly one."""
    ratio = part.report.speedup(row, cell.algorithm)
    if ratio is None:
        return None
    if part.report.baseline(row, cell.algorithm) is cell:
        return Number("1.00")
    sources = part.report.compared(row, cell.algorithm)
    return Number(significant(ratio.value), mark=ratio_mark(ratio), sources=sources)


def calls_words(part: Section) -> str:
    """For how many calls a speedup is, where algorithms prepare."""
    if not any(cell.prepares for cell in part.cells):
        return ""
    shown = "one call" if part.problem == "triangles" else "infinitely many calls"
    table = rf"\cref{{tab:{part.problem}-calls-baseline-{part.machine}}}"
    shown_elsewhere = part.problem in CALLS_TABLES and preparing(part)
    others = f"; for other numbers see {table}" if shown_elsewhere else ""
    return f", for {shown}{others}"


def rate_of(kind: str, cell: Cell) -> float | None:
    """Work over time, of entries time over work, in the unit of RATES."""
    if not cell.work or not cell.work[0]:
        return None
    scale, rate = RATES[kind][0], cell.work[0] / cell.seconds
    return scale / rate if kind == "entry" else scale * rate


def unit_of_work(part: Section) -> str | None:
    """The kind of work, where the cells have one."""
    kinds = {work[1] for cell in part.cells if (work := cell.work)}
    return kinds.pop() if len(kinds) == 1 else None


def rate(part: Section) -> Quantity | None:
    kind = unit_of_work(part)
    if kind is None:
        return None

    def value(_: Row, cell: Cell) -> Number | None:
        found = rate_of(kind, cell)
        return None if found is None else Number(significant(found))

    _, unit, words = RATES[kind]
    name = "time" if kind == "entry" else "rate"
    head = headed("per entry" if kind == "entry" else "rate", rf"(\unit{{{unit}}})")
    caption = rf"{name.capitalize()} in \unit{{{unit}}} {words}"
    return Quantity(head, caption, value, absent="no work is known")


def share_of_bound(part: Section) -> Quantity:
    def value(_: Row, cell: Cell) -> Number | None:
        fraction = cell.fraction_of_bound
        return None if fraction is None else Number(significant(100 * fraction))

    caption = (
        r"Bound: share of the copy bound in \unit{\percent}, the time in which the least traffic "
        "of the problem moves at the highest rate at which the same threads, or the same device, "
        "copy, read or write memory, over the time taken. Above 100 the data stay in cache"
    )
    head = headed("bound", r"(\unit{\percent})")
    return Quantity(head, caption, value, absent="no bound is known")


def second_bound(part: Section) -> Quantity | None:
    names = {second[0] for cell in part.cells if (second := cell.second_bound)}
    if not names:
        return None

    def value(_: Row, cell: Cell) -> Number | None:
        second = cell.second_bound
        return None if second is None else Number(significant(100 * second[1] / cell.seconds))

    (name,) = names
    short, called, words = SECOND_BOUNDS[name]
    caption = (
        rf"{short.capitalize()}: share of the {called} in \unit{{\percent}}, that time over the "
        rf"time taken: {words} (derived in \code{{docs/bounds.md}})"
    )
    head = headed(short, r"(\unit{\percent})")
    return Quantity(head, caption, value, absent="no such time is known")


def preparation(part: Section) -> Quantity | None:
    if not any(cell.prepares for cell in part.cells):
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
        rf"Preparation in \unit{{{unit}}}, {relation} the times in "
        rf"\cref{{tab:{part.problem}-times-{part.machine}}}, for the algorithms that need one"
    )
    head = headed("preparation", rf"(\unit{{{unit}}})")
    absent = "its fastest setting prepares nothing"
    return Quantity(head, caption, value, "preprocess_s", absent)


def end_to_end(part: Section) -> Quantity | None:
    seconds = [s.median for c in part.cells if (s := c.summary("end_to_end_s"))]
    if not seconds:
        return None
    scale, unit = unit_of(seconds)

    def value(_: Row, cell: Cell) -> Number | None:
        summary = cell.summary("end_to_end_s")
        return None if summary is None else measured(summary, scale)

    caption = (
        rf"End to end in \unit{{{unit}}}: allocation, transfers (pageable where measured), "
        "preparation and one execution"
    )
    head = headed("end to end", rf"(\unit{{{unit}}})")
    return Quantity(head, caption, value, "end_to_end_s", "taken of the kernel alone")


def library_note(cells: list[Cell]) -> str:
    """What the dagger at an algorithm's name means, with the versions that were measured."""
    versions = over(c for c in cells if c.peer)
    return rf"\textsuperscript{{\textdagger}}~Third-party library{versions and ': '}{versions}."
