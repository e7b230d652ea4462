"""This project's best algorithm beside the best library, for any number of calls.

The own algorithm is chosen once for a machine and a side (host or device), in primitives once for
each procedure: of those with times on most rows it is the one of least geometric mean. It meets the
best library of each row, and of each number of calls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparserepro.data.calls import Stretch, break_even, pays_from, speedup
from sparserepro.data.frames import Cell, Report, Row, choose, settings
from sparserepro.render.latex import code, integer, listing, significant
from sparserepro.render.tabular import Number
from sparserepro.stats import Ratio, geometric_mean

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
        return self.report.ratio(*self.cells())

    def speedup(self, calls: float) -> float:
        peer, own = self.cells(calls)
        return speedup(peer.cost, own.cost, calls)

    @cached_property
    def break_even(self) -> list[Stretch]:
        return break_even(settings(self.own_cells), settings(self.libraries))

    @property
    def prepares(self) -> bool:
        return any(c.prepares for c in self.every)


@dataclass(frozen=True)
class Contest:
    """A row with the measured cells of own algorithms and of libraries on one side."""

    row: Row
    own: list[Cell]
    libraries: list[Cell]

    @cached_property
    def seconds(self) -> dict[str, float]:
        """What each own algorithm takes at its best setting, by the samples that choose."""
        found: dict[str, float] = {}
        for cell in self.own:
            taken = cell.choosing.of(cell.headline_calls)
            found[cell.algorithm] = min(taken, found.get(cell.algorithm, math.inf))
        return found


def contests(report: Report, machine: str, problem: str, side: str) -> list[Contest]:
    """The rows on which both own algorithms and libraries have times."""
    found = []
    for row in report.rows(machine, problem):
        own, libraries = (report.rivals(row, SIDES[side], peer) for peer in (False, True))
        if own and libraries:
            found.append(Contest(row, own, libraries))
    return found


def best_own(members: list[Contest]) -> str:
    """Of the own algorithms with times on most rows, the one that takes least in geometric mean,
    each row measured by its fastest own algorithm."""
    shares: dict[str, list[float]] = {}
    for contest in members:
        least = min(contest.seconds.values())
        for name, seconds in contest.seconds.items():
            shares.setdefault(name, []).append(seconds / least)
    return min(shares, key=lambda name: (-len(shares[name]), geometric_mean(shares[name]), name))


def compared(report: Report, machine: str, problem: str, side: str) -> list[Pair]:
    """The rows on which libraries and the best own algorithm have times; in primitives each
    procedure has an own algorithm of its own."""
    found = contests(report, machine, problem, side)
    groups: dict[int | str | None, list[Contest]] = {}
    for contest in found:
        groups.setdefault(contest.row.value("procedure"), []).append(contest)
    best = {procedure: best_own(members) for procedure, members in groups.items()}
    return [
        Pair(report, contest.row, name, tuple(contest.libraries))
        for contest in found
        if (name := best[contest.row.value("procedure")]) in contest.seconds
    ]


def own_names(pairs: Iterable[Pair]) -> str:
    """The own algorithms of these pairs, by the names of the catalogue."""
    return listing([code(n) for n in dict.fromkeys(p.own().name for p in pairs)])


def missing(pairs: list[Pair], side: str) -> int:
    """On how many rows libraries have times, and own algorithms, but not the one of these pairs."""
    at = pairs[0].row
    return len(contests(pairs[0].report, at.machine, at.problem, side)) - len(pairs)


def missing_words(pairs: list[Pair], side: str) -> str:
    """ " (on 2 more it has no time)", or nothing."""
    rows = missing(pairs, side)
    return f" (on {integer(rows)} more it has no time)" if rows else ""


def chosen_words(pairs: list[Pair]) -> str:
    """Which own algorithms these are."""
    each = " for each procedure" if pairs[0].row.problem == "primitives" else ""
    return (
        f"{own_names(pairs)}, of this project's algorithms with times on most "
        f"rows the one of least geometric mean{each}"
    )


def mean_speedup(pairs: list[Pair], calls: float) -> Number:
    """Geometric mean over the library for that many calls."""
    mean = geometric_mean([pair.speedup(calls) for pair in pairs])
    sources = tuple(cell for pair in pairs for cell in pair.cells(calls))
    return Number(significant(mean), sources=sources)


def median_calls(pairs: Iterable[Pair]) -> float:
    """Lower median over the rows of the calls from which an algorithm stays ahead; infinite where
    it does not on most rows."""
    firsts = sorted(pays_from(pair.break_even) for pair in pairs)
    return firsts[(len(firsts) - 1) // 2]


def for_few_calls(pairs: Iterable[Pair]) -> int:
    """On how many rows an algorithm takes less for some numbers of calls, but not for many."""
    return sum(bool(p.break_even) and math.isinf(pays_from(p.break_even)) for p in pairs)


def calls_text(found: Sequence[Stretch]) -> str:
    """ "4" where it stays ahead from 4 on, "4 to 90" where a library with more preparation
    overtakes, "1 to 3, 50" with a gap, or "never"."""
    parts = [
        str(first) if last is None else f"{first} alone" if first == last else f"{first} to {last}"
        for first, last in found
    ]
    return ", ".join(parts) or "never"
