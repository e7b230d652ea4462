"""Ratios with their intervals, sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sparserepro.paper.axes import label, log_ratio_axis
from sparserepro.paper.contests import Contest
from sparserepro.paper.plate import Drawn, of_contest, ratio_marks
from sparserepro.plots import style

MARKS: dict[str, dict[str, Any]] = {
    "faster": {"marker": "o", "color": "#0072B2"},
    "slower": {"marker": "s", "color": "#D55E00"},
    "same": {"marker": "o", "color": "#7f7f7f", "markerfacecolor": "white"},
    "unclear": {"marker": "o", "color": "#7f7f7f", "markerfacecolor": "white"},
}


def ratios(contest: Contest, _: pd.DataFrame) -> Drawn | None:
    """Ratio to the fastest library with its interval, a line for each row, sorted."""
    rows = contest.rows.assign(value=contest.rows["library_ratio"].astype(float))
    rows = rows.sort_values("value")
    if len(rows) < 2:
        return None
    figure = style.new_figure(0.65 + 0.15 * len(rows))
    axes = figure.subplots()
    places = np.arange(len(rows))
    for verdict, mark in MARKS.items():
        chosen = (rows["library_verdict"] == verdict).to_numpy()
        if chosen.any():
            axes.plot(rows["value"].to_numpy()[chosen], places[chosen], linestyle="",
                      markersize=4, **mark)  # fmt: skip
    known = rows["library_ratio_low"].notna().to_numpy()
    axes.hlines(
        places[known],
        rows["library_ratio_low"].to_numpy(float)[known],
        rows["library_ratio_high"].to_numpy(float)[known],
        color="#404040", linewidth=0.8, zorder=1,
    )  # fmt: skip
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    low, high = float(rows["value"].min()), float(rows["value"].max())
    axes.set_xlim(min(low, 1) / 1.15, max(high, 1) * 1.15)
    log_ratio_axis(axes.xaxis, min(low, 1), max(high, 1))
    axes.set_yticks(places, [label(row) for _, row in rows.iterrows()], fontproperties=style.NAMES)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("time of the fastest library over ours; right of 1 ours is faster")
    return Drawn(figure, ratio_marks(rows))


PLATES = (
    of_contest("primitives-device", "primitives", "device", "Primitives beside a library", ratios),
)
