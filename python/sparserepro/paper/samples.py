"""Ratios between two ways of doing the same thing, on the rows that both were measured on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from sparserepro.data.frames import GRID
from sparserepro.stats import SMALLEST_EFFECT, geometric_mean

ROW = ["machine", "matrix", "instance"]


@dataclass(frozen=True)
class Sample:
    """Ratios of the rows of one machine; above 1 the first way is the better one."""

    machine: str
    ratios: tuple[float, ...]
    rows: tuple[str, ...]
    """The matrix and instance of each ratio."""
    ids: tuple[str, ...] = ()
    """Of the records of both sides."""

    @property
    def mean(self) -> float:
        return geometric_mean(self.ratios)

    @property
    def low(self) -> float:
        return min(self.ratios)

    @property
    def high(self) -> float:
        return max(self.ratios)

    @property
    def wins(self) -> int:
        """Rows on which the first way is better by the smallest effect of interest or more."""
        return sum(ratio >= 1 + SMALLEST_EFFECT for ratio in self.ratios)

    @property
    def losses(self) -> int:
        return sum(ratio <= 1 / (1 + SMALLEST_EFFECT) for ratio in self.ratios)

    @property
    def inverse(self) -> Sample:
        """How many times more the first way takes."""
        return replace(self, ratios=tuple(1 / ratio for ratio in self.ratios))

    def __len__(self) -> int:
        return len(self.ratios)


def compared(cells: pd.DataFrame) -> pd.DataFrame:
    """The measured cells that compete."""
    return cells[(cells["status"] == "ok") & (cells["role"] == "compared")]


def with_parameters(cells: pd.DataFrame, **wanted: str | int) -> pd.DataFrame:
    """The cells whose algorithm has these parameters."""
    for name, value in wanted.items():
        padded = ", " + cells["parameters"].fillna("") + ","
        cells = cells[padded.str.contains(f", {name}={value},", regex=False)]
    return cells


def of(cells: pd.DataFrame, *algorithms: str, **parameters: str | int) -> pd.DataFrame:
    """The competing cells of some algorithms with these parameters, without the grid of square
    uniform matrices, which would outweigh all classes in a mean."""
    found = compared(cells)
    found = found[found["class"].isna() | (found["class"] != GRID)]
    return with_parameters(found[found["algorithm"].isin(algorithms)], **parameters)


def least(cells: pd.DataFrame, time: str = "headline_s") -> pd.DataFrame:
    """The cell of least time of each row: its `time` and `id`."""
    timed = cells[cells[time].notna()].sort_values([time, "id"])
    first = timed.drop_duplicates(ROW).set_index(ROW)
    return pd.DataFrame({"time": first[time].astype(float), "id": first["id"]})


def ratios(
    better: pd.DataFrame,
    other: pd.DataFrame,
    better_time: str = "headline_s",
    other_time: str = "headline_s",
) -> list[Sample]:
    """How many times less `better` takes than `other`, for each machine with rows of both."""
    first, second = least(better, better_time), least(other, other_time)
    both = first.merge(
        second, left_index=True, right_index=True, suffixes=("_first", "_second")
    ).sort_index()
    made = []
    for machine, rows in both.groupby(level="machine"):
        names = [f"{matrix} {instance}".strip() for _, matrix, instance in rows.index]
        values = (rows["time_second"] / rows["time_first"]).astype(float)
        ids = (*rows["id_first"], *rows["id_second"])
        made.append(Sample(str(machine), tuple(values), tuple(names), tuple(map(str, ids))))
    return made


def settings(cells: pd.DataFrame, parameter: str) -> dict[str, pd.DataFrame]:
    """The cells by the value of one of their algorithm's parameters."""
    values = cells["parameters"].str.extract(rf"(?:^|, ){parameter}=([^,]+)", expand=False)
    return {str(value): found for value, found in cells.groupby(values)}


def cost_of_setting(cells: pd.DataFrame, parameter: str, value: str | int) -> list[Sample]:
    """What the best setting with this value takes over the best of all, as ratios of at least 1."""
    named = settings(cells, parameter)
    if str(value) not in named or len(named) < 2:
        return []
    return ratios(cells, named[str(value)], "median_s", "median_s")
