"""What the report is made of: cells, matrices and catalogues.

A cell is one record with its key and the statistics of its samples. Selections that several tables
and figures share (an algorithm's best parameters, the serial baseline, the rows of a problem) are
here, so that every table means the same by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stats import Ratio, Summary, median, speedup, summarise

PROBLEMS = ("primitives", "transpose", "convert", "spmm", "triangles")
PROBLEM_TITLES = {
    "primitives": "Primitives",
    "transpose": "Transposition",
    "convert": "Conversions",
    "spmm": "SpMM",
    "triangles": "Triangle counting",
}
PROCEDURES = ("scan", "segmented_sort", "merge", "index_to_pointers", "pointers_to_index")
GRID = "order-degree"
"""Class of the square uniform matrices over order and mean degree."""
Params = tuple[tuple[str, int | str], ...]


def column_name(problem: str, algorithm: str) -> str:
    """The name that heads an algorithm's column. Primitives have an algorithm for each procedure;
    those with one method share a column, named without the procedure: omp_scan -> omp."""
    if problem != "primitives":
        return algorithm
    for procedure in PROCEDURES:
        if procedure in algorithm:
            rest = algorithm.replace(procedure, "").replace("__", "_").strip("_")
            return rest or algorithm
    return algorithm


def params_text(params: Params) -> str:
    return ", ".join(f"{name}={value}" for name, value in params)


@dataclass(frozen=True)
class Row:
    """One instance of a problem: what its algorithms are compared on."""

    machine: str
    problem: str
    matrix: str
    instance: Params

    def value(self, name: str) -> int | str | None:
        return dict(self.instance).get(name)


@dataclass(frozen=True)
class Cell:
    """One record: its key and, when it was measured, the summaries of its samples (seconds).

    `algorithm` is the name of its column (`column_name`); the record holds the full name.
    """

    row: Row
    algorithm: str
    backend: str
    peer: bool
    params: Params
    record: dict[str, Any] = field(repr=False, compare=False)

    @property
    def ok(self) -> bool:
        return self.record["status"] == "ok"

    @property
    def reason(self) -> str:
        return self.record["reason"] or ""

    def samples(self, which: str) -> list[float]:
        return self.record["timing"][which] if self.ok else []

    def summary(self, which: str) -> Summary | None:
        samples = self.samples(which)
        return summarise(samples) if samples else None

    @cached_property
    def kernel(self) -> Summary:
        """The headline time. Triangle counting starts from the plain graph, so that an algorithm's
        preparation (orientation) counts: pairwise with as many samples of it, else its median."""
        seconds = self.samples("kernel_s")
        before = self.samples("preprocess_s") if self.row.problem == "triangles" else []
        if before and len(before) != len(seconds):
            before = [median(before)] * len(seconds)
        return summarise(
            [t + b for t, b in zip(seconds, before, strict=True)] if before else seconds
        )

    @property
    def seconds(self) -> float:
        return self.kernel.median

    @property
    def bound_seconds(self) -> float | None:
        """Least traffic of the problem over the copy bandwidth of the cell's threads or device."""
        bandwidth = self.record["copy_bytes_per_s"]
        model = self.record["model"]
        if not self.ok or not bandwidth or not model["bytes"]:
            return None
        return model["bytes"] / bandwidth

    @property
    def fraction_of_bound(self) -> float | None:
        bound = self.bound_seconds
        return None if bound is None else bound / self.seconds

    @property
    def threads(self) -> int | None:
        value = dict(self.params).get("threads")
        return int(value) if value is not None else None

    def measure(self, *names: str) -> float | None:
        """First of the record's measures with one of these names."""
        measures = self.record["measures"]
        return next((measures[name] for name in names if measures.get(name) is not None), None)

    @property
    def work(self) -> tuple[float, str] | None:
        """Units of work of the cell and their name: flops, undirected edges, or entries."""
        if self.row.problem == "spmm":
            return self.record["model"]["flops"], "flop"
        entries = self.record["matrix"]["stored"]
        if self.row.problem == "triangles":
            edges = self.measure("edges")
            edges = edges if edges is not None else (entries or 0) / 2
            return (edges, "edge") if edges else None
        return (float(entries), "entry") if entries else None


