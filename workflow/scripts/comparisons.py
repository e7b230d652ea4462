"""This project's best algorithm beside the best library, for any number of calls.

The own algorithm is chosen once for a machine and a side (host or device): of those with a time on
every row it is the one of least geometric mean. It meets the best library of each row, and of each
number of calls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from calls import BreakEven, break_even, speedup
from frames import Cell, Report, Row, choose, settings
from stats import Ratio, geometric_mean

SIDES = {"host": ("serial", "omp"), "device": ("cuda",)}
"""Backends that are compared with each other."""


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
        wanted = self.libraries[0].headline_calls if calls is None else calls
        found = choose(self.libraries, wanted)
        if found is None:
            raise ValueError(f"no library on {self.row}")
        return found

    @property
    def ratio(self) -> Ratio:
        """Of the headlines: the library's time over ours."""
        return self.report.ratio(self.peer(), self.own())

    def speedup(self, calls: float) -> float:
        return speedup(self.peer(calls).cost, self.own(calls).cost, calls)

    @property
    def break_even(self) -> BreakEven | None:
        return break_even(settings(self.own_cells), settings(self.libraries))

    @property
    def prepares(self) -> bool:
        return any(c.prepares for c in (*self.own_cells, *self.libraries))


def compared(report: Report, machine: str, problem: str, side: str) -> list[Pair]:
    """The rows on which libraries and own algorithms have times, with the best own algorithm."""
    rows: list[tuple[Row, list[Cell], list[Cell]]] = []
    for row in report.rows(machine, problem):
        own, peers = (report.rivals(row, SIDES[side], peer) for peer in (False, True))
        if own and peers:
            rows.append((row, own, peers))
    every = [{c.algorithm for c in own} for _, own, _ in rows]
    names = [n for n in report.algorithms(problem) if all(n in found for found in every)]
    if not rows or not names:
        return []

    def mean(name: str) -> float:
        cells = (report.best(row, name) for row, _, _ in rows)
        return geometric_mean([cell.seconds for cell in cells if cell])

    best = min(names, key=mean)
    return [Pair(report, row, best, tuple(peers)) for row, _, peers in rows]


def median_calls(found: Iterable[BreakEven | None]) -> float:
    """Lower median of the calls from which an algorithm pays; never counts as infinitely many."""
    firsts = sorted(math.inf if b is None else b.first for b in found)
    return firsts[(len(firsts) - 1) // 2]


def calls_text(found: BreakEven | None) -> str:
    """ "4", "4 to 90" where a library with more preparation overtakes, or "never"."""
    if found is None:
        return "never"
    if found.last is None:
        return str(found.first)
    return str(found.first) if found.first == found.last else f"{found.first} to {found.last}"
