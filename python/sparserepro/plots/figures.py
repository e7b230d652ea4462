"""Writes every figure as PDF, and one file a figure key with the floats that include them.

As for the tables, a key may hold several figures (one a machine, pages of many panels), a key
without data gives an empty file, and `refs.tex` defines the labels of each key that has any.
`trace.json` says from which records each mark comes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

from sparserepro.data import traces
from sparserepro.data.frames import PROBLEMS, Report
from sparserepro.data.loading import add_arguments, load_arguments
from sparserepro.data.traces import Point
from sparserepro.plots import measured as figures_measured
from sparserepro.plots import spmm_cuda as figures_spmm_cuda
from sparserepro.plots import style
from sparserepro.plots import sweeps as figures_sweeps
from sparserepro.plots import threads as figures_threads
from sparserepro.plots import triangles as figures_triangles
from sparserepro.plots.crossover import crossover
from sparserepro.plots.matrices import row_lengths
from sparserepro.plots.pages import Drawn
from sparserepro.plots.spies import spies
from sparserepro.render.latex import render
from sparserepro.views.tables import references


@dataclass(frozen=True)
class Drawing:
    """A figure, its file's stem and its caption, and what it shows."""

    stem: str
    caption: str
    figure: Figure
    points: Sequence[Point] = ()


Maker = Callable[[Report], list[Drawn]]

MAKERS: dict[str, Maker] = {
    "spies": spies,
    "row-lengths": row_lengths,
    "spmm-k": figures_sweeps.k_curves,
    "spmm-k-cuda": figures_spmm_cuda.k_curves,
    "transpose-crossover": crossover,
    **figures_triangles.MAKERS,
}


def of_this_run(maker: Maker) -> Maker:
    """Without the machines of sets, where this run has a machine of its own."""
    return lambda report: maker(report.of_this_run())


def makers() -> dict[str, Maker]:
    every = dict(MAKERS)
    for problem in PROBLEMS:
        for kind, maker in figures_measured.KINDS.items():
            every[f"{problem}-{kind}"] = partial(figures_measured.of_problem, maker, problem)
        every[f"{problem}-threads"] = of_this_run(partial(figures_threads.threads, problem=problem))
    for problem, parameter in figures_sweeps.SWEEPS:
        every[f"{problem}-{parameter.replace('_', '-')}"] = of_this_run(
            partial(figures_sweeps.parameter_sweep, problem=problem, parameter=parameter)
        )
    return every


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
    write(load_arguments(args), args.out)


if __name__ == "__main__":
    main()
