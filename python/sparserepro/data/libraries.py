"""Libraries by version: what stands beside a ratio, and which of them are old.

Release dates are in report/libraries.yaml.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import yaml

from sparserepro.data.frames import Cell
from sparserepro.paths import REPORT
from sparserepro.render.latex import code, escape, listing

RELEASES = REPORT / "libraries.yaml"
OLD_MONTHS = 24
OLD = r"\old"
"""Mark of a library that was more than two years old when it was measured."""


@cache
def releases() -> dict[str, str]:
    """Month (or year) of release by "name version"."""
    entries = yaml.safe_load(RELEASES.read_text())
    return {f"{e['name']} {e['version']}": str(e["released"]) for e in entries}


def released(library: str) -> str | None:
    """When a version came out. "oneMKL 2026.2" of the list holds for "oneMKL 2026.2.1" too, which
    the list does not name; None where it has neither."""
    known = releases()
    while library not in known:
        library, dot, _ = library.rpartition(".")
        if not dot:
            return None
    return known[library]


def months(date: str) -> int:
    """Months since the year 0 of "2021-08..."; a bare year counts as its December, so that no
    release is called older than it may be."""
    year, _, month = date[:7].partition("-")
    return 12 * int(year) + int(month or 12)


def is_old(library: str, measured: str) -> bool:
    """Whether the version was released more than two years before the date of a record."""
    date = released(library)
    return date is not None and months(measured) - months(date) > OLD_MONTHS


def library(cell: Cell) -> str:
    """The library and version that a peer's cell was measured with; of one that names none, the
    algorithm."""
    return escape(cell.library) if cell.library else code(cell.algorithm)


def marked(cell: Cell) -> str:
    """The library, with a mark when it is old."""
    if cell.library and is_old(cell.library, cell.started):
        return library(cell) + OLD
    return library(cell)


def dated(name: str, measured: str) -> str:
    """ "Eigen 3.4.0 (released 2021-08)" of an old version, "X 1.0 (release date unknown)"."""
    date = released(name)
    if date is None:
        return f"{escape(name)} (release date unknown)"
    return escape(name) + (f" (released {date})" if is_old(name, measured) else "")


def over(cells: Iterable[Cell]) -> str:
    """ "cuSPARSE 12.9.4 and Eigen 3.4.0 (released 2021-08)": the libraries of these peers."""
    measured: dict[str, str] = {}
    for cell in cells:
        if cell.library:
            start = cell.started
            measured[cell.library] = min(start, measured.get(cell.library, start))
    return listing([dated(name, start) for name, start in sorted(measured.items())])


def notes(cells: Iterable[Cell]) -> list[str]:
    """What the mark of old libraries means, where one of these cells has it."""
    cells = [c for c in cells if c.library]
    old = [c for c in cells if is_old(c.library or "", c.started)]
    return [rf"{OLD}~Older than two years when measured: {over(old)}."] if old else []
