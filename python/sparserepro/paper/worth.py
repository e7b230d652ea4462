"""What the own algorithms are worth on the machine of a run: for each problem and side the best own
one against the fastest library, with a verdict.

The verdict is of the geometric mean over the rows. Rows of one matrix are not independent, so the
interval is over matrices: by Student's t, of the deviation of the mean that is robust to clusters
(Liang and Zeger, Biometrika 73, 1986). Of a single matrix it is made of the intervals of its rows.

As a program it writes the lines that a run prints at its end.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sparserepro import program
from sparserepro.data.cells import load_cells
from sparserepro.data.frames import PROBLEM_TITLES
from sparserepro.paper.contests import Contest, contests, leading
from sparserepro.paper.readme import libraries, plain
from sparserepro.render.latex import code, escape, integer, listing
from sparserepro.stats import (
    SMALLEST_EFFECT,
    Ratio,
    Verdict,
    geometric_mean,
    student_quantile,
    verdict,
)

WORDS = {
    Verdict.faster: "faster", Verdict.slower: "slower", Verdict.same: "the same",
    Verdict.unclear: "undecided",
}  # fmt: skip


def mean_ratio(rows: pd.DataFrame, column: str = "library_ratio") -> Ratio:
    """Geometric mean of a column of ratios, with its 95 % interval."""
    logs = rows[column].astype(float).map(math.log)
    middle = math.fsum(logs) / len(logs)
    # Primitives have no matrices: there a procedure, which has one own algorithm, is a cluster.
    primitives = (rows["problem"] == "primitives").all()
    sums = (logs - middle).groupby(rows["algorithm" if primitives else "matrix"]).sum()
    clusters = len(sums)
    if clusters == 1:
        return Ratio(math.exp(middle), *ends_of_one(rows, column))
    variance = clusters / (clusters - 1) * math.fsum(sums**2) / len(logs) ** 2
    reach = student_quantile(clusters - 1) * math.sqrt(variance)
    return Ratio(math.exp(middle), math.exp(middle - reach), math.exp(middle + reach))


def ends_of_one(rows: pd.DataFrame, column: str) -> tuple[float | None, float | None]:
    """The means of the ends of the rows' intervals, where the table has all."""
    if any(f"{column}_{end}" not in rows for end in ("low", "high")):
        return None, None
    low, high = (rows[f"{column}_{end}"].dropna().astype(float) for end in ("low", "high"))
    if len(low) < len(rows) or len(high) < len(rows):
        return None, None
    return geometric_mean(list(low)), geometric_mean(list(high))


def interval(ratio: Ratio) -> str:
    """ "1.34 to 1.62"."""
    if ratio.low is None or ratio.high is None:
        return "no interval"
    return f"{plain(ratio.low)} to {plain(ratio.high)}"


@dataclass(frozen=True)
class Worth:
    """Of a contest: the mean of its headlines and that for one call, which pays for preparation,
    and how many rows have which verdict."""

    contest: Contest
    ratio: Ratio
    once: Ratio
    counts: dict[Verdict, int]

    @property
    def title(self) -> str:
        return f"{PROBLEM_TITLES[self.contest.problem]}, {self.contest.side}"

    @property
    def prepares(self) -> bool:
        """Whether it matters how many calls pay for the preparation."""
        return abs(math.log(self.once.value / self.ratio.value)) > math.log1p(SMALLEST_EFFECT)


def worth(contest: Contest) -> Worth:
    rows = contest.rows
    found = rows["library_verdict"].value_counts()
    counts = {v: int(found.get(str(v), 0)) for v in Verdict}
    return Worth(contest, mean_ratio(rows), mean_ratio(rows, "library_ratio_1"), counts)


def own_machines(cells: pd.DataFrame) -> list[str]:
    """Those of this run; none where only sets are reported."""
    return sorted(cells[cells["set"].isna()]["machine"].unique())


def shown(cells: pd.DataFrame) -> list[Worth]:
    """Of this run's machine; of the archived ones, each side once, where nothing was measured."""
    own, found = own_machines(cells), list(contests(cells))
    wanted = [c for c in found if c.machine in own] if own else leading(found)
    return [worth(contest) for contest in wanted]


def without_library(cells: pd.DataFrame) -> list[str]:
    """Problems and sides of this run with own times and none of a library."""
    own = cells[cells["set"].isna() & (cells["status"] == "ok") & (cells["role"] == "compared")]
    lines = []
    for (problem, side), found in own.groupby(["problem", "side"], sort=False):
        if not found["peer"].any():
            lines.append(f"{PROBLEM_TITLES[str(problem)]}, {side}")
    return lines


def described(cells: pd.DataFrame, machine: str) -> str:
    """ "AMD EPYC, 2 cores, no GPU"."""
    own = cells[cells["machine"] == machine]
    gpus = own["gpu"].dropna().unique()
    gpu = gpus[0] if len(gpus) else "no GPU"
    return f"{own['cpu'].iloc[0]}, {own['cores'].iloc[0]} cores, {gpu}"


