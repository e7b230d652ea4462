"""Reads the table of cells back into what the tables are made from."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from sparserepro.data.catalogue import merged, read_catalogue
from sparserepro.data.cell import Cell
from sparserepro.data.frames import Report, chosen_among
from sparserepro.data.lines import Line
from sparserepro.data.loading import listed_classes, matrix_facts
from sparserepro.data.rows import Row, column_name, params_of
from sparserepro.stats import Ratio


class Told(Report):
    """A report of cells of the table. What its lines decide is taken from them: the setting that
    stands for an algorithm, its baseline, and its speedup."""

    @cached_property
    def _named(self) -> dict[tuple[Row, str], Cell]:
        return {(cell.row, cell.id): cell for cell in self.cells}

    def best(
        self, row: Row, algorithm: str, which: str = "kernel_s", calls: float | None = None
    ) -> Cell | None:
        if which != "kernel_s" or calls is not None:
            return super().best(row, algorithm, which, calls)
        return self._shown.get((row, algorithm))

    @cached_property
    def _shown(self) -> dict[tuple[Row, str], Cell]:
        """The chosen setting of each algorithm on each row; a skipped one without any."""
        found: dict[tuple[Row, str], Cell] = {}
        for row, algorithms in self._by_row.items():
            for name, cells in algorithms.items():
                measured = [cell for cell in cells if cell.ok]
                chosen = next((cell for cell in measured if cell.line["chosen"]), None)
                found[row, name] = chosen_among(chosen, measured) if chosen else cells[0]
        return found

    def baseline(self, row: Row, algorithm: str, calls: float | None = None) -> Cell | None:
        cell = self.best(row, algorithm)
        if calls is not None or cell is None or not cell.ok:
            return super().baseline(row, algorithm, calls)
        base = self._named.get((row, str(cell.line["baseline_id"])))
        return self.best(row, base.algorithm) if base else None

    def speedup(self, row: Row, algorithm: str) -> Ratio | None:
        cells = self.compared(row, algorithm)
        if not cells:
            return None
        base, cell = cells
        value, low, high = (cell.line[f"speedup{end}"] for end in ("", "_low", "_high"))
        return Ratio(value, low, high, base.run != cell.run)


def cell_of(line: Line) -> Cell:
    row = Row(line["machine"], line["problem"], line["matrix"], params_of(line["instance"]))
    column = column_name(line["problem"], line["algorithm"])
    params = params_of(line["parameters"])
    return Cell(row, column, line["backend"], line["peer"], params, {}, told=line)


def lines_of(cells: pd.DataFrame) -> list[Line]:
    """Each line of the table with the types of Python, and None for what is missing."""
    columns: dict[str, list[Any]] = {
        str(name): [None if pd.isna(value) else value for value in cells[name].tolist()]
        for name in cells.columns
    }
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def report_of(
    cells: pd.DataFrame,
    matrices: Iterable[Path],
    catalogues: Iterable[Path],
    context: Iterable[str] = (),
) -> Told:
    """The report of a table of cells, files of matrix facts and catalogues. Of `context`, machines
    beside this run's own, those count whose cells are of a set."""
    lines = lines_of(cells)
    roles: dict[str, list[Cell]] = {"compared": [], "older": [], "repeat": []}
    for line in lines:
        roles[line["role"]].append(cell_of(line))
    classes = listed_classes()
    facts = matrix_facts(matrices, {line["matrix"] for line in lines}, classes)
    books = merged(map(read_catalogue, catalogues))
    beside = frozenset(context) & {line["set"] for line in lines}
    compared, older, repeats = map(tuple, roles.values())
    return Told(compared, facts, books, classes, older, repeats, beside)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cells", type=Path, required=True, help="cells.parquet")
    parser.add_argument("--matrices", type=Path, nargs="*", default=[], help="matrix facts, JSON")
    parser.add_argument("--catalogues", type=Path, nargs="*", default=[], help="catalogues, JSON")
    parser.add_argument(
        "--context", nargs="*", default=[], metavar="MACHINE", help="sets beside this run's machine"
    )


def read_arguments(options: argparse.Namespace) -> Told:
    cells = pd.read_parquet(options.cells)
    return report_of(cells, options.matrices, options.catalogues, options.context)
