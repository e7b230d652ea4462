"""Reports as tables, figures and text read them: of the table of cells that records make."""

import dataclasses
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sparserepro.data import cells, loading, reading
from sparserepro.data.cell import cell_of
from sparserepro.data.deciding import Undecided
from sparserepro.data.frames import Report
from sparserepro.data.lines import Line
from sparserepro.data.rows import PROBLEMS
from sparserepro.paper import write
from sparserepro.plots import figures
from sparserepro.records import identity
from sparserepro.text import macros
from sparserepro.views import tables


def thinned(files: Iterable[Path], step: int) -> list[dict[str, Any]]:
    """The records of every so many matrices of each problem, and of the one with the longest name,
    which tables find the hardest; with all of their algorithms and settings."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in loading.read_lines(*files):
        found.setdefault((record["problem"], record["matrix"]["name"]), []).append(record)
    kept = []
    for problem in dict.fromkeys(problem for problem, _ in found):
        names = sorted(name for of, name in found if of == problem)
        chosen = {*names[::step], max(names, key=len)}
        kept += [record for name in names if name in chosen for record in found[problem, name]]
    return kept


def report(
    records: Path,
    matrices: Iterable[Path],
    catalogues: Iterable[Path],
    problems: Sequence[str] = PROBLEMS,
    sets: Iterable[str] = (),
) -> Report:
    matrices, catalogues = list(matrices), list(catalogues)
    found = loading.load(records, matrices, catalogues, problems)
    return reading.report_of(cells.table(found, sets), matrices, catalogues)


def of_set(folder: Path) -> Report:
    """Of a measurement set."""
    facts = (sorted((folder / kind).glob("*.json")) for kind in ("matrices", "catalogue"))
    return reading.report_of(cells.table(cells.of_set(folder)), *facts)


def inputs(folder: Path) -> tuple[Path, list[Path], list[Path]]:
    """Records, facts of matrices and catalogues of a folder of made-up results."""
    facts = (sorted((folder / name).glob("*.json")) for name in ("matrices", "catalogue"))
    return folder / "collected" / "records.jsonl", *facts


def made_up(folder: Path, sets: Iterable[str] = ()) -> Report:
    """Of such a folder."""
    return report(*inputs(folder), sets=sets)


def generate(
    folder: Path,
    records: Path,
    matrices: Iterable[Path],
    catalogues: Iterable[Path],
    problems: Sequence[str] = PROBLEMS,
    sets: Iterable[str] = (),
) -> Path:
    """All that the documents consist of, in a folder; returns the table of cells beside it."""
    matrices, catalogues = list(matrices), list(catalogues)
    table = cells.table(loading.load(records, matrices, catalogues, problems), sets)
    found = reading.report_of(table, matrices, catalogues)
    shutil.rmtree(folder, ignore_errors=True)
    tables.write(found, folder / "tables")
    figures.write(found, folder / "figures")
    macros.write(found, folder / "macros.tex")
    write.write(table, folder / "parts")
    file = folder.parent / "cells.parquet"
    cells.write(table, [file])
    return file


def again(found: Report, lines: Iterable[Line], **others: Any) -> Report:
    """The report of other lines, whose comparisons are decided anew."""
    made = Undecided(tuple(map(cell_of, lines)), found.matrices, found.catalogues)
    decided = reading.lines_of(cells.table(made))
    return dataclasses.replace(found, cells=tuple(map(cell_of, decided)), **others)


def record_of(records: Path, id_: str) -> dict[str, Any]:
    """The record of a cell."""
    return next(r for r in loading.read_lines(records) if identity(r) == id_)
