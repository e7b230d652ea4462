"""Ratios by matrix and K, as a map."""

from __future__ import annotations

import pandas as pd

from sparserepro.paper.axes import map_of_ratios
from sparserepro.paper.contests import Contest
from sparserepro.paper.plate import Drawn, of_contest, ratio_marks
from sparserepro.plots import style


def heat_map(contest: Contest, _: pd.DataFrame) -> Drawn | None:
    """Ratio to the fastest library by matrix and K; classes together, larger matrices below."""
    rows = contest.rows
    table = rows.pivot_table("library_ratio", "matrix", "k", observed=True).astype(float)
    if table.size < 4:
        return None
    facts = rows.drop_duplicates("matrix").set_index("matrix")
    order = sorted(table.index, key=lambda m: (facts.at[m, "class"], facts.at[m, "entries"]))
    table = table.loc[order]
    figure = style.new_figure(0.75 + 0.155 * len(table))
    axes = figure.subplots()
    map_of_ratios(figure, axes, table)
    classes = facts["class"].to_dict()
    names = [": ".join(map(str, (classes[matrix], matrix))) for matrix in table.index]
    axes.set_yticks(range(len(table)), names, fontproperties=style.NAMES)
    axes.set_xlabel("columns of X (K)")
    return Drawn(figure, ratio_marks(rows))


PLATES = tuple(
    of_contest(f"spmm-{side}", "spmm", side, f"SpMM against libraries, {side}", heat_map)
    for side in ("device", "host")
)
