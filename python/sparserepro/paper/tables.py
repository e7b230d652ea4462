"""Small tables of the report: own algorithms against libraries, by class, and the machines."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sparserepro.data.frames import PROBLEM_TITLES
from sparserepro.paper.claims.claim import number
from sparserepro.paper.contests import CALLS, Contest, machines_of, shared
from sparserepro.paper.numbers import mean, place
from sparserepro.render.latex import code, escape, integer, significant
from sparserepro.stats import Verdict, geometric_mean

VERDICTS = (Verdict.faster, Verdict.same, Verdict.unclear, Verdict.slower)


def tabular(columns: str, head: str, lines: Sequence[str], caption: str, label: str) -> str:
    body = "\n".join(f"{line}\\\\" for line in lines)
    return rf"""\begin{{table}}[htbp]
\centering
\caption{{{caption}}}\label{{{label}}}
\footnotesize\setlength{{\tabcolsep}}{{4pt}}
\begin{{tabular}}{{@{{}}{columns}@{{}}}}
\toprule
{head}\\
\midrule
{body}
\bottomrule
\end{{tabular}}
\end{{table}}
"""


def ragged(millimetres: int) -> str:
    """A column of text that may break."""
    return rf">{{\raggedright\arraybackslash}}p{{{millimetres}mm}}"


def summary(contests: Sequence[Contest]) -> str:
    """Every problem and side: the ratio for each number of calls, and the verdicts."""
    lines = []
    for contest in contests:
        rows = contest.rows
        ratio = rows["library_ratio"].astype(float)
        calls = [mean(rows[f"library_ratio_{c}"].dropna()) for c in CALLS]
        verdicts = rows["library_verdict"].value_counts()
        cells = [
            PROBLEM_TITLES[contest.problem], contest.side, code(contest.machine),
            integer(len(rows)), *calls, number(float(ratio.min())), number(float(ratio.max())),
            *(integer(int(verdicts.get(str(v), 0))) for v in VERDICTS),
        ]  # fmt: skip
        lines.append(" & ".join(cells))
    head = (
        " & & & & \\multicolumn{4}{c}{calls} & & & \\multicolumn{4}{c}{verdicts}\\\\\n"
        "\\cmidrule(lr){5-8}\\cmidrule(l){11-14}\n"
        "problem & side & machine & rows & 1 & 10 & 100 & $\\infty$ & least & most & "
        + " & ".join(map(str, VERDICTS))
    )
    caption = (
        "Time of the fastest library over that of our algorithm, preparation counted, by number of "
        "calls: geometric means over the rows. Least, most and verdicts are of the headline times."
    )
    return tabular("ll" + ragged(20) + "r" * 11, head, lines, caption, "tab:summary")


def classes(contests: Sequence[Contest]) -> str:
    """The mean headline ratio by class of matrix, and the worst row of each class."""
    lines = []
    for contest in contests:
        if contest.rows["class"].nunique() < 2:
            continue
        lines.append(
            rf"\multicolumn{{5}}{{@{{}}l}}{{\textit{{{PROBLEM_TITLES[contest.problem]}, "
            rf"{contest.side} of {code(contest.machine)}}}}}"
        )
        means = contest.rows.groupby("class")["library_ratio"].apply(
            lambda values: geometric_mean(list(values.astype(float)))
        )
        for name in means.sort_values(ascending=False).index:
            rows = contest.rows[contest.rows["class"] == name]
            worst = rows.loc[rows["library_ratio"].astype(float).idxmin()]
            lines.append(
                f"{escape(name)} & {integer(len(rows))} & {number(float(means[name]))} & "
                f"{number(float(worst['library_ratio']))} & {place(worst)}"
            )
    if not lines:
        return ""
    caption = (
        "The same ratio by class of matrix, without preparation: geometric mean, and the row of "
        "each class on which ours does worst."
    )
    return tabular("lrrrl", "class & rows & mean & least & on", lines, caption, "tab:classes")


def between(contests: Sequence[Contest]) -> str:
    """What differs between machines, on the rows that two of them measured."""
    lines = []
    for first, other, (here, there) in shared(contests):
        differ = (here["library_verdict"] != there["library_verdict"]).sum()
        cells = [
            PROBLEM_TITLES[first.problem], first.side, integer(len(here)),
            code(first.machine), mean(here["library_ratio"]),
            code(other.machine), mean(there["library_ratio"]), integer(int(differ)),
        ]  # fmt: skip
        lines.append(" & ".join(cells))
    if not lines:
        return ""
    caption = (
        "The same ratio on the rows that two machines both measured: geometric means without "
        "preparation, and on how many of the rows the verdicts are not the same."
    )
    head = "problem & side & rows & machine & mean & machine & mean & other verdict"
    return tabular("llrlrlrr", head, lines, caption, "tab:between")


def machines(cells: pd.DataFrame) -> str:
    lines = []
    for name in machines_of(cells):
        own = cells[cells["machine"] == name]
        gpu = own["gpu"].dropna().unique()
        commits = sorted(str(c)[:10] for c in own["commit"].dropna().unique())
        threads = own["threads"].max()
        lines.append(
            " & ".join(
                [
                    code(name),
                    escape(own["cpu"].iloc[0]),
                    integer(int(threads)) if pd.notna(threads) else "--",
                    escape(gpu[0]) if len(gpu) else "none",
                    code(", ".join(commits)),
                ]
            )
        )
    caption = "The machines. Threads are the most that were measured."
    head = "machine & processor & threads & GPU & commit"
    return tabular(
        f"{ragged(28)}{ragged(42)}r{ragged(28)}{ragged(36)}", head, lines, caption, "tab:machines"
    )


def matrices(cells: pd.DataFrame) -> str:
    """The measured matrices by class: how many, their sizes, and the problems that have them."""
    measured = cells[(cells["status"] == "ok") & cells["class"].notna() & cells["entries"].notna()]
    lines = []
    for name, rows in measured.groupby("class"):
        one = rows.drop_duplicates("matrix")
        entries, degree = one["entries"].astype(float), one["entries"] / one["rows"]
        problems = [PROBLEM_TITLES[p] for p in PROBLEM_TITLES if p in set(rows["problem"])]
        lines.append(
            " & ".join(
                [
                    escape(str(name)),
                    integer(len(one)),
                    span_of(entries / 1e6),
                    span_of(degree.astype(float)),
                    ", ".join(problems),
                ]
            )
        )
    caption = (
        "The measured matrices by class, on all machines together. The supplement lists each one "
        "and draws the lengths of its rows."
    )
    head = r"class & matrices & million entries & entries a row & problems"
    return tabular("lrlll", head, lines, caption, "tab:matrix-classes")


def span_of(values: pd.Series) -> str:
    """ "0.25 to 31"."""
    low, high = (
        rf"\num{{{significant(float(value), 2)}}}" for value in (values.min(), values.max())
    )
    return low if low == high else f"{low} to {high}"
