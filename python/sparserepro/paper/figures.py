"""The figures of the short report, each from the table of cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from sparserepro.data.calls import CALLS
from sparserepro.paper.contests import Contest, contests
from sparserepro.paper.samples import compared
from sparserepro.plots import style
from sparserepro.stats import geometric_mean

Maker = Callable[[Contest, pd.DataFrame], Figure | None]
COLOURS = {"faster": "#0072B2", "slower": "#D55E00", "same": "#7f7f7f", "unclear": "#7f7f7f"}
MAP = "RdBu"


def plain(value: float, _: Any = None) -> str:
    return f"{value:g}"


def log_ratio_axis(axis: Any, low: float, high: float) -> None:
    ticks = [t for t in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200)
             if low / 1.15 <= t <= high * 1.15]  # fmt: skip
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def millions(length: str) -> str:
    """ "length=20000000" -> "20M"."""
    value = int(length.partition("=")[2])
    return f"{value // 1_000_000}M" if value % 1_000_000 == 0 else str(value)


def label(row: pd.Series) -> str:
    """The row's name: its matrix, and what tells its instances apart."""
    if row["problem"] == "primitives":
        procedure, length = row["instance"].split(", ")[:2]
        rest = row["instance"].split(", ")[2:]
        words = [procedure.partition("=")[2].replace("_", " "), millions(length)]
        return ", ".join([*words, *(part.replace("=", " ") for part in rest if "bins" not in part)])
    value = f", {row['value_type']}" if pd.notna(row["value_type"]) else ""
    return f"{row['matrix']}{value}"


def map_of_ratios(figure: Figure, axes: Any, table: pd.DataFrame) -> None:
    """A cell for each ratio, with its number; blue above 1, red below."""
    values = table.to_numpy()
    bound = math.exp(min(max(0.4, float(np.nanmax(np.abs(np.log(values))))), math.log(2.5)))
    image = axes.imshow(values, cmap=MAP, norm=LogNorm(1 / bound, bound), aspect="auto")
    axes.grid(False)
    axes.set_xticks(range(len(table.columns)), [str(k) for k in table.columns])
    axes.tick_params(length=0)
    for (y, x), value in np.ndenumerate(values):
        text = "--" if math.isnan(value) else f"{value:.2f}"
        strong = not math.isnan(value) and abs(math.log(value)) > 0.55 * math.log(bound)
        axes.text(x, y, text, ha="center", va="center", fontsize=7,
                  color="white" if strong else "black")  # fmt: skip
    bar = figure.colorbar(image, ax=axes, pad=0.015, fraction=0.03)
    log_ratio_axis(bar.ax.yaxis, 1 / bound, bound)
    bar.ax.tick_params(length=2)
    bar.set_label("library over ours")


def heat_map(contest: Contest, _: pd.DataFrame) -> Figure | None:
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
    return figure


def ratios(contest: Contest, _: pd.DataFrame) -> Figure | None:
    """Ratio to the fastest library with its interval, a line for each row, sorted."""
    rows = contest.rows.assign(value=contest.rows["library_ratio"].astype(float))
    rows = rows.sort_values("value")
    if len(rows) < 2:
        return None
    figure = style.new_figure(0.65 + 0.15 * len(rows))
    axes = figure.subplots()
    places = np.arange(len(rows))
    for verdict, colour in COLOURS.items():
        chosen = (rows["library_verdict"] == verdict).to_numpy()
        if chosen.any():
            axes.plot(rows["value"].to_numpy()[chosen], places[chosen], "o", color=colour,
                      markersize=4, markerfacecolor=colour if verdict in ("faster", "slower")
                      else "white")  # fmt: skip
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
    return figure


def squares(contest: Contest, cells: pd.DataFrame) -> Figure | None:
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
    return figure


def calls(contest: Contest, _: pd.DataFrame) -> Figure | None:
    """Mean ratio by number of calls, a line for each of the most measured K."""
    if not (contest.rows["preparation_s"] > 0).any():
        return None
    figure = style.new_figure(2.2)
    axes = figure.subplots()
    columns = ["1", "10", "100", "inf"]
    shown = sorted(contest.rows["k"].dropna().value_counts().head(5).index)
    for index, k in enumerate(shown or [None]):
        rows = contest.rows if k is None else contest.rows[contest.rows["k"] == k]
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
    assert len(columns) == len(CALLS)
    return figure


def over_bound(contest: Contest, cells: pd.DataFrame) -> Figure | None:
    """Every algorithm's time over the copy bound, a line for each row."""
    found = compared(cells)
    found = found[
        (found["machine"] == contest.machine) & (found["problem"] == contest.problem)
        & (found["side"] == contest.side) & found["chosen"] & found["share_of_bound"].notna()
        & (found["class"] != "order-degree")
    ]  # fmt: skip
    if found["matrix"].nunique() < 2:
        return None
    found = found.assign(
        row=[label(row) for _, row in found.iterrows()], over=1 / found["share_of_bound"]
    )
    best = found.groupby("row")["over"].min().sort_values(ascending=False)
    algorithms = (
        found.groupby("algorithm")["over"].apply(lambda v: geometric_mean(list(v.astype(float))))
    ).sort_values()
    figure = style.new_figure(1.0 + 0.15 * len(best))
    axes = figure.subplots()
    own_problem = cells[cells["problem"] == contest.problem]
    peers = list(own_problem[own_problem["peer"]]["algorithm"].unique())
    looks = style.looks(sorted(own_problem["algorithm"].unique()), peers)
    places = {row: place for place, row in enumerate(best.index)}
    for name in algorithms.index:
        own = found[found["algorithm"] == name]
        axes.plot(own["over"].astype(float), [places[row] for row in own["row"]], linestyle="",
                  label=name, **looks[name].marks(4))  # fmt: skip
    axes.set_xscale("log")
    log_ratio_axis(axes.xaxis, *axes.get_xlim())
    axes.set_yticks(range(len(best)), list(best.index), fontproperties=style.NAMES)
    axes.set_ylim(-0.7, len(best) - 0.3)
    axes.set_xlabel("time over the copy bound")
    figure.legend(loc="outside upper center", ncols=3, prop=style.NAMES)
    return figure


FIGURES: dict[str, tuple[tuple[str, str], Maker]] = {
    "transpose-device": (("transpose", "device"), over_bound),
    "transpose-host": (("transpose", "host"), over_bound),
    "transpose-device-squares": (("transpose", "device"), squares),
    "spmm-device": (("spmm", "device"), heat_map),
    "spmm-host": (("spmm", "host"), heat_map),
    "spmm-device-calls": (("spmm", "device"), calls),
    "spmm-host-calls": (("spmm", "host"), calls),
    "triangles-device": (("triangles", "device"), over_bound),
    "triangles-host": (("triangles", "host"), over_bound),
    "primitives-device": (("primitives", "device"), ratios),
}


def write(cells: pd.DataFrame, folder: Path) -> Sequence[str]:
    """The figures that the cells allow, as PDF; returns their names."""
    style.apply()
    folder.mkdir(parents=True, exist_ok=True)
    found = {(c.problem, c.side): c for c in contests(cells)}
    made = []
    for name, (place, maker) in FIGURES.items():
        figure = maker(found[place], cells) if place in found else None
        if figure is not None:
            style.save(figure, folder / f"{name}.pdf")
            made.append(name)
    return made
