"""Reads the table of cells back into what the tables are made from."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from sparserepro.data.catalogue import merged, read_catalogue
from sparserepro.data.cell import Cell, cell_of
from sparserepro.data.facts import listed_classes, matrix_facts
from sparserepro.data.frames import Report
from sparserepro.data.lines import Line


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
) -> Report:
    """The report of a table of cells, files of matrix facts and catalogues."""
    lines = lines_of(cells)
    roles: dict[str, list[Cell]] = {"compared": [], "older": [], "repeat": []}
    for line in lines:
        roles[line["role"]].append(cell_of(line))
    classes = listed_classes()
    facts = matrix_facts(matrices, {line["matrix"] for line in lines}, classes)
    books = merged(map(read_catalogue, catalogues))
    beside = frozenset(line["machine"] for line in lines if line["set"])
    compared, older, repeats = map(tuple, roles.values())
    return Report(compared, facts, books, classes, older, repeats, beside)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cells", type=Path, required=True, help="cells.parquet")
    parser.add_argument("--matrices", type=Path, nargs="*", default=[], help="matrix facts, JSON")
    parser.add_argument("--catalogues", type=Path, nargs="*", default=[], help="catalogues, JSON")


def read_arguments(options: argparse.Namespace) -> Report:
    cells = pd.read_parquet(options.cells)
    return report_of(cells, options.matrices, options.catalogues)
