"""How much medians differ from run to run of a driver, estimated from jobs that ran several times.

All cells of a job share its runs: what a run does to one it does to the others. So a job of m runs
gives m - 1 degrees of freedom, however many cells it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sparserepro.stats import Spread, spread_between_runs

if TYPE_CHECKING:
    from sparserepro.data.frames import Cell

Place = tuple[str, str, str]
"""Machine, side (host or device), and problem."""
Medians = dict[str, float]
"""Of one cell, by run."""


def repeated_jobs(cells: Iterable[Cell]) -> dict[Place, list[list[Medians]]]:
    """The cells measured in several runs, by place and job. The first run of a cell is the one that
    names its job."""
    medians: dict[Place, dict[Any, Medians]] = {}
    for cell in sorted(cells, key=lambda cell: cell.repeat):
        if cell.ok:
            place = (cell.row.machine, cell.side, cell.row.problem)
            key = (cell.row, cell.algorithm, cell.params, cell.library)
            medians.setdefault(place, {}).setdefault(key, {})[cell.run] = cell.seconds
    jobs: dict[Place, dict[str, list[Medians]]] = {}
    for place, found in medians.items():
        for runs in found.values():
            if len(runs) > 1:
                jobs.setdefault(place, {}).setdefault(next(iter(runs)), []).append(runs)
    return {place: list(own.values()) for place, own in jobs.items()}


def spreads(cells: Iterable[Cell]) -> dict[Place, Spread]:
    """Of each place with repeated jobs."""
    return {place: spread_between_runs(own) for place, own in repeated_jobs(cells).items()}