def told(name: str, ratio: Ratio) -> str:
    """ "SLOWER 0.64 (0.52 to 0.79)"."""
    return f"{name}{WORDS[verdict(ratio)].upper()} {plain(ratio.value)} ({interval(ratio)})"


def lines(cells: pd.DataFrame) -> list[str]:
    """For the terminal."""
    own, found = own_machines(cells), shown(cells)
    text = [f"On this machine ({name}: {described(cells, name)})" for name in own]
    text = text or ["Nothing was measured here. On archived machines"]
    text[-1] += ", the fastest library's time over that of own algorithms:"
    body = [
        [
            each.title + ("" if own else f" of {each.contest.machine}"),
            told("", each.ratio),
            told("one call: ", each.once) if each.prepares else "",
            rows_told(each),
            libraries(each.contest),
        ]
        for each in found
    ]
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    text += [
        "  " + "  ".join(part.ljust(w) for part, w in zip(line, widths, strict=True)).rstrip()
        for line in body
    ]
    if absent := without_library(cells):
        text.append(f"  beside no library: {'; '.join(absent)}")
    if not found:
        text.append("  no row has times of own algorithms and of libraries")
    return [*text, "  Geometric means over the rows, with 95 % intervals over matrices."]


def rows_told(each: Worth) -> str:
    """ "21 rows: 19 faster, 2 undecided"."""
    total = len(each.contest.rows)
    parts = [f"{each.counts[v]} {WORDS[v]}" for v in WORDS if each.counts[v]]
    return f"{total} {'row' if total == 1 else 'rows'}: {', '.join(parts)}"


def sentence(found: Sequence[Worth], pick: Callable[[Worth], Ratio]) -> str:
    """ "faster in SpMM (host) and transposition (host); undecided in ..."."""
    parts = []
    for which in WORDS:
        names = [titled(each) for each in found if verdict(pick(each)) is which]
        if names:
            parts.append(f"{WORDS[which]} in {listing(names)}")
    return "; ".join(parts)


def titled(each: Worth) -> str:
    """ "SpMM (host)"."""
    title = PROBLEM_TITLES[each.contest.problem]
    title = title if title[1:2].isupper() or title == "SpMM" else title[0].lower() + title[1:]
    return f"{title} ({each.contest.side})"


def page(cells: pd.DataFrame) -> str:
    """What stands at the top of the report, in LaTeX: sentences and a small table."""
    own, found = own_machines(cells), shown(cells)
    if not found:
        return ""
    machines = listing([f"{code(name)} ({escape(described(cells, name))})" for name in own])
    start = (
        rf"\paragraph{{This machine.}} On {machines} our algorithms are "
        if own
        else r"\paragraph{Archived machines.} Nothing was measured on the machine that made this "
        r"report: \code{snakemake --cores 8 report} does. On archived machines our algorithms are "
    )
    text = f"{start}{sentence(found, lambda each: each.ratio)}, compared with the fastest library."
    if once := [each for each in found if each.prepares]:
        text += (
            " Where one call pays for the preparation, they are "
            f"{sentence(once, lambda each: each.once)}."
        )
    return "\n".join([text, r"\begin{center}", tabular_of(found, bool(own)), r"\end{center}", ""])


def tabular_of(found: Sequence[Worth], own: bool) -> str:
    """The small table, which stands where it is included."""
    body = []
    for each in found:
        machine = "" if own else f" of {code(each.contest.machine)}"
        cells = [
            PROBLEM_TITLES[each.contest.problem], each.contest.side + machine,
            *in_table(each.ratio), *in_table(each.once), integer(len(each.contest.rows)),
            integer(each.counts[Verdict.faster]), integer(each.counts[Verdict.slower]),
        ]  # fmt: skip
        body.append(" & ".join(cells) + r"\\")
    return "\n".join(
        [
            r"\captionof{table}{Time of the fastest library over that of our algorithm, for endless"
            " calls (triangle counting: for one) and for one call with its preparation: geometric"
            r" mean over the rows with the \qty{95}{\percent} interval over matrices, and the"
            r" verdict; and how many rows are decided by themselves.}\label{tab:worth}",
            r"\footnotesize\setlength{\tabcolsep}{4pt}",
            r"\begin{tabular}{@{}llllllrrr@{}}",
            r"\toprule",
            r" & & \multicolumn{2}{c}{endless calls} & \multicolumn{2}{c}{one call} & & &\\",
            r"\cmidrule(lr){3-4}\cmidrule(lr){5-6}",
            r"problem & side & ratio & verdict & ratio & verdict & rows & faster & slower\\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def in_table(ratio: Ratio) -> tuple[str, str]:
    return f"{plain(ratio.value)} ({interval(ratio)})", WORDS[verdict(ratio)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, help="cells.parquet, or a run or a set by name")
    parser.add_argument("--out", type=Path, required=True, help="text file to write")
    options = parser.parse_args(arguments)
    options.out.write_text("\n".join(lines(load_cells(options.cells))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
