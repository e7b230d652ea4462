"""This project's best algorithm beside the best library, for any number of calls.

Which own algorithm it is, the table of cells says (`deciding.py`). It meets the best library of
each row, and of each number of calls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sparserepro.data.calls import Stretch, break_even, calls_name, pays_from
from sparserepro.data.frames import Cell, Report, Row, chosen_among, settings, told
from sparserepro.stats import Ratio


@dataclass(frozen=True)
class Pair:
    """A row with all measured settings of the own algorithm and of the row's libraries."""

    report: Report
    row: Row
    algorithm: str
    libraries: tuple[Cell, ...]

    @property
    def own_cells(self) -> list[Cell]:
        return [c for c in self.report.cells_of(self.row, self.algorithm) if c.ok]

    def own(self, calls: float | None = None) -> Cell:
        found = self.report.best(self.row, self.algorithm, calls=calls)
        if found is None or not found.ok:
            raise ValueError(f"no time of {self.algorithm} on {self.row}")
        return found

    def peer(self, calls: float | None = None) -> Cell:
        """The best setting of all libraries, for the headline or that many calls."""
        name = "library_id" if calls is None else f"library_id_{calls_name(calls)}"
        found = self.report.named(self.row, self.own().line[name])
        if found is None:
            raise ValueError(f"no library on {self.row}")
        return chosen_among(found, self.libraries)

    def cells(self, calls: float | None = None) -> tuple[Cell, Cell]:
        """The library's and ours, whose times make a ratio."""
        return self.peer(calls), self.own(calls)

    @property
    def every(self) -> tuple[Cell, ...]:
        """All settings, whose costs make the break-even."""
        return (*self.own_cells, *self.libraries)

    @property
    def ratio(self) -> Ratio:
        """Of the headlines: the library's time over ours."""
        return told("library_ratio", *self.cells())

    def speedup(self, calls: float) -> float:
        return float(self.own().line[f"library_ratio_{calls_name(calls)}"])

    @cached_property
    def break_even(self) -> list[Stretch]:
        return break_even(settings(self.own_cells), settings(self.libraries))

    @property
    def prepares(self) -> bool:
        return any(c.prepares for c in self.every)


def compared(report: Report, machine: str, problem: str, side: str) -> list[Pair]:
    """The rows on which libraries and the best own algorithm have times."""
    return [
        Pair(report, row, cell.algorithm, tuple(report.rivals(row, side, peer=True)))
        for row in report.rows(machine, problem)
        for cell in report.rivals(row, side, peer=False)
        if cell.line["best_own"]
    ]


def median_calls(pairs: Iterable[Pair]) -> float:
    """Lower median over the rows of the calls from which an algorithm stays ahead; infinite where
    it does not on most rows."""
    firsts = sorted(pays_from(pair.break_even) for pair in pairs)
    return firsts[(len(firsts) - 1) // 2]


def for_few_calls(pairs: Iterable[Pair]) -> int:
    """On how many rows an algorithm takes less for some numbers of calls, but not for many."""
    return sum(bool(p.break_even) and math.isinf(pays_from(p.break_even)) for p in pairs)
