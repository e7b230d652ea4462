"""Decides what the table of cells says: which setting stands for an algorithm, what its baseline
is, and which own algorithm meets the libraries.

The own algorithm is chosen once for a machine and a side (host or device), in primitives once for
each procedure: of those with times on most rows it is the one of least geometric mean. An algorithm
whose minimum traffic is less than the libraries' solves a smaller problem, as a plan that moves the
values of a known pattern alone, and does not meet them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparserepro.data.cell import Cell
from sparserepro.data.frames import SIDES, Report, choose
from sparserepro.data.rows import Row, column_name
from sparserepro.stats import Ratio, geometric_mean, held_out_rounds, in_rounds


class Undecided(Report):
    """A report of lines that say nothing of each other."""

    def chosen(self, cells: Sequence[Cell]) -> Cell | None:
        return choose(cells, cells[0].headline_calls) if cells else None

    def baseline(self, row: Row, algorithm: str, calls: float | None = None) -> Cell | None:
        """By the catalogue; None for an algorithm of archived records that it does not know."""
        book, cell = self.catalogues[row.problem], self.best(row, algorithm)
        name = book.baselines.get(cell.name) if cell else None
        base = self.best(row, column_name(row.problem, name), calls=calls) if name else None
        return base if base and base.ok else None

    def fastest_library(self, row: Row, side: str, calls: float | None = None) -> Cell | None:
        """The fastest setting of all libraries, for the headline or that many calls."""
        libraries = self.rivals(row, side, peer=True)
        if not libraries:
            return None
        return choose(libraries, libraries[0].headline_calls if calls is None else calls)

    def ratio(self, base: Cell, other: Cell) -> Ratio:
        """The same; of headlines without preparation, whose samples a run took in the same rounds,
        by these."""
        found = super().ratio(base, other)
        if base.run != other.run or not all(
            c.kernel == c.summary("kernel_s") for c in (base, other)
        ):
            return found
        return in_rounds(found, reported(base), reported(other))

    @cached_property
    def best_own(self) -> set[tuple[Row, str]]:
        """Rows and the own algorithms that meet the libraries there."""
        return {
            pair
            for machine, problem in {(c.row.machine, c.row.problem) for c in self.cells}
            for side in SIDES
            for pair in met(self, machine, problem, side)
        }


def reported(cell: Cell) -> dict[int, float]:
    """The samples that the cell is reported from, by round; none where rounds are not known."""
    samples: Sequence[float] = cell.line.get("rounds") or ()
    rounds = held_out_rounds(len(samples)) if cell.held_out else range(len(samples))
    return {i: samples[i] for i in rounds}


@dataclass(frozen=True)
class Contest:
    """A row with the measured cells of own algorithms, on one side."""

    row: Row
    own: list[Cell]

    @cached_property
    def seconds(self) -> dict[str, float]:
        """What each own algorithm takes at its best setting, by the samples that choose."""
        found: dict[str, float] = {}
        for cell in self.own:
            taken = cell.choosing.of(cell.headline_calls)
            found[cell.algorithm] = min(taken, found.get(cell.algorithm, math.inf))
        return found


def best_of(members: list[Contest]) -> str:
    """Of the own algorithms with times on most rows, the one that takes least in geometric mean,
    each row measured by its fastest own algorithm."""
    shares: dict[str, list[float]] = {}
    for contest in members:
        fastest = min(contest.seconds.values())
        for name, seconds in contest.seconds.items():
            shares.setdefault(name, []).append(seconds / fastest)
    return min(shares, key=lambda name: (-len(shares[name]), geometric_mean(shares[name]), name))


def traffic(cell: Cell) -> float:
    """The bytes that a solution of the cell's problem has to move."""
    return float(cell.line.get("model_bytes") or 0)


def met(report: Report, machine: str, problem: str, side: str) -> Iterator[tuple[Row, str]]:
    """The rows on which libraries and the best own algorithm have times, and its name."""
    groups: dict[int | str | None, list[Contest]] = {}
    for row in report.contested(machine, problem, side):
        least = min(traffic(cell) for cell in report.rivals(row, side, peer=True))
        own = [c for c in report.rivals(row, side, peer=False) if traffic(c) >= least]
        if own:
            groups.setdefault(row.value("procedure"), []).append(Contest(row, own))
    for members in groups.values():
        name = best_of(members)
        yield from ((contest.row, name) for contest in members if name in contest.seconds)
