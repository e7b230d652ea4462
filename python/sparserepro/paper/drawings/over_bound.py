"""Times of all algorithms over the copy bound."""

from __future__ import annotations

import pandas as pd

from sparserepro.paper.axes import label, log_ratio_axis
from sparserepro.paper.contests import Contest
from sparserepro.paper.plate import Drawn, Mark, of_contest
from sparserepro.paper.samples import compared
from sparserepro.plots import style
from sparserepro.plots.dots import offsets
from sparserepro.stats import geometric_mean


def over_bound(contest: Contest, cells: pd.DataFrame) -> Drawn | None:
    """Every algorithm's time over the copy bound, a line for each row with ours or with several."""
    found = compared(cells)
    found = found[
        (found["machine"] == contest.machine) & (found["problem"] == contest.problem)
        & (found["side"] == contest.side) & found["chosen"] & found["share_of_bound"].notna()
        & (found["class"] != "order-degree")
    ]  # fmt: skip
    found = found.assign(
        row=[label(row) for _, row in found.iterrows()], over=1 / found["share_of_bound"]
    )
    several = found.groupby("row")["algorithm"].transform("nunique") > 1
    ours = set(found["row"][found["algorithm"].isin(contest.rows["algorithm"].unique())])
    found = found[several | found["row"].isin(ours)]
    if found["matrix"].nunique() < 2:
        return None
    best = found.groupby("row")["over"].min().sort_values(ascending=False)
    algorithms = (
        found.groupby("algorithm")["over"].apply(lambda v: geometric_mean(list(v.astype(float))))
    ).sort_values()
    figure = style.new_figure(1.0 + 0.19 * len(best))
    axes = figure.subplots()
    own_problem = cells[cells["problem"] == contest.problem]
    peers = list(own_problem[own_problem["peer"]]["algorithm"].unique())
    looks = style.looks(sorted(own_problem["algorithm"].unique()), peers)
    places = {row: place for place, row in enumerate(best.index)}
    shift = offsets(list(algorithms.index))
    for name in algorithms.index:
        own = found[found["algorithm"] == name]
        heights = [places[row] + shift[name] for row in own["row"]]
        axes.plot(own["over"].astype(float), heights, linestyle="", label=name,
                  **looks[name].marks(4))  # fmt: skip
    axes.set_xscale("log")
    log_ratio_axis(axes.xaxis, *axes.get_xlim())
    axes.set_yticks(range(len(best)), list(best.index), fontproperties=style.NAMES)
    axes.set_ylim(-0.7, len(best) - 0.3)
    axes.set_xlabel("time over the copy bound")
    figure.legend(loc="outside upper center", ncols=3, prop=style.NAMES)
    marks = [
        Mark(str(row), str(algorithm), list(map(str, rows["id"])))
        for (row, algorithm), rows in found.groupby(["row", "algorithm"])
    ]
    return Drawn(figure, marks)


PLATES = tuple(
    of_contest(
        f"{problem}-{side}", problem, side, f"{title} over the copy bound, {side}", over_bound
    )
    for problem, title in (("transpose", "Transposition"), ("triangles", "Triangle counting"))
    for side in ("device", "host")
)
