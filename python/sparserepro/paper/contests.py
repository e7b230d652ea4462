"""Where an own algorithm meets libraries: the rows of one problem and side, of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from sparserepro.paper.samples import ROW, compared

SIDES = ("host", "device")
CALLS_NAMES = {"1": "1 call", "10": "10 calls", "100": "100 calls", "inf": "endless calls"}
CALLS = tuple(CALLS_NAMES)


@dataclass(frozen=True)
class Contest:
    """The rows on which an own algorithm meets libraries, of one problem, side and machine."""

    problem: str
    side: str
    machine: str
    rows: pd.DataFrame

    peers: pd.DataFrame
    """The measured cells of all libraries on these rows."""

    @property
    def key(self) -> str:
        return f"{self.problem}/{self.side}"


def machines_of(cells: pd.DataFrame) -> list[str]:
    """This run's own first, then those of sets, by name."""
    own = cells[cells["set"].isna()]["machine"].unique()
    others = cells[cells["set"].notna()]["machine"].unique()
    return [*sorted(own), *sorted(set(others) - set(own))]


def contests(cells: pd.DataFrame) -> Iterator[Contest]:
    best = compared(cells)
    best = best[best["best_own"] & best["library_ratio"].notna()]
    for problem in best["problem"].unique():
        for side in SIDES:
            rows = best[(best["problem"] == problem) & (best["side"] == side)]
            for machine in machines_of(cells):
                own = rows[rows["machine"] == machine]
                if len(own):
                    yield Contest(str(problem), side, machine, own, peers_of(cells, own))
                    break


def peers_of(cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    found = compared(cells)
    found = found[found["peer"] & (found["side"] == rows["side"].iloc[0])]
    met: pd.DataFrame = found.merge(rows[["problem", *ROW]].drop_duplicates(), on=["problem", *ROW])
    return met
