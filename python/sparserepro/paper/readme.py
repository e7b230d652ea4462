"""The README's headline: a table of own algorithms against libraries on all archived machines, and
a figure of the one with most cases.

`snakemake headline` writes the table between the marks in README.md, and docs/headline.png.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from sparserepro import program
from sparserepro.data.cells import load_cells
from sparserepro.data.frames import PROBLEM_TITLES
from sparserepro.paper.contests import CALLS, Contest, contests, leading
from sparserepro.paths import MEASUREMENTS, ROOT
from sparserepro.stats import Verdict, geometric_mean

BEGIN, END = "<!-- headline: made by sparserepro.paper.readme -->", "<!-- headline ends -->"
FIGURE = ROOT / "docs" / "headline.png"
SHOWN = (("transpose", "device"), ("spmm", "device"))


def plain(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def mean(values: pd.Series) -> float:
    return geometric_mean(list(values.dropna().astype(float)))


def libraries(contest: Contest) -> str:
    named = (contest.peers["library"] + " " + contest.peers["version"]).dropna().unique()
    return ", ".join(sorted(map(str, named)))


def table(found: Sequence[Contest]) -> str:
    """Markdown: a line for each problem, side and machine; and what the machines are."""
    lines = [
        "| problem | where | machine | against the fastest of | cases | 1 call | 10 | 100 "
        "| endless | least to most | slower on |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for contest in found:
        ratio = contest.rows["library_ratio"].astype(float)
        slower = int((contest.rows["library_verdict"] == str(Verdict.slower)).sum())
        cells = [
            PROBLEM_TITLES[contest.problem],
            contest.side,
            contest.machine,
            libraries(contest),
            str(len(ratio)),
            *(plain(mean(contest.rows[f"library_ratio_{calls}"])) for calls in CALLS),
            f"{plain(float(ratio.min()))} to {plain(float(ratio.max()))}",
            str(slower),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *machines(found)])


def machines(found: Sequence[Contest]) -> list[str]:
    """Markdown: an item for each machine."""
    rows = pd.concat([contest.rows for contest in found])
    lines = []
    for name, own in rows.groupby("machine", sort=False):
        gpu = own["gpu"].dropna().unique()
        devices = f"{gpu[0]}; " if len(gpu) else ""
        lines.append(f"- {name}: {devices}{own['cores'].iloc[0]} cores of {own['cpu'].iloc[0]}")
    return lines


def archived_cells(names: Sequence[str]) -> pd.DataFrame:
    """Of these measurement sets together."""
    return pd.concat([load_cells(MEASUREMENTS / name) for name in names], ignore_index=True)


def digest(found: Sequence[Contest]) -> str:
    """Of what the figure shows, so that a test sees when it is stale."""
    shown = [
        (c.problem, c.side, c.machine, row["class"], f"{row['library_ratio']:.6g}")
        for c in leading(found)
        if (c.problem, c.side) in SHOWN
        for _, row in c.rows.sort_values("id").iterrows()
    ]
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


def draw(found: Sequence[Contest]) -> Figure:
    """Each case as a dot, hollow where the library is faster, by class of matrix; the classes'
    geometric means as bars."""
    shown = [c for c in leading(found) if (c.problem, c.side) in SHOWN]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    if not shown:
        raise ValueError("the set has no device that was measured beside libraries")
    for axes, contest in zip(figure.subplots(1, len(shown), sharex=True), shown, strict=True):
        rows = contest.rows.assign(value=contest.rows["library_ratio"].astype(float))
        means = rows.groupby("class")["value"].apply(lambda v: geometric_mean(list(v)))
        order = list(means.sort_values().index)
        for place, name in enumerate(order):
            values = rows[rows["class"] == name]["value"].sort_values().to_numpy()
            offsets = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else [0.0]
            colours = ["#0072B2" if value >= 1 else "#D55E00" for value in values]
            fillings = ["#0072B2" if value >= 1 else "white" for value in values]
            axes.scatter(
                values, place + np.asarray(offsets), s=14, c=fillings, edgecolors=colours,
                linewidths=0.8,
            )  # fmt: skip
            axes.plot([means[name]] * 2, [place - 0.35, place + 0.35], color="black", linewidth=2)
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator([0.6, 0.8, 1, 1.5, 2, 3, 4]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_yticks(range(len(order)), order)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_title(f"{PROBLEM_TITLES[contest.problem]} on {contest.machine}", fontsize=11)
        axes.set_xlabel(
            f"time of the fastest library over ours\n({libraries(contest)})", fontsize=9
        )
    return figure


def update(text: str, found: Sequence[Contest]) -> str:
    """The README with the table of these contests. Raises ValueError without the marks."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"README.md has no {BEGIN}")
    return pattern.sub(lambda _: f"{BEGIN}\n{table(found)}\n{END}", text)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", help="names of measurement sets")
    parser.add_argument(
        "--readme", type=Path, default=ROOT / "README.md", help="README, which is changed in place"
    )
    parser.add_argument("--figure", type=Path, default=FIGURE, help="PNG file to write")
    options = parser.parse_args(arguments)
    found = list(contests(archived_cells(options.sets)))
    options.readme.write_text(update(options.readme.read_text(), found))
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        metadata = {"Software": None, "Source": digest(found)}
        options.figure.parent.mkdir(parents=True, exist_ok=True)
        draw(found).savefig(options.figure, dpi=110, metadata=metadata)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
