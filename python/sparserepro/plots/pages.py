"""A drawn figure with what it shows, and figures of several pages.

A module of this package lists its figures in `MAKERS`, by key, and is found by that alone. In a
section `\\drawing` with the key shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from sparserepro.data.frames import Report, Row
from sparserepro.data.traces import Point

ROWS = 34  # on one page


class Drawn(NamedTuple):
    """A figure with the stem of its file and its caption, and the marks that come from records."""

    stem: str
    caption: str
    figure: Figure
    points: Sequence[Point] = ()


Maker = Callable[[Report], list[Drawn]]


def of_this_run(maker: Maker) -> Maker:
    """Without the machines of sets, where this run has a machine of its own."""
    return lambda report: maker(report.of_this_run())


Page = tuple[Figure, list[Point]]


def pages(rows: list[Row]) -> list[list[Row]]:
    count = -(-len(rows) // ROWS)
    each = -(-len(rows) // count)
    return [rows[i : i + each] for i in range(0, len(rows), each)]


def numbered(stem: str, caption: str, made: list[Page]) -> list[Drawn]:
    if len(made) == 1:
        return [Drawn(stem, caption, *made[0])]
    return [
        Drawn(stem + ("" if n == 1 else f"-{n}"), f"{caption} Part {n} of {len(made)}.", *page)
        for n, page in enumerate(made, start=1)
    ]
