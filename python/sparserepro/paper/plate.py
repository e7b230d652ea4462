"""A figure of the report: its name, who draws it, and the records behind its marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from sparserepro.paper.contests import Contest

Contests = Mapping[tuple[str, str], Contest]
"""By problem and side."""


class Mark(NamedTuple):
    """A mark of a figure: the names of its row and column, and the records behind it."""

    row: str
    column: str
    ids: Sequence[str]


class Drawn(NamedTuple):
    figure: Figure
    marks: Sequence[Mark]


class Plate(NamedTuple):
    """`draw` returns None where the cells do not allow the figure."""

    name: str
    title: str
    draw: Callable[[Contests, pd.DataFrame], Drawn | None]


def of_contest(
    name: str,
    problem: str,
    side: str,
    title: str,
    draw: Callable[[Contest, pd.DataFrame], Drawn | None],
) -> Plate:
    """A figure of one problem and side, drawn where an own algorithm meets libraries there."""

    def drawn(contests: Contests, cells: pd.DataFrame) -> Drawn | None:
        contest = contests.get((problem, side))
        return None if contest is None else draw(contest, cells)

    return Plate(name, title, drawn)


def both(rows: pd.DataFrame, library: str = "library_id") -> list[str]:
    """The records of own algorithms and of the libraries that they meet."""
    return [*map(str, rows["id"]), *map(str, rows[library].dropna())]


def row_name(row: pd.Series) -> str:
    return " ".join(filter(None, [str(row["matrix"]), str(row["instance"] or "")]))


def ratio_marks(rows: pd.DataFrame, column: str = "ratio") -> list[Mark]:
    """A mark for each row's ratio to its library."""
    return [Mark(row_name(row), column, both(row.to_frame().T)) for _, row in rows.iterrows()]
