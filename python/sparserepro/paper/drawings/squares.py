"""Ratios on square uniform matrices, by order and mean degree."""

from __future__ import annotations

import pandas as pd

from sparserepro.paper.axes import map_of_ratios
from sparserepro.paper.contests import Contest
from sparserepro.paper.plate import Drawn, of_contest, ratio_marks
from sparserepro.paper.samples import compared
from sparserepro.plots import style


def squares(contest: Contest, cells: pd.DataFrame) -> Drawn | None:
    """Ratio to the fastest library on square uniform matrices, by order and mean degree."""
    found = compared(cells)
    algorithm = contest.rows["algorithm"].iloc[0]
    found = found[
        (found["machine"] == contest.machine) & (found["algorithm"] == algorithm)
        & (found["class"] == "order-degree") & found["chosen"] & found["library_ratio"].notna()
    ]  # fmt: skip
    if len(found) < 4:
        return None
    found = found.assign(degree=(found["entries"] / found["rows"]).round().astype(int))
    table = found.pivot_table("library_ratio", "rows", "degree").astype(float)
    figure = style.new_figure(0.8 + 0.17 * len(table))
    axes = figure.subplots()
    map_of_ratios(figure, axes, table)
    axes.set_yticks(range(len(table)), [f"{order:,}".replace(",", " ") for order in table.index])
    axes.set_ylabel("order")
    axes.set_xlabel("mean degree")
    return Drawn(figure, ratio_marks(found))


PLATES = (
    of_contest(
        "transpose-device-squares", "transpose", "device",
        "Transposition of square uniform matrices", squares,
    ),
)  # fmt: skip
