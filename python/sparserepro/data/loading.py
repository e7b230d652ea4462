"""Reads the collected records, matrix facts and catalogues into a report."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparserepro.config.matrix_list import load_matrix_list
from sparserepro.data.catalogue import merged, read_catalogue
from sparserepro.data.cell import Cell
from sparserepro.data.frames import Report
from sparserepro.data.rows import PROBLEMS, Row, column_name
from sparserepro.data.versions import name_of, version_of
from sparserepro.paths import MATRIX_LIST, MEASUREMENTS
from sparserepro.records import parameters


class MissingCatalogue(Exception):
    """Records cannot be told apart without the catalogue of their problem."""


def make_cell(record: dict[str, Any], instance_parameters: Sequence[str]) -> Cell:
    given = parameters(record)
    instance = tuple((n, given[n]) for n in instance_parameters if n in given)
    rest = tuple(sorted((n, v) for n, v in given.items() if n not in instance_parameters))
    row = Row(record["machine"]["id"], record["problem"], record["matrix"]["name"], instance)
    column = column_name(record["problem"], record["algorithm"])
    return Cell(row, column, record["backend"], record["peer"], rest, record)


def with_caches(cells: Sequence[Cell]) -> Iterator[Cell]:
    """The state of the caches tells rows apart where some cells of a problem were measured with
    flushed ones. Skipped cells have none; they go with the warm ones."""
    states: dict[tuple[str, str], set[str]] = {}
    for cell in cells:
        if cell.ok:
            found = states.setdefault((cell.row.machine, cell.row.problem), set())
            found.add(cell.record["timing"]["cache"])
    for cell in cells:
        found = states.get((cell.row.machine, cell.row.problem), set())
        if "flushed" in found:
            other = "warm" if "warm" in found else "flushed"
            state = cell.record["timing"]["cache"] if cell.ok else other
            row = replace(cell.row, instance=(*cell.row.instance, ("cache", state)))
            cell = replace(cell, row=row)
        yield cell


def by_library(cells: Iterable[Cell]) -> tuple[list[Cell], list[Cell]]:
    """The cells that count, and those of other versions: of a library with several versions in a
    row, whatever the algorithms, the newest with a measured cell counts."""
    newest: dict[tuple[Row, str], str] = {}
    cells = list(cells)
    for cell in cells:
        if cell.ok and cell.library:
            key = (cell.row, name_of(cell.library))
            newest[key] = max(newest.get(key, cell.library), cell.library, key=version_of)
    count: list[Cell] = []
    older: list[Cell] = []
    for cell in cells:
        library = cell.library or ""
        best = newest.get((cell.row, name_of(library)), library)
        (count if library == best else older).append(cell)
    return count, older


def read_lines(*paths: Path) -> Iterator[dict[str, Any]]:
    for path in paths:
        with path.open() as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def listed_classes() -> dict[str, str]:
    """The class that the list of matrices gives each of its matrices today."""
    return {id_: entry.cls for id_, entry in load_matrix_list(MATRIX_LIST).entries.items()}


def matrix_facts(
    files: Iterable[Path], named: set[str], classes: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """What the files say of the named matrices, and of those that were unavailable."""
    found: dict[str, dict[str, Any]] = {}
    for path in files:
        fact = json.loads(path.read_text())
        name = fact["name"]
        if name in named or "unavailable" in fact:
            # A matrix that is not here may be known from another machine.
            listed = {"class": classes[name]} if name in classes else {}
            found[name] = fact | found.get(name, {}) | listed
    return found


def load(
    records: Path | Sequence[Path],
    matrices: Iterable[Path],
    catalogues: Iterable[Path],
    problems: Sequence[str] = PROBLEMS,
    context: Iterable[str] = (),
) -> Report:
    """Reads records.jsonl (or several such files), the files of matrix facts and the catalogues, of
    these problems alone. Where several files tell of one thing, the first stands. `context` names
    machines of sets that stand beside this run. Raises MissingCatalogue."""
    books = merged(map(read_catalogue, catalogues))
    files = [records] if isinstance(records, Path) else records
    wanted = [r for r in read_lines(*files) if r["problem"] in problems]
    if without := sorted({r["problem"] for r in wanted} - set(books)):
        raise MissingCatalogue(f"{files[0]}: no catalogue of {', '.join(without)}")
    cells = [make_cell(r, books[r["problem"]].instance_parameters) for r in wanted]
    every = list(with_caches(cells))
    cells, older = by_library(c for c in every if c.repeat == 0)
    repeats = tuple(c for c in every if c.repeat > 0)
    classes = listed_classes()
    told = matrix_facts(matrices, {r["matrix"]["name"] for r in wanted}, classes)
    return Report(tuple(cells), told, books, classes, tuple(older), repeats, frozenset(context))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The inputs that tables.py, figures.py and macros.py share."""
    parser.add_argument("--records", type=Path, required=True, help="records.jsonl")
    parser.add_argument("--matrices", type=Path, nargs="*", default=[], help="matrix facts, JSON")
    parser.add_argument("--catalogues", type=Path, nargs="*", default=[], help="catalogues, JSON")
    parser.add_argument(
        "--problems", nargs="*", default=PROBLEMS, metavar="PROBLEM", help="of these alone [all]"
    )
    parser.add_argument(
        "--context", nargs="*", default=[], metavar="MACHINE", help="sets beside this run's machine"
    )


def of_sets(names: Iterable[str], records: Path, folder: Path = MEASUREMENTS) -> list[str]:
    """Of the names of measurement sets, those whose records are there. Where a run measured the
    machine of a set itself, `collect` leaves the set out and its name is that of own records."""
    runs: dict[str, set[str]] = {}
    for record in read_lines(records):
        runs.setdefault(record["machine"]["id"], set()).add(record["run"]["id"])
    kept = []
    for name in names:
        files = sorted((folder / name).glob("*.jsonl"))
        known = {record["run"]["id"] for record in read_lines(*files)}
        if runs.get(name, set()) <= known:
            kept.append(name)
    return kept


def load_arguments(args: argparse.Namespace) -> Report:
    context = of_sets(args.context, args.records)
    return load(args.records, args.matrices, args.catalogues, args.problems, context)
