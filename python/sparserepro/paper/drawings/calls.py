"""Ratios by the number of calls that share a preparation."""

from __future__ import annotations

import pandas as pd

from sparserepro.paper.axes import log_ratio_axis
from sparserepro.paper.contests import CALLS_NAMES, Contest
from sparserepro.paper.plate import Drawn, Mark, both, of_contest
from sparserepro.plots import style
from sparserepro.stats import geometric_mean


def calls(contest: Contest, _: pd.DataFrame) -> Drawn | None:
    """Mean ratio by number of calls, a line for each of the most measured K."""
    if not (contest.rows["preparation_s"] > 0).any():
        return None
    figure = style.new_figure(2.2)
    axes = figure.subplots()
    columns = list(CALLS_NAMES)
    marks: list[Mark] = []
    shown = sorted(contest.rows["k"].dropna().value_counts().head(5).index)
    for index, k in enumerate(shown or [None]):
        rows = contest.rows if k is None else contest.rows[contest.rows["k"] == k]
        marks += [
            Mark("all" if k is None else f"K={k}", CALLS_NAMES[c], both(rows, f"library_id_{c}"))
            for c in columns
        ]
        values = [geometric_mean(list(rows[f"library_ratio_{c}"].dropna().astype(float)))
                  for c in columns]  # fmt: skip
        colour = style.COLOURS[index % len(style.COLOURS)]
        marker = style.MARKERS[index % len(style.MARKERS)]
        axes.plot(range(len(columns)), values, marker=marker, color=colour, markersize=4,
                  label="all" if k is None else f"K = {k}")  # fmt: skip
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    log_ratio_axis(axes.yaxis, low, high)
    axes.set_xticks(range(len(columns)), ["1", "10", "100", r"$\infty$"])
    axes.set_xlim(-0.2, len(columns) - 0.8)
    axes.set_xlabel("calls that share one preparation")
    axes.set_ylabel("library's time over ours")
    axes.legend(loc="lower right", ncols=min(3, len(shown) or 1))
    return Drawn(figure, marks)


PLATES = tuple(
    of_contest(f"spmm-{side}-calls", "spmm", side, f"SpMM by number of calls, {side}", calls)
    for side in ("device", "host")
)
