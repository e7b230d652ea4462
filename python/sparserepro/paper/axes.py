"""What figures of the report share: axes of ratios, names of rows, maps of ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

MAP = "RdBu"


def plain(value: float, _: Any = None) -> str:
    return f"{value:g}"


def log_ratio_axis(axis: Any, low: float, high: float) -> None:
    fine = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10]
    coarse = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]
    ticks = [tick for tick in (*fine, *coarse) if low / 1.15 <= tick <= high * 1.15]
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


def lightness(colour: Sequence[float]) -> float:
    """Luma of a colour, from 0 to 1."""
    red, green, blue, _ = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue


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
        dark = not math.isnan(value) and lightness(image.to_rgba(value)) < 0.5
        axes.text(x, y, text, ha="center", va="center", fontsize=7,
                  color="white" if dark else "black")  # fmt: skip
    bar = figure.colorbar(image, ax=axes, pad=0.015, fraction=0.03)
    log_ratio_axis(bar.ax.yaxis, 1 / bound, bound)
    bar.ax.tick_params(length=2)
    bar.set_label("library over ours")
