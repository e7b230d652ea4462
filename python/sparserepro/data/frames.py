"""What the report is made of: the cells of the table, facts of matrices, and catalogues.

What the lines of the table decide is taken from them: the setting that stands for an algorithm, its
baseline, its speedup. Selections that several tables and figures share (the rows of a problem, the
best for a number of calls) are here, so that every table means the same by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sparserepro.config.matrix_list import class_of
from sparserepro.data.calls import Setting
from sparserepro.data.catalogue import Algorithm, Catalogue
from sparserepro.data.cell import Cell
from sparserepro.data.rows import (
    GRID,
    PROBLEM_TITLES,
    PROBLEMS,
    PROCEDURES,
    Params,
    Row,
    column_name,
    params_text,
)
from sparserepro.data.run_spread import Place, spreads
from sparserepro.stats import Ratio, Spread, between_runs, speedup

__all__ = [
    "GRID", "PROBLEMS", "PROBLEM_TITLES", "PROCEDURES", "SIDES", "Algorithm", "Catalogue", "Cell",
    "Params", "Report", "Row", "choose", "column_name", "fastest", "params_text", "settings",
]  # fmt: skip


SIDES = ("host", "device")
"""What is compared with each other: serial and OpenMP algorithms, or those of a device."""


@dataclass(frozen=True)
class Report:
    """Everything that tables, figures and macros are made from."""

    cells: tuple[Cell, ...]
    matrices: dict[str, dict[str, Any]]
    catalogues: dict[str, Catalogue]
    listed_classes: dict[str, str] = field(default_factory=dict)
    """Classes of the matrices that a configuration can name, for those of other machines."""
    older: tuple[Cell, ...] = ()
    """Cells of libraries that the same row has in a newer version: they show what the library
    gained, and compete nowhere."""
    repeats: tuple[Cell, ...] = ()
    """Cells measured again in other runs, which serve the spread between runs alone."""
    context: frozenset[str] = frozenset()
    """Machines of sets that stand beside this run's own: after it, and not in every table."""
    hidden: frozenset[str] = frozenset()
    """Machines that `machines` leaves out."""

    def of_this_run(self) -> Report:
        """The same without the machines of sets, where this run has one of its own."""
        machines = {cell.row.machine for cell in self.cells}
        return replace(self, hidden=self.context) if machines - self.context else self

    @property
    def every(self) -> tuple[Cell, ...]:
        """All cells, those of older libraries and of repeated runs among them."""
        return (*self.cells, *self.older, *self.repeats)

    @property
    def machines(self) -> list[str]:
        """This run's own first."""
        found = {cell.row.machine for cell in self.cells} - self.hidden
        return sorted(found, key=lambda machine: (machine in self.context, machine))

    @property
    def problems(self) -> list[str]:
        present = {cell.row.problem for cell in self.cells}
        return [problem for problem in PROBLEMS if problem in present]

    def select(self, **wanted: Any) -> list[Cell]:
        """Cells with these values of machine, problem, matrix, algorithm, backend or ok."""

        machine, problem = wanted.pop("machine", None), wanted.pop("problem", None)
        pool = [
            cell
            for (m, p), cells in self._pools.items()
            if machine in (None, m) and problem in (None, p)
            for cell in cells
        ]
        for name, value in wanted.items():
            pool = [
                c for c in pool if (c.row.matrix if name == "matrix" else getattr(c, name)) == value
            ]
        return pool

    @cached_property
    def _pools(self) -> dict[tuple[str, str], list[Cell]]:
        pools: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.cells:
            pools.setdefault((cell.row.machine, cell.row.problem), []).append(cell)
        return pools

    @cached_property
    def _algorithms(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for problem in PROBLEMS:
            book = self.catalogues.get(problem)
            named = [column_name(problem, a.name) for a in book.algorithms] if book else []
            known = list(dict.fromkeys(named))
            recorded = {c.algorithm for c in self.select(problem=problem)}
            found[problem] = known + sorted(recorded - set(known))
        return found

    def algorithms(self, problem: str) -> list[str]:
        """Names in the catalogue's order, then those that only records know."""
        return self._algorithms[problem]

    def matrix_class(self, name: str) -> str:
        facts = self.matrices.get(name, {})
        return facts.get("class") or class_of(self.listed_classes, name) or "unclassified"

    def row_order(self, row: Row) -> tuple[Any, ...]:
        sizes = [(0, v, "") if isinstance(v, int) else (1, 0, v) for _, v in row.instance]
        return (self.matrix_class(row.matrix), row.matrix.lower(), sizes)

    def rows(self, machine: str, problem: str, **instance: Any) -> list[Row]:
        """In the order of tables; without the grid of small and large uniform matrices, which has
        figures of its own and would outweigh all classes in a mean, and without products of other
        operations and types, which have a table of their own."""
        found = {
            c.row
            for c in self.select(machine=machine, problem=problem)
            if c.row.is_plain and self.matrix_class(c.row.matrix) != GRID
        }
        kept = [r for r in found if all(r.value(k) == v for k, v in instance.items())]
        return sorted(kept, key=self.row_order)

    def other_products(self, machine: str) -> list[Row]:
        """The rows of products with A^T and in other types than fp64."""
        found = {c.row for c in self.select(machine=machine, problem="spmm")}
        return sorted((row for row in found if not row.is_plain), key=self.row_order)

    @cached_property
    def _by_row(self) -> dict[Row, dict[str, list[Cell]]]:
        index: dict[Row, dict[str, list[Cell]]] = {}
        for cell in self.cells:
            index.setdefault(cell.row, {}).setdefault(cell.algorithm, []).append(cell)
        return index

    def facts_of(self, row: Row) -> dict[str, Any]:
        """Source and sizes of a row's matrix: `source`, `rows`, `cols`, `stored`."""
        line = next(iter(self._by_row[row].values()))[0].line
        names = {"source": "source", "rows": "rows", "cols": "columns", "stored": "entries"}
        return {name: line[column] for name, column in names.items()}

    def cells_of(self, row: Row, algorithm: str) -> list[Cell]:
        return self._by_row.get(row, {}).get(algorithm, [])

    @cached_property
    def _chosen(self) -> dict[tuple[Row, str, str, float], Cell | None]:
        return {}

    @cached_property
    def _named(self) -> dict[tuple[Row, str], Cell]:
        return {(cell.row, cell.id): cell for cell in self.cells}

    def named(self, row: Row, record: str | None) -> Cell | None:
        """The row's cell of that record."""
        return self._named.get((row, record or ""))

    def best(
        self, row: Row, algorithm: str, which: str = "kernel_s", calls: float | None = None
    ) -> Cell | None:
        """The setting that stands for the algorithm; for another time than the headline's, or for
        that many calls, the one of least time among those with samples of `which`, where some have
        them. A skipped cell when none was measured."""
        cells = self.cells_of(row, algorithm)
        if not cells:
            return None
        wanted = cells[0].headline_calls if calls is None else calls
        key = (row, algorithm, which, wanted)
        if key not in self._chosen:
            measured = [cell for cell in cells if cell.ok]
            decided = which == "kernel_s" and calls is None
            found = self.chosen(measured) if decided else least(measured, which, wanted)
            self._chosen[key] = found or cells[0]
        return self._chosen[key]

    def chosen(self, cells: Sequence[Cell]) -> Cell | None:
        """Of an algorithm's measured cells, the one that the table says stands for it."""
        found = next((cell for cell in cells if cell.line["chosen"]), None)
        return chosen_among(found, cells) if found else None

    def rivals(self, row: Row, side: str, peer: bool) -> list[Cell]:
        """All measured cells of a row's libraries, or of its own algorithms, on this side. Those of
        several GPUs have no rivals: the libraries run on one."""
        return [
            cell
            for name in self.algorithms(row.problem)
            for cell in self.cells_of(row, name)
            if cell.ok and cell.side == side and cell.peer is peer and cell.gpus <= 1
        ]

    def contested(self, machine: str, problem: str, side: str) -> list[Row]:
        """The rows on which both own algorithms and libraries have times."""
        rows = self.rows(machine, problem)
        return [r for r in rows if all(self.rivals(r, side, peer) for peer in (False, True))]

    def spread(self, machine: str, side: str, problem: str) -> Spread | None:
        """How medians differ between runs on the host or device of a machine, by repeated jobs of
        the problem. Those of other problems say nothing: their cells take other times."""
        return self.spreads.get((machine, side, problem))

    @cached_property
    def spreads(self) -> dict[Place, Spread]:
        return spreads(self.every)

    def ratio(self, base: Cell, other: Cell) -> Ratio:
        """How many times faster `other` is than `base` by their headlines. When they come from
        different runs of a driver, the spread between runs is part of the interval."""
        found = speedup(base.kernel, other.kernel)
        if base.run == other.run:
            return found
        spreads = (self.spread(c.row.machine, c.side, c.row.problem) for c in (base, other))
        return between_runs(found, *spreads)

    def measured(self, rows: Sequence[Row], algorithms: Iterable[str]) -> list[str]:
        """Of these algorithms, those with a time on at least one of the rows."""
        return [a for a in algorithms if any((c := self.best(r, a)) and c.ok for r in rows)]

    def baseline(self, row: Row, algorithm: str, calls: float | None = None) -> Cell | None:
        """The cell on the same row of the algorithm's baseline, the best for the headline or that
        many calls; None without a time of either, and where the catalogue names no baseline."""
        cell = self.best(row, algorithm)
        base = self.named(row, cell.line.get("baseline_id")) if cell and cell.ok else None
        return self.best(row, base.algorithm, calls=calls) if base else None

    def compared(self, row: Row, algorithm: str) -> tuple[Cell, ...]:
        """The baseline's cell and the algorithm's, where both have a time."""
        cell, base = self.best(row, algorithm), self.baseline(row, algorithm)
        return () if cell is None or base is None else (base, cell)

    def speedup(self, row: Row, algorithm: str) -> Ratio | None:
        cells = self.compared(row, algorithm)
        return told("speedup", *cells) if cells else None


def told(name: str, base: Cell, cell: Cell) -> Ratio:
    """A ratio of headlines as the cell's line has it."""
    value, low, high = (cell.line[f"{name}{end}"] for end in ("", "_low", "_high"))
    return Ratio(value, low, high, base.run != cell.run)


def least(measured: Sequence[Cell], which: str, calls: float) -> Cell | None:
    """The cell of least time for that many calls, of those with samples of `which`, or of all."""
    return choose([cell for cell in measured if cell.count(which)] or measured, calls)


def choose(cells: Sequence[Cell], calls: float) -> Cell | None:
    """The measured cell of least time for that many calls; chosen among several, it reports the
    samples that did not choose."""
    if len(cells) < 2:
        return next(iter(cells), None)
    chosen = min(cells, key=lambda cell: (cell.choosing.of(calls), cell.algorithm, cell.params))
    return chosen_among(chosen, cells)


def chosen_among(cell: Cell, cells: Sequence[Cell]) -> Cell:
    """The cell as it is reported when it was chosen among these."""
    if len(cells) < 2:
        return cell
    return replace(cell, held_out=True, among=tuple(cells))


def fastest(cells: Sequence[Cell]) -> Cell | None:
    """The cell of least headline time among measured ones."""
    return choose(cells, cells[0].headline_calls) if cells else None


def settings(cells: Sequence[Cell]) -> list[Setting]:
    """What measured cells cost, for choosing and reporting as `choose` does."""
    if len(cells) == 1:
        return [Setting(cells[0].cost, cells[0].cost)]
    return [Setting(cell.choosing, replace(cell, held_out=True).cost) for cell in cells]
