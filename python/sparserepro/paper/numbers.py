"""Numbers of the report's hand-written sentences.

Each key is of a problem and a side (host or device), such as `spmm/device/mean`. A side has its
numbers from one machine: this run's own where it measured the side, else the first measurement set
that did.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from sparserepro.paper.claims import CLAIMS, Answer, number
from sparserepro.paper.samples import ROW, compared
from sparserepro.paper.scorecard import answer, counts, evidence
from sparserepro.render.latex import code, integer, listing
from sparserepro.stats import Verdict, geometric_mean

SIDES = ("host", "device")
CALLS = ("1", "10", "100", "inf")


@dataclass(frozen=True)
class Contest:
    """The rows on which an own algorithm meets libraries, of one problem, side and machine."""

    problem: str
    side: str
    machine: str
    rows: pd.DataFrame

    @property
    def key(self) -> str:
        return f"{self.problem}/{self.side}"


def machines_of(cells: pd.DataFrame) -> list[str]:
    """This run's own first, then those of sets, by name."""
    own = cells[cells["set"].isna()]["machine"].unique()
    others = cells[cells["set"].notna()]["machine"].unique()
    return [*sorted(own), *sorted(set(others) - set(own))]


def contests(cells: pd.DataFrame) -> Iterator[Contest]:
    best = compared(cells)
    best = best[best["best_own"] & best["library_ratio"].notna()]
    for problem in best["problem"].unique():
        for side in SIDES:
            rows = best[(best["problem"] == problem) & (best["side"] == side)]
            for machine in machines_of(cells):
                own = rows[rows["machine"] == machine]
                if len(own):
                    yield Contest(str(problem), side, machine, own)
                    break


def mean(values: pd.Series[float]) -> str:
    return number(geometric_mean(list(values.astype(float))))


def place(row: pd.Series) -> str:
    """ "web-NotreDame at K = 128"."""
    k = f" at $K={row['k']}$" if pd.notna(row["k"]) else ""
    if row["problem"] == "primitives":
        return code(row["algorithm"])
    values = f" in {row['value_type']}" if pd.notna(row["value_type"]) else ""
    return code(row["matrix"]) + k + values


def libraries(contest: Contest, cells: pd.DataFrame) -> str:
    """The libraries with their versions that were fastest somewhere."""
    met = cells[cells["id"].isin(contest.rows["library_id"])]
    named = (met["library"] + " " + met["version"]).dropna().unique()
    return listing(sorted(map(str, named)))


def of_contest(contest: Contest, cells: pd.DataFrame) -> dict[str, str]:
    rows, key = contest.rows, contest.key
    ratio = rows["library_ratio"].astype(float)
    verdicts = rows["library_verdict"].value_counts()
    worst = rows.loc[ratio.sort_values().index]
    found = {
        "machine": code(contest.machine),
        "algorithm": listing([code(name) for name in rows["algorithm"].unique()]),
        "libraries": libraries(contest, cells),
        "rows": integer(len(rows)),
        "matrices": integer(rows["matrix"].nunique()),
        "mean": mean(ratio),
        "least": number(float(ratio.min())),
        "most": number(float(ratio.max())),
        "worst": listing([place(row) for _, row in worst.head(2).iterrows()]),
        "best": place(worst.iloc[-1]),
        **{str(v): integer(int(verdicts.get(str(v), 0))) for v in Verdict},
        "bound-low": percent(rows["share_of_bound"].min()),
        "bound-high": percent(rows["share_of_bound"].max()),
        "bound-median": percent(rows["share_of_bound"].median()),
    }
    for calls in CALLS:
        values = rows[f"library_ratio_{calls}"].dropna()
        found[f"calls-{calls}"] = mean(values)
        found[f"calls-{calls}-lost"] = integer(int((values < 1).sum()))
    found |= end_to_end(contest, cells) | by_class(contest)
    if contest.problem == "spmm":
        found |= by_k(contest)
    return {f"{key}/{name}": text for name, text in found.items()}


def percent(share: float) -> str:
    return rf"\qty{{{100 * share:.0f}}}{{\percent}}" if pd.notna(share) else "--"


def by_k(contest: Contest) -> dict[str, str]:
    """One column of X, which is SpMV, apart from several."""
    found = {}
    for name, rows in (
        ("one", contest.rows[contest.rows["k"] == 1]),
        ("several", contest.rows[contest.rows["k"] > 1]),
    ):
        if len(rows):
            found[f"{name}-mean"] = mean(rows["library_ratio"])
            found[f"{name}-rows"] = integer(len(rows))
            for calls in CALLS:
                found[f"{name}-calls-{calls}"] = mean(rows[f"library_ratio_{calls}"].dropna())
    return found


def by_class(contest: Contest) -> dict[str, str]:
    """The classes of matrices with the least and the greatest mean."""
    means = (
        contest.rows.groupby("class")["library_ratio"]
        .apply(lambda values: geometric_mean(list(values.astype(float))))
        .sort_values()
    )
    if len(means) < 2:
        return {}
    return {
        "class-least": str(means.index[0]),
        "class-least-mean": number(float(means.iloc[0])),
        "class-most": str(means.index[-1]),
        "class-most-mean": number(float(means.iloc[-1])),
    }


def end_to_end(contest: Contest, cells: pd.DataFrame) -> dict[str, str]:
    """The ratio of the end-to-end times, where both sides have one."""
    library = cells.set_index("id")["end_to_end_s"]
    own = contest.rows[contest.rows["end_to_end_s"].notna()]
    ratio = own["library_id"].map(library) / own["end_to_end_s"]
    ratio = ratio.dropna().astype(float)
    if ratio.empty:
        return {}
    return {
        "whole-mean": mean(ratio),
        "whole-rows": integer(len(ratio)),
        "whole-share": percent(float((own["headline_s"] / own["end_to_end_s"]).median())),
    }


def of_claims(cells: pd.DataFrame, machines: Sequence[str]) -> dict[str, str]:
    total = counts(cells, machines)
    names = {Answer.holds: "hold", Answer.fails: "fail", Answer.depends: "depend",
             Answer.unanswered: "unanswered"}  # fmt: skip
    found = {f"claims/{names[a]}": integer(total[a]) for a in Answer}
    found["claims/all"] = integer(sum(total.values()))
    for claims in CLAIMS.values():
        for claim in claims:
            said = answer(evidence(claim, cells, machines))
            if said is not Answer.unanswered:
                found[f"claim/{claim.key}/{names[said]}"] = said
    return found


def values(cells: pd.DataFrame) -> dict[str, str]:
    machines = machines_of(cells)
    ok = cells[cells["status"] == "ok"]
    found = {
        "paper/cells": integer(len(cells)),
        "paper/measured": integer(len(ok)),
        "paper/skipped": integer(len(cells) - len(ok)),
        "paper/matrices": integer(ok[ok["matrix"] != "array"]["matrix"].nunique()),
        "paper/machines": listing([code(m) for m in machines]),
        "paper/samples": integer(int(ok["samples"].sum())),
        "paper/rows": integer(len(ok[[*ROW, "problem"]].drop_duplicates())),
    }
    for contest in contests(cells):
        found |= of_contest(contest, cells)
    return found | of_claims(cells, machines)


def holds(ratio: float, least: float = 1.0) -> bool:
    return not math.isnan(ratio) and ratio >= least
