"""The tables of records in the pages of own kernels (kernels/<problem>/<algorithm>/README.md).

`snakemake headline` writes each between the marks of its page: by class of matrix the share of the
copy bound and the ratio to the fastest library, with the records of the extremes, and then the
cells where a library is faster.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from sparserepro import program
from sparserepro.paper.contests import machines_of
from sparserepro.paper.readme import archived_cells, plain
from sparserepro.paths import ROOT
from sparserepro.stats import Verdict, geometric_mean

BEGIN = "<!-- records: made by sparserepro.paper.pages -->"
END = "<!-- records end -->"
PAGES = "kernels/*/*/README.md"


def pages(root: Path = ROOT) -> list[Path]:
    """Those with a place for records; the folder has the algorithm's name."""
    return [path for path in sorted(root.glob(PAGES)) if BEGIN in path.read_text()]


def own(cells: pd.DataFrame, algorithm: str) -> pd.DataFrame:
    """The best settings of an algorithm, on the first machine of the headline that measured it."""
    chosen = cells[(cells["algorithm"] == algorithm) & cells["chosen"] & (cells["status"] == "ok")]
    machines = [name for name in machines_of(cells) if name in set(chosen["machine"])]
    return chosen[chosen["machine"].isin(machines[:1])]


def place(row: pd.Series) -> str:
    """Matrix and what else tells the cell from the others, with the record."""
    others = "" if pd.isna(row["k"]) else f" K = {row['k']}"
    others += "" if pd.isna(row["value_type"]) else f" {row['value_type']}"
    if "op=transpose" in str(row["instance"]):
        others += " A^T"
    return f"{row['matrix']}{others} (`{row['id']}`)"


def extremes(rows: pd.DataFrame) -> list[str]:
    """The cells of least and of most ratio, one where there is one."""
    ordered = rows.sort_values("library_ratio")
    ends = [ordered.iloc[0], ordered.iloc[-1]][: len(ordered)]
    return [f"{plain(float(row['library_ratio']))} {place(row)}" for row in ends]


def line(name: str, rows: pd.DataFrame) -> str:
    closest = rows.sort_values("share_of_bound").iloc[-1]
    best = f"{float(closest['share_of_bound']):.0%} {place(closest)}"
    mean = float(rows["share_of_bound"].astype(float).mean())
    cells = [name, str(len(rows)), best if len(rows) == 1 else f"{mean:.0%}, {best}"]
    met = rows[rows["library_ratio"].notna()]
    if len(met):
        calls = [
            geometric_mean(list(met[f"library_ratio_{n}"].astype(float))) for n in (1, 10, 100)
        ]
        mean = geometric_mean(list(met["library_ratio"].astype(float)))
        cells.append(", ".join(map(plain, calls)))
        ends = " to ".join(extremes(met))
        cells.append(ends if len(met) == 1 else f"{plain(mean)}: {ends}")
    else:
        cells += ["", "no library"]
    return f"| {' | '.join(cells)} |"


def table(rows: pd.DataFrame) -> str:
    """Markdown."""
    commits = ", ".join(sorted({str(commit)[:7] for commit in rows["commit"]}))
    first = rows.iloc[0]
    where = first["gpu"] if first["side"] == "device" else f"{first['cores']} cores, {first['cpu']}"
    headline = "with one preparation" if first["problem"] == "triangles" else "of executions alone"
    lines = [
        f"Set `{first['machine']}` ({where}), {len(rows)} cells, commit {commits}. *Share* is the",
        "copy bound's time over this algorithm's, *ratio* the fastest library's time over this",
        f"algorithm's, both {headline}; *calls* are ratios with one preparation and so many",
        "executions on both sides, in geometric mean. `sparserepro trace ID` shows a record.",
        "",
        "| class | cells | share: mean, most | 1, 10, 100 calls | ratio: mean, least to most |",
        "| --- | ---: | --- | --- | --- |",
        *(line(str(name), group) for name, group in rows.groupby("class")),
    ]
    slower = rows[rows["library_verdict"] == str(Verdict.slower)].sort_values("library_ratio")
    told = [f"{plain(float(row['library_ratio']))} {place(row)}" for _, row in slower.iterrows()]
    if told:
        count = "1 cell" if len(told) == 1 else f"{len(told)} cells"
        lines += ["", f"A library is faster, beyond both intervals, on {count}: {', '.join(told)}."]
    return "\n".join(lines)


def update(text: str, rows: pd.DataFrame) -> str:
    """The page with the table of these cells. Raises ValueError without the marks."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"the page has no {BEGIN}")
    told = table(rows) if len(rows) else "No archived machine has measured it."
    return pattern.sub(lambda _: f"{BEGIN}\n{told}\n{END}", text)


def updated(cells: pd.DataFrame, root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Each page, and its text with the records of these cells."""
    for path in pages(root):
        yield path, update(path.read_text(), own(cells, path.parent.name))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", help="names of measurement sets")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout with the pages")
    options = parser.parse_args(arguments)
    for path, text in updated(archived_cells(options.sets), options.root):
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
