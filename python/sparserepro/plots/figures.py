"""Writes every figure as PDF, and one file a figure key with the floats that include them.

As for the tables, a key may hold several figures (one a machine, pages of many panels), a key
without data gives an empty file, and `refs.tex` defines the labels of each key that has any.
`trace.json` says from which records each mark comes.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from sparserepro import program
from sparserepro.data import traces
from sparserepro.data.frames import Report
from sparserepro.data.reading import add_arguments, read_arguments
from sparserepro.data.traces import Point
from sparserepro.imports import modules_of
from sparserepro.plots import style
from sparserepro.plots.pages import Maker
from sparserepro.render.latex import render
from sparserepro.views.tables import references

NAME = "sparserepro.plots.figures"


@dataclass(frozen=True)
class Drawing:
    """A figure, its file's stem and its caption, and what it shows."""

    stem: str
    caption: str
    figure: Figure
    points: Sequence[Point] = ()


def makers() -> dict[str, Maker]:
    """The figures of all modules of the package, by key. Raises ValueError for a key twice."""
    found: dict[str, Maker] = {}
    for module in modules_of("sparserepro.plots"):
        made = getattr(importlib.import_module(module), "MAKERS", {}) if module != NAME else {}
        if twice := sorted(found.keys() & made.keys()):
            raise ValueError(f"two figures have the key {twice[0]}")
        found |= made
    return found


def write(report: Report, out: Path) -> None:
    style.apply()
    out.mkdir(parents=True, exist_ok=True)
    labels: dict[str, list[str]] = {}
    ledger = traces.Ledger()
    traced: dict[str, traces.Traced] = {}
    for key, maker in makers().items():
        drawings = [Drawing(*made) for made in maker(report)]
        for drawing in drawings:
            style.save(drawing.figure, out / f"{drawing.stem}.pdf")
            found = traces.of_drawing(drawing.caption, drawing.points, ledger)
            traced[f"fig:{drawing.stem}"] = found
        labels[key] = [f"fig:{drawing.stem}" for drawing in drawings]
        text = "\n".join(render("figure.tex.j2", drawing=d) for d in drawings)
        (out / f"{key}.tex").write_text(text or "% no data\n")
    (out / "refs.tex").write_text(references({f"figure-{k}": v for k, v in labels.items()}))
    traces.write(out, traced, ledger)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for the figures")
    args = parser.parse_args()
    write(read_arguments(args), args.out)


if __name__ == "__main__":
    sys.exit(program.run(main))
