"""The look of the figures: page measures, fonts, and one colour, marker and dash per algorithm.

An algorithm has the slot of its place in the catalogue, which lists all algorithms in every build:
it looks the same in every figure. Libraries are hollow and have slots of their own. Colours are the
seven of Okabe and Ito that show on white, in an order in which neighbours differ in lightness.
Marker and filling tell 33 other algorithms and 11 libraries apart without colour. Colour and dash
of libraries are shifted, so that a library and another algorithm of one marker differ in both.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("pdf")
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

# The subsetter warns that the fonts carry no date.
logging.getLogger("fontTools").setLevel(logging.ERROR)

TEXT_WIDTH_IN = 160 / 25.4
"""Text width of report.tex (160 mm)."""
TEXT_HEIGHT_IN = 235 / 25.4

NAMES = FontProperties(family="cmtt10", size=7)
"""For names of algorithms and matrices; cmr10 has no underscore."""

COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
FILLINGS = ("full", "left", "bottom")
HOLLOW = "none"
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))


@dataclass(frozen=True)
class Look:
    colour: str
    marker: str
    dash: Any
    filling: str
    """One of FILLINGS, or HOLLOW."""

    def marks(self, size: float = 4.5) -> dict[str, Any]:
        return {
            "marker": self.marker,
            "color": self.colour,
            "markersize": size,
            "fillstyle": "full" if self.filling == HOLLOW else self.filling,
            "markerfacecolor": "white" if self.filling == HOLLOW else self.colour,
            "markerfacecoloralt": "white",
            "markeredgecolor": self.colour,
            "markeredgewidth": 0.9,
        }

    def line(self, size: float = 4.0) -> dict[str, Any]:
        return self.marks(size) | {"linestyle": self.dash, "linewidth": 1.0}


def looks(algorithms: Sequence[str], peers: Sequence[str]) -> dict[str, Look]:
    """The look of each algorithm of a problem, given in the catalogue's order; those of third-party
    libraries are hollow."""
    counted = {True: count(), False: count()}
    made = {}
    for name in algorithms:
        library = name in peers
        slot = next(counted[library])
        made[name] = Look(
            COLOURS[(slot + 3 * library) % len(COLOURS)],
            MARKERS[slot % len(MARKERS)],
            DASHES[(slot + 2 * library) % len(DASHES)],
            HOLLOW if library else FILLINGS[slot // len(MARKERS) % len(FILLINGS)],
        )
    return made


def apply() -> None:
    """Fonts as in the report's text (Computer Modern), sizes that need no scaling."""
    matplotlib.rcParams.update(
        {
            "font.family": "serif",
            "font.serif": ["cmr10"],
            "font.size": 8.5,
            "axes.labelsize": 8.5,
            "axes.titlesize": 8.5,
            "xtick.labelsize": 7.5,
            "ytick.labelsize": 7.5,
            "legend.fontsize": 7.5,
            "legend.frameon": False,
            "legend.handlelength": 2.2,
            "legend.columnspacing": 1.4,
            "mathtext.fontset": "cm",
            "axes.formatter.use_mathtext": True,
            "axes.unicode_minus": False,
            "axes.linewidth": 0.6,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#d9d9d9",
            "grid.linewidth": 0.4,
            "xtick.major.width": 0.6,
            "ytick.major.width": 0.6,
            "xtick.minor.width": 0.4,
            "ytick.minor.width": 0.4,
            "lines.linewidth": 1.0,
            "pdf.fonttype": 42,
            "pdf.compression": 9,
        }
    )


def new_figure(height_in: float) -> Figure:
    """A figure of exactly the text's width."""
    height = min(height_in, TEXT_HEIGHT_IN - 1.6)
    return Figure(figsize=(TEXT_WIDTH_IN, height), layout="constrained")


def name_title(axes: Any, name: str, longest: int = 40) -> None:
    """A panel's title that is a name. One that is too long goes on at its last comma; without a
    comma it is shortened in the middle."""
    if len(name) > longest:
        first, comma, rest = name.rpartition(", ")
        name = f"{first},\n{rest}" if comma else name[: longest - 9] + "..." + name[-6:]
    axes.set_title(name, fontproperties=NAMES, pad=3)


def save(figure: Figure, path: Path) -> None:
    """Writes PDF with no date in it, so that equal inputs give equal bytes."""
    figure.savefig(path, format="pdf", metadata={"CreationDate": None})
