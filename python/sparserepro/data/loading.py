"""Reads the collected records, matrix facts and catalogues into a report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sparserepro.data.catalogue import merged, read_catalogue
from sparserepro.data.cell import Cell, cell_of
from sparserepro.data.deciding import Undecided
from sparserepro.data.facts import listed_classes, matrix_facts
from sparserepro.data.lines import Line, of_record
from sparserepro.data.rows import PROBLEMS, Row
from sparserepro.data.versions import name_of, version_of
from sparserepro.paths import MEASUREMENTS


class MissingCatalogue(Exception):
    """Records cannot be told apart without the catalogue of their problem."""


def with_caches(lines: Sequence[Line]) -> Iterator[Line]:
    """The state of the caches tells rows apart where some cells of a problem were measured with
    flushed ones. Skipped cells have none; they go with the warm ones."""
    states: dict[tuple[str, str], set[str]] = {}
    for line in lines:
        if line["status"] == "ok":
            states.setdefault((line["machine"], line["problem"]), set()).add(line["cache"])
    for line in lines:
        found = states.get((line["machine"], line["problem"]), set())
        if "flushed" in found:
            state = line.get("cache") or ("warm" if "warm" in found else "flushed")
            line["instance"] = ", ".join(filter(None, (line["instance"], f"cache={state}")))
        yield line


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


def load(
    records: Path | Sequence[Path],
    matrices: Iterable[Path],
    catalogues: Iterable[Path],
    problems: Sequence[str] = PROBLEMS,
) -> Undecided:
    """Reads records.jsonl (or several such files), the files of matrix facts and the catalogues, of
    these problems alone. Where several files tell of one thing, the first stands. Raises
    MissingCatalogue."""
    books = merged(map(read_catalogue, catalogues))
    files = [records] if isinstance(records, Path) else records
    wanted = [r for r in read_lines(*files) if r["problem"] in problems]
    if without := sorted({r["problem"] for r in wanted} - set(books)):
        raise MissingCatalogue(f"{files[0]}: no catalogue of {', '.join(without)}")
    lines = [of_record(r, books[r["problem"]].instance_parameters) for r in wanted]
    every = [cell_of(line) for line in with_caches(lines)]
    cells, older = by_library(c for c in every if c.repeat == 0)
    repeats = tuple(c for c in every if c.repeat > 0)
    classes = listed_classes()
    told = matrix_facts(matrices, {r["matrix"]["name"] for r in wanted}, classes)
    return Undecided(tuple(cells), told, books, classes, tuple(older), repeats)


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
