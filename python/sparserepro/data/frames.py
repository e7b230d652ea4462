"""What the report is made of: cells, matrices and catalogues.

A cell is one record with its key and the statistics of its samples. Selections that several tables
and figures share (an algorithm's best parameters, the serial baseline, the rows of a problem) are
here, so that every table means the same by them.

Where several cells compete (the parameters of an algorithm, or the libraries of a row), one part of
their samples chooses among them and the time that is reported comes from the other part
(`stats.divided`); a cell without rivals is reported from all of its samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sparserepro.data.calls import Cost, Setting
from sparserepro.data.run_spread import Place, spreads
from sparserepro.stats import (
    Ratio,
    Spread,
    Summary,
    added,
    between_runs,
    divided,
    median,
    speedup,
    summarise,
)

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
    held_out: bool = False
    """Chosen among several: `samples` are those that did not choose."""
    among: tuple[Cell, ...] = field(default=(), repr=False, compare=False)
    """Those that it was chosen among, itself included."""

    @property
    def ok(self) -> bool:
        return bool(self.record["status"] == "ok")

    @property
    def reason(self) -> str:
        return str(self.record["reason"] or "")

    @property
    def library(self) -> str | None:
        """A peer's library with its version."""
        library: str | None = self.record["library"]
        return library

    @property
    def run(self) -> str:
        return str(self.record["run"]["id"])

    @property
    def repeat(self) -> int:
        return int(self.record["run"]["repeat"])

    @property
    def side(self) -> str:
        return "device" if self.backend == "cuda" else "host"

    def samples(self, which: str) -> list[float]:
        """Seconds of `kernel_s`, `preprocess_s` or `end_to_end_s`: the last end to end with the
        transfers of `transfers`, which choose nothing and count all."""
        if not self.ok:
            return []
        if which == "end_to_end_s":
            cycles = self.end_to_end(self.transfers)
            return cycles["total_s"] if cycles else []
        found = self.record["timing"][which]
        return divided(found)[1] if self.held_out else found

    def end_to_end(self, transfers: str) -> dict[str, Any] | None:
        """Cycles of allocation, transfers, preparation and execution with these transfers."""
        cycles = self.record["timing"]["end_to_end"] if self.ok else []
        return next((c for c in cycles if c["transfers"] == transfers and c["total_s"]), None)

    @property
    def transfers(self) -> str:
        """The transfers of the end-to-end time: none on the host, else pageable, as memory that
        nobody prepared for them, where measured."""
        cycles = self.record["timing"]["end_to_end"] if self.ok else []
        known = [c["transfers"] for c in cycles if c["total_s"]]
        return next((t for t in ("none", "pageable", "pinned") if t in known), "none")

    def summary(self, which: str) -> Summary | None:
        samples = self.samples(which)
        return summarise(samples) if samples else None

    @cached_property
    def headline_calls(self) -> float:
        """Calls that the headline is for: triangle counting starts from the plain graph, so that
        the preparation (orientation) counts in full; others divide theirs by very many."""
        return 1 if self.row.problem == "triangles" else math.inf

    @cached_property
    def kernel(self) -> Summary:
        """The headline time: of one execution, in triangle counting with one preparation."""
        seconds = summarise(self.samples("kernel_s"))
        if math.isinf(self.headline_calls) or not self.samples("preprocess_s"):
            return seconds
        return added(summarise(self.samples("preprocess_s")), seconds)

    @property
    def seconds(self) -> float:
        return self.kernel.median

    @cached_property
    def cost(self) -> Cost:
        """Of the samples that are reported."""
        before = self.samples("preprocess_s")
        return Cost(median(before) if before else 0.0, median(self.samples("kernel_s")))

    @cached_property
    def choosing(self) -> Cost:
        """Of the samples that choose among several cells."""
        timing = self.record["timing"]
        before = divided(timing["preprocess_s"])[0]
        return Cost(median(before) if before else 0.0, median(divided(timing["kernel_s"])[0]))

    @property
    def prepares(self) -> bool:
        return self.ok and any(self.record["timing"]["preprocess_s"])

    @property
    def bound_seconds(self) -> float | None:
        """Least traffic of the problem over the copy bandwidth of the cell's threads or device."""
        return self.record["bounds"]["copy_s"] if self.ok else None

    @property
    def fraction_of_bound(self) -> float | None:
        bound = self.bound_seconds
        return None if bound is None else bound / self.seconds

    @property
    def second_bound(self) -> tuple[str, float] | None:
        """Name and seconds of the bound that holds where the least traffic is out of reach."""
        second = self.record["bounds"]["second"] if self.ok else None
        return (second["name"], second["seconds"]) if second else None

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
        facts: dict[str, Any] = cells[0].record["matrix"]
        return facts

    def cells_of(self, row: Row, algorithm: str) -> list[Cell]:
        return self._by_row.get(row, {}).get(algorithm, [])

    @cached_property
    def _chosen(self) -> dict[tuple[Row, str, str, float], Cell | None]:
        return {}

    def best(
        self, row: Row, algorithm: str, which: str = "kernel_s", calls: float | None = None
    ) -> Cell | None:
        """The algorithm's cell of least time for that many calls (by default of its headline),
        among those with samples of `which` where some have them; a skipped one when none was
        measured."""
        cells = self.cells_of(row, algorithm)
        if not cells:
            return None
        wanted = cells[0].headline_calls if calls is None else calls
        key = (row, algorithm, which, wanted)
        if key not in self._chosen:
            measured = [cell for cell in cells if cell.ok]
            sampled = [cell for cell in measured if cell.samples(which)]
            self._chosen[key] = choose(sampled or measured, wanted) or cells[0]
        return self._chosen[key]

    def rivals(self, row: Row, backends: Iterable[str], peer: bool) -> list[Cell]:
        """All measured cells of a row's libraries, or of its own algorithms, on these backends."""
        return [
            cell
            for name in self.algorithms(row.problem)
            for cell in self.cells_of(row, name)
            if cell.ok and cell.backend in backends and cell.peer is peer
        ]

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
        """The cell on the same row of the algorithm that the catalogue names as the baseline, the
        best for the headline or that many calls.
        None without a time of it, and for an algorithm of archived records that the catalogue
        does not know."""
        book, cell = self.catalogues.get(row.problem), self.best(row, algorithm)
        if book is None or cell is None:
            return None
        name = book.baselines.get(cell.record["algorithm"])
        base = self.best(row, column_name(row.problem, name), calls=calls) if name else None
        return base if base and base.ok else None

    def compared(self, row: Row, algorithm: str) -> tuple[Cell, ...]:
        """The baseline's cell and the algorithm's, where both have a time."""
        cell, base = self.best(row, algorithm), self.baseline(row, algorithm)
        return () if cell is None or base is None or not cell.ok else (base, cell)

    def speedup(self, row: Row, algorithm: str) -> Ratio | None:
        cells = self.compared(row, algorithm)
        return self.ratio(*cells) if cells else None


def choose(cells: Sequence[Cell], calls: float) -> Cell | None:
    """The measured cell of least time for that many calls; chosen among several, it reports the
    samples that did not choose."""
    if len(cells) < 2:
        return next(iter(cells), None)
    chosen = min(cells, key=lambda cell: (cell.choosing.of(calls), cell.algorithm, cell.params))
    return replace(chosen, held_out=True, among=tuple(cells))


def fastest(cells: Sequence[Cell]) -> Cell | None:
    """The cell of least headline time among measured ones."""
    return choose(cells, cells[0].headline_calls) if cells else None


def settings(cells: Sequence[Cell]) -> list[Setting]:
    """What measured cells cost, for choosing and reporting as `choose` does."""
    if len(cells) == 1:
        return [Setting(cells[0].cost, cells[0].cost)]
    return [Setting(cell.choosing, replace(cell, held_out=True).cost) for cell in cells]
