"""A section of the report: the rows and algorithms of one problem on one machine."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from sparserepro.data.frames import PROBLEM_TITLES, Cell, Report, Row
from sparserepro.render.latex import code, listing, prose
from sparserepro.views.captions import kinds

CALLS_TABLES = ("transpose", "spmm", "triangles")
"""Problems with tables of speedups by number of calls."""

FORMATS = {
    "_to_csr": "COO to CSR",
    "_to_ellpack_no_": "COO to ELLPACK without padding",
    "_to_ellpack": "COO to padded ELLPACK",
}
"""What conversions make, by a part of their names."""

UNITS = ((1.0, r"\second"), (1e3, r"\milli\second"), (1e6, r"\micro\second"))


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
            reason = listing(kinds(reasons)) if reasons else "not in the measured grid"
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


def rival_groups(part: Section) -> dict[str, list[str]]:
    """The algorithms that compete: those of the host or of the device, and of conversions to one
    format; by what tells the groups apart. A group of one says nothing."""
    sides = {cell.algorithm: cell.side for cell in part.cells}
    several = len(set(sides.values())) > 1
    groups: dict[str, list[str]] = {}
    for name in part.algorithms:
        form = next((words for stem, words in FORMATS.items() if stem in name), "")
        title = ", ".join(filter(None, (form, sides[name] if several else "")))
        groups.setdefault(title, []).append(name)
    return {title: names for title, names in groups.items() if len(names) > 1}


def preparing(part: Section) -> list[str]:
    """Algorithms with preparation and another one for a baseline."""
    return [
        name
        for name in part.algorithms
        if any(
            (cell := part.report.best(row, name))
            and cell.prepares
            and part.report.baseline(row, name)
            for row in part.rows
        )
    ]


def unit_of(seconds: Sequence[float]) -> tuple[float, str]:
    middle = statistics.median(seconds)
    if middle >= 1:
        return UNITS[0]
    return UNITS[1] if middle >= 1e-4 else UNITS[2]


def baseline_words(part: Section) -> str:
    """The baseline by name when all algorithms share it, else where each one's is named."""
    found = (part.report.baseline(r, a) for r in part.rows for a in part.algorithms)
    names = {b.name for b in found if b}
    if len(names) == 1:
        return code(names.pop())
    return rf"each algorithm's serial baseline (named in \cref{{tab:{part.problem}-algorithms}})"
