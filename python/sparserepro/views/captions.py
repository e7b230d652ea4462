"""What every caption says about its numbers, and why a cell has none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sparserepro.data.frames import Cell, Report, Row
from sparserepro.render.latex import code, listing, prose, significant
from sparserepro.render.tabular import Number, Text, Value
from sparserepro.stats import Ratio, Verdict, verdict


def span(values: Iterable[int]) -> str:
    """ "25", or "10 to 25"."""
    low, high = min(values := list(values)), max(values)
    return str(low) if low == high else f"{low} to {high}"


def commits(cells: Iterable[Cell]) -> str:
    """The commits that the cells were built from, most used first."""
    used = Counter((c.line["commit"][:10], c.line["dirty"]) for c in cells)
    names = [
        code(commit) + (" with uncommitted changes" if dirty else "")
        for (commit, dirty), _ in sorted(used.items(), key=lambda item: (-item[1], item[0]))
    ]
    return ("commit " if len(names) == 1 else "commits ") + listing(names)


def caches(cells: Iterable[Cell]) -> str:
    states = sorted({c.line["cache"] for c in cells}, reverse=True)
    return "caches " + listing(states)


def provenance(cells: Sequence[Cell], which: str = "kernel_s", *others: str) -> str:
    """Samples (of each kind), warm-up, cache state, machine and commit of measured cells."""
    if not cells:
        return ""
    machines = sorted({c.row.machine for c in cells})
    counts = ([n for c in cells if (n := c.count(kind))] for kind in (which, *others))
    samples = listing(list(dict.fromkeys(span(found) for found in counts)))
    warmup = span(c.line["warmup"] for c in cells)
    first = f"Median of {samples} sample{'s' * (samples != '1')}"
    if which == "kernel_s":
        first += f" after {warmup} warm-up run{'s' * (warmup != '1')}, {caches(cells)}"
    where = ("machine " if len(machines) == 1 else "machines ") + listing(
        [code(m) for m in machines]
    )
    return f"{first}; {where}; {commits(cells)}."


def without_numbers(reason: str) -> str:
    """The reason with its numbers replaced, so that like reasons are counted together."""
    return re.sub(r"\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?", "#", reason)


def kinds(reasons: Iterable[str]) -> list[str]:
    """One reason for each kind, "for example" when others differ from it in numbers."""
    found: dict[str, set[str]] = {}
    for reason in reasons:
        found.setdefault(without_numbers(reason), set()).add(reason)
    return [
        ("for example, " if len(same) > 1 else "") + min(same) for _, same in sorted(found.items())
    ]


@dataclass
class Gaps:
    """The letters that stand in for cells without a number, one for each kind of reason."""

    reasons: dict[str, list[str]] = field(default_factory=dict)

    def skipped(self, reason: str) -> Text:
        kind = without_numbers(reason)
        self.reasons.setdefault(kind, []).append(reason)
        return Text(rf"\gap{{{alphabetic(list(self.reasons).index(kind))}}}")

    def of(self, cell: Cell | None) -> Text:
        """For a cell that is missing or was skipped."""
        if cell is None:
            return self.skipped("not in the measured grid")
        return Text(self.skipped(cell.reason).latex_text, (cell,))

    def notes(self) -> list[str]:
        return [
            rf"\gap{{{alphabetic(index)}}}~{prose(listing(kinds(reasons)))}."
            for index, reasons in enumerate(self.reasons.values())
        ]


def alphabetic(index: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def lead(report: Report, row: Row, algorithms: Sequence[str]) -> tuple[str, Ratio] | None:
    """The fastest of several algorithms on a row, and how far it is ahead of the runner-up."""
    found = (report.best(row, a) for a in algorithms)
    cells = sorted((c for c in found if c and c.ok), key=lambda c: c.seconds)
    return (cells[0].algorithm, report.ratio(cells[1], cells[0])) if len(cells) > 1 else None


def clear_winner(report: Report, row: Row, algorithms: Sequence[str]) -> str | None:
    """The fastest algorithm of a row if its verdict against the runner-up is "faster"."""
    first = lead(report, row, algorithms)
    return first[0] if first and verdict(first[1]) is Verdict.faster else None


VERDICTS = r"\same~same within the smallest effect of interest, \unclear~not decided by the samples"


def ratio_mark(ratio: Ratio) -> str:
    """What stands behind a ratio: whether it is decided, and whether it is of one run."""
    marks = {Verdict.same: r"\same", Verdict.unclear: r"\unclear"}.get(verdict(ratio), "")
    marks += r"\across" * ratio.across_runs
    return f"{{{marks}}}" if marks else ""


ACROSS = r"\across~The two were measured in different runs of a driver"


def across_mark(*cells: Cell) -> str:
    """Behind a ratio that has no verdict: whether its cells are of several runs."""
    return r"{\across}" if len({cell.run for cell in cells}) > 1 else ""


def across_words(ratios: Iterable[Ratio | None]) -> str:
    """The same for figures, where one of these ratios is across runs."""
    if not any(ratio and ratio.across_runs for ratio in ratios):
        return ""
    return (
        " Intervals of ratios across runs of a driver hold the spread between runs; where it is "
        "not known they have none."
    )


def across_notes(
    report: Report, machine: str, problem: str, ratios: Iterable[Ratio | None]
) -> list[str]:
    """What the mark of ratios across runs means, where one of these has it."""
    if not any(ratio and ratio.across_runs for ratio in ratios):
        return []
    sides = sorted({c.side for c in report.select(machine=machine, problem=problem, ok=True)})
    known = {side: report.spread(machine, side, problem) for side in sides}
    parts = [
        rf"\qty{{{significant(100 * spread.reach, 2)}}}{{\percent}} on the {side}"
        for side, spread in known.items()
        if spread
    ]
    if not parts:
        return [f"{ACROSS}; no repeated run tells how much runs differ, so nothing is decided."]
    without = "".join(
        f"; of the {side} no run was repeated, so its ratios are not decided"
        for side, spread in known.items()
        if spread is None
    )
    return [
        f"{ACROSS}: the interval holds what a median may differ from run to run "
        f"({listing(parts)}){without}."
    ]


def instance_columns(rows: Sequence[Row], always: bool = False) -> list[str]:
    """Instance parameters that need a column of their own: those that differ between the rows."""
    names = list(dict.fromkeys(name for row in rows for name, _ in row.instance))
    return [n for n in names if always or len({row.value(n) for row in rows}) > 1]


def instance_text(rows: Sequence[Row]) -> str:
    """The instance parameters that all rows share: "value_type = fp64, ..."; "" when none."""
    varying = instance_columns(rows)
    shared = [(n, v) for n, v in rows[0].instance if n not in varying] if rows else []
    return listing([f"{code(n)} = {code(v)}" for n, v in shared])


def row_label(row: Row, columns: Sequence[str]) -> list[Value]:
    """The first cells of a table's row: the matrix (not for arrays), then instance parameters."""
    label: list[Value] = [] if row.problem == "primitives" else [Text(code(row.matrix))]
    for name in columns:
        value = row.value(name)
        text = Text("--" if value is None else code(value))
        label.append(Number(str(value)) if isinstance(value, int) else text)
    return label
