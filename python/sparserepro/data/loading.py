"""Reads the collected records, matrix facts and catalogues into a report."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparserepro.config.matrix_list import load_matrix_list
from sparserepro.data.frames import PROBLEMS, Algorithm, Catalogue, Cell, Report, Row, column_name
from sparserepro.paths import MATRIX_LIST, MEASUREMENTS
from sparserepro.records import parameters


class MissingCatalogue(Exception):
    """Records cannot be told apart without the catalogue of their problem."""


def read_catalogue(path: Path) -> Catalogue:
    raw = json.loads(path.read_text())
    return Catalogue(
        problem=raw["problem"],
        instance_parameters=tuple(p["name"] for p in raw["instance_parameters"]),
        fallbacks={p["name"]: p["fallback"] for p in raw["instance_parameters"]},
        algorithms=tuple(
            Algorithm(
                problem=raw["problem"],
                name=a["name"],
                summary=a["summary"],
                source=a["source"],
                backend=a["backend"],
                peer=a["peer"],
                parameters=tuple(p["name"] for p in a["parameters"]),
                baseline=a["baseline"],
                unavailable=a["unavailable"],
            )
            for a in raw["algorithms"]
        ),
    )


def merged(found: Iterable[Catalogue]) -> dict[str, Catalogue]:
    """One catalogue for each problem, of several machines: of each algorithm and parameter what
    the first says that has it."""
    books: dict[str, Catalogue] = {}
    for book in found:
        first = books.setdefault(book.problem, book)
        known = {a.name for a in first.algorithms}
        books[book.problem] = Catalogue(
            book.problem,
            tuple(dict.fromkeys((*first.instance_parameters, *book.instance_parameters))),
            book.fallbacks | first.fallbacks,
            (*first.algorithms, *(a for a in book.algorithms if a.name not in known)),
        )
    return books


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


def version_of(library: str) -> tuple[int, ...]:
    """The numbers of the last word: "cuSPARSE 12.9.4" -> (12, 9, 4)."""
    return tuple(int(part) for part in re.findall(r"\d+", library.rpartition(" ")[2]))


def name_of(library: str) -> str:
    """Without its version: "cuSPARSE 12.9.4" -> "cuSPARSE"."""
    return library.rpartition(" ")[0] or library


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


def _listed_class(name: str, classes: dict[str, str]) -> dict[str, str]:
    """The class that the list of matrices gives today, if it has the matrix."""
    return {"class": classes[name]} if name in classes else {}


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
    facts = [json.loads(path.read_text()) for path in matrices]
    classes = {id_: entry.cls for id_, entry in load_matrix_list(MATRIX_LIST).entries.items()}
    named = {r["matrix"]["name"] for r in wanted}
    matrices_of: dict[str, dict[str, Any]] = {}
    for fact in (f for f in facts if f["name"] in named or "unavailable" in f):
        # A matrix that is not here may be known from another machine.
        told = fact | matrices_of.get(fact["name"], {})
        matrices_of[fact["name"]] = told | _listed_class(fact["name"], classes)
    return Report(
        tuple(cells), matrices_of, books, classes, tuple(older), repeats, frozenset(context)
    )


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
