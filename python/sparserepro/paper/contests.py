"""Where an own algorithm meets libraries: the rows of one problem and side, of one machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from sparserepro.data.rows import PROBLEMS
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


def met(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells by which own algorithms meet libraries."""
    best = compared(cells)
    return best[best["best_own"] & best["library_ratio"].notna()]


def machines_of(cells: pd.DataFrame) -> list[str]:
    """This run's own first, then those of sets: the one with most rows beside libraries first."""
    own = set(cells[cells["set"].isna()]["machine"])
    rows = met(cells)["machine"].value_counts()
    return sorted(cells["machine"].unique(), key=lambda m: (m not in own, -rows.get(m, 0), m))


def contests(cells: pd.DataFrame) -> Iterator[Contest]:
    """By problem and side, each on all machines in their order."""
    best, machines = met(cells), machines_of(cells)
    for problem in PROBLEMS:
        for side in SIDES:
            rows = best[(best["problem"] == problem) & (best["side"] == side)]
            for machine in machines:
                own = rows[rows["machine"] == machine]
                if len(own):
                    yield Contest(problem, side, machine, own, peers_of(cells, own))


def leading(found: Iterable[Contest]) -> list[Contest]:
    """Of each problem and side the one of the first machine, which sentences and figures are of."""
    first: dict[str, Contest] = {}
    for contest in found:
        first.setdefault(contest.key, contest)
    return list(first.values())


Rows = tuple[pd.DataFrame, pd.DataFrame]


def shared(found: Sequence[Contest]) -> Iterator[tuple[Contest, Contest, Rows]]:
    """The leading contest of each problem and side with each other one of it, and the rows that
    both machines measured, in one order."""
    key = ["matrix", "instance"]
    for first in leading(found):
        for other in found:
            if other.key == first.key and other is not first:
                here, there = (one.rows.set_index(key).sort_index() for one in (first, other))
                common = here.index.intersection(there.index)
                if len(common):
                    yield first, other, (here.loc[common], there.loc[common])


def peers_of(cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    found = compared(cells)
    found = found[found["peer"] & (found["side"] == rows["side"].iloc[0])]
    met: pd.DataFrame = found.merge(rows[["problem", *ROW]].drop_duplicates(), on=["problem", *ROW])
    return met