@dataclass(frozen=True)
class Algorithm:
    """An entry of a driver's catalogue."""

    problem: str
    name: str
    summary: str
    source: str
    backend: str
    peer: bool
    parameters: tuple[str, ...]
    baseline: str
    unavailable: str | None


@dataclass(frozen=True)
class Catalogue:
    problem: str
    instance_parameters: tuple[str, ...]
    fallbacks: dict[str, int | str]
    algorithms: tuple[Algorithm, ...]

    @property
    def baselines(self) -> dict[str, str]:
        """Full name of each algorithm's serial baseline."""
        return {a.name: a.baseline for a in self.algorithms}


@dataclass(frozen=True)
class Report:
    """Everything that tables, figures and macros are made from."""

    cells: tuple[Cell, ...]
    matrices: dict[str, dict[str, Any]]
    catalogues: dict[str, Catalogue]
    listed_classes: dict[str, str] = field(default_factory=dict)
    """Classes of the matrices that a configuration can name, for those of other machines."""

    @property
    def machines(self) -> list[str]:
        return sorted({cell.row.machine for cell in self.cells})

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
        return facts.get("class") or self.listed_classes.get(name, "unclassified")

    def row_order(self, row: Row) -> tuple[Any, ...]:
        sizes = [(0, v, "") if isinstance(v, int) else (1, 0, v) for _, v in row.instance]
        return (self.matrix_class(row.matrix), row.matrix.lower(), sizes)

    def rows(self, machine: str, problem: str, **instance: Any) -> list[Row]:
        """In the order of tables; without the grid of small and large uniform matrices, which has
        figures of its own and would outweigh all classes in a mean."""
        found = {
            c.row
            for c in self.select(machine=machine, problem=problem)
            if self.matrix_class(c.row.matrix) != GRID
        }
        kept = [r for r in found if all(r.value(k) == v for k, v in instance.items())]
        return sorted(kept, key=self.row_order)

    @cached_property
    def _by_row(self) -> dict[Row, dict[str, list[Cell]]]:
        index: dict[Row, dict[str, list[Cell]]] = {}
        for cell in self.cells:
            index.setdefault(cell.row, {}).setdefault(cell.algorithm, []).append(cell)
        return index

    def facts_of(self, row: Row) -> dict[str, Any]:
        """Name, source and sizes of a row's matrix, from one of its records."""
        cells = next(iter(self._by_row[row].values()))
        return cells[0].record["matrix"]

    def cells_of(self, row: Row, algorithm: str) -> list[Cell]:
        return self._by_row.get(row, {}).get(algorithm, [])

    def best(self, row: Row, algorithm: str, which: str = "kernel_s") -> Cell | None:
        """The algorithm's cell of least median, among those with samples of `which` where some
        have them; a skipped one when none was measured."""
        cells = self.cells_of(row, algorithm)
        measured = [cell for cell in cells if cell.ok]
        if measured:
            sampled = [cell for cell in measured if cell.samples(which)]
            return min(sampled or measured, key=lambda cell: (cell.seconds, cell.params))
        return cells[0] if cells else None

    def measured(self, rows: Sequence[Row], algorithms: Iterable[str]) -> list[str]:
        """Of these algorithms, those with a time on at least one of the rows."""
        return [a for a in algorithms if any((c := self.best(r, a)) and c.ok for r in rows)]

    def baseline(self, row: Row, algorithm: str) -> Cell | None:
        """The cell on the same row of the algorithm that the catalogue names as the baseline.
        None without a time of it, and for an algorithm of archived records that the catalogue
        does not know."""
        book, cell = self.catalogues.get(row.problem), self.best(row, algorithm)
        if book is None or cell is None:
            return None
        name = book.baselines.get(cell.record["algorithm"])
        base = self.best(row, column_name(row.problem, name)) if name else None
        return base if base and base.ok else None

    def speedup(self, row: Row, algorithm: str) -> Ratio | None:
        cell, base = self.best(row, algorithm), self.baseline(row, algorithm)
        if cell is None or base is None or not cell.ok:
            return None
        return speedup(base.kernel, cell.kernel)
