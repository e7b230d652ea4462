"""What greyscale leaves of a figure: which of its series differ by marker, line style, hatch or
lightness."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

LEAST_LIGHTNESS = 20
"""Of L* in CIELAB, from 0 for black to 100 for white; about the step between six greys."""


def lightness(colour: Any) -> float:
    """L* of a colour over white."""
    *rgb, alpha = to_rgba(colour)
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in rgb]
    y = sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    y = alpha * y + 1 - alpha
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


@dataclass(frozen=True)
class Series:
    """What greyscale shows of a series: its shape, and the lightness of edge and filling."""

    shape: tuple[Any, ...]
    lights: tuple[float, ...]

    def apart(self, other: "Series") -> bool:
        return self.shape != other.shape or any(
            abs(a - b) >= LEAST_LIGHTNESS for a, b in zip(self.lights, other.lights, strict=True)
        )


def of_line(line: Line2D) -> Series:
    dashed = line.get_linestyle() not in ("None", "", " ")
    marked = line.get_marker() not in ("None", "", " ", None)
    shape = (
        "line",
        line._unscaled_dash_pattern if dashed else None,
        (line.get_marker(), line.get_fillstyle()) if marked else None,
    )
    lights = [lightness(line.get_color())]
    if marked:
        lights += [lightness(line.get_markeredgecolor()), lightness(line.get_markerfacecolor())]
    return Series(shape, tuple(lights))


def of_patch(patch: Patch) -> Series:
    return Series(("patch", patch.get_hatch()), (lightness(patch.get_facecolor()),))


def of_dots(dots: PathCollection) -> list[Series]:
    path = dots.get_paths()[0]
    shape = ("dots", path.vertices.round(3).tobytes())
    return [Series(shape, (lightness(colour),)) for colour in dots.get_facecolor()]


def is_interval(line: Line2D, marks: set[Any]) -> bool:
    """A short bar through a mark, in the mark's colour."""
    unmarked = line.get_marker() in ("None", "", " ", None)
    return unmarked and len(line.get_xdata()) == 2 and to_rgb(line.get_color()) in marks


def of_axes(axes: Any) -> set[Series]:
    """Without intervals, and without lines across the whole axes, which are no data."""
    lines = [x for x in axes.lines if x.get_visible() and x.get_transform() == axes.transData]
    marks = {to_rgb(x.get_color()) for x in lines if x.get_marker() not in ("None", "", None)}
    found = {of_line(line) for line in lines if not is_interval(line, marks)}
    found |= {of_patch(patch) for patch in axes.patches}
    dots = [c for c in axes.collections if isinstance(c, PathCollection)]
    return found.union(*[of_dots(each) for each in dots])


def of_legends(figure: Figure) -> list[list[Series]]:
    """Entries of each legend, one beside another of the same look included."""
    legends = [*figure.legends, *[x for a in figure.axes if (x := a.get_legend())]]
    return [
        [of_line(h) if isinstance(h, Line2D) else of_patch(h) for h in legend.legend_handles]
        for legend in legends
    ]


def alike(figure: Figure) -> list[tuple[Series, Series]]:
    """Pairs of series of one panel or legend that greyscale does not tell apart."""
    groups = [list(of_axes(axes)) for axes in figure.axes] + of_legends(figure)
    return [(a, b) for group in groups for a, b in combinations(group, 2) if not a.apart(b)]
