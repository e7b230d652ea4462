"""Numbers of the report's hand-written sentences.

Each key is of a problem and a side (host or device), such as `spmm/device/mean`. A side has its
numbers from one machine: this run's own where it measured the side, else the measurement set with
most rows. What other machines say is a sentence of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sparserepro.paper.claims import CLAIMS
from sparserepro.paper.claims.claim import Answer, number
from sparserepro.paper.contests import Contest, contests, leading, machines_of
from sparserepro.paper.samples import of, ratios
from sparserepro.paper.scorecard import answer, counts, differ, evidence
from sparserepro.render.latex import code, integer, listing
from sparserepro.stats import SMALLEST_EFFECT, Verdict, geometric_mean

PAID = ("1", "10", "100")
"""Calls that share a preparation; the headline ratio counts none."""


def mean(values: pd.Series[float]) -> str:
    return number(geometric_mean(list(values.astype(float))))


def place(row: pd.Series) -> str:
    """ "web-NotreDame at K = 128"."""
    k = f" at $K={row['k']}$" if pd.notna(row["k"]) else ""
    if row["problem"] == "primitives":
        return code(row["algorithm"])
    values = f" in {row['value_type']}" if pd.notna(row["value_type"]) else ""
    return code(row["matrix"]) + k + values


def libraries(contest: Contest) -> str:
    """All libraries that the rows were measured with, and their versions."""
    named = (contest.peers["library"] + " " + contest.peers["version"]).dropna().unique()
    return listing([str(name).replace(":", r":\allowbreak{}") for name in sorted(named)])


def span(ratio: pd.Series, slower: int) -> str:
    """ "1.68 to 3.76; 26 rows, none slower"."""
    if len(ratio) == 1:
        return "one row"
    lost = f"{integer(slower)} of them slower" if slower else "none of them slower"
    return (
        f"{number(float(ratio.min()))} to {number(float(ratio.max()))}; "
        f"{integer(len(ratio))} rows, {lost}"
    )


def names(rows: pd.DataFrame, count: int) -> str:
    """The first few rows by name, a matrix once."""
    if (rows["problem"] == "primitives").all():
        return listing(list(dict.fromkeys(code(name) for name in rows["algorithm"]))[:count])
    found = dict.fromkeys(code(m) for m in rows["matrix"])
    if "k" in rows and rows["k"].notna().any():
        return listing([place(row) for _, row in rows.head(count).iterrows()])
    return listing(list(found)[:count])


def of_contest(contest: Contest, cells: pd.DataFrame) -> dict[str, str]:
    rows, key = contest.rows, contest.key
    ratio = rows["library_ratio"].astype(float)
    verdicts = rows["library_verdict"].value_counts()
    worst = rows.loc[ratio.sort_values().index]
    found = {
        "machine": code(contest.machine),
        "algorithm": listing([code(name) for name in rows["algorithm"].unique()]),
        "libraries": libraries(contest),
        "span": span(ratio, int(verdicts.get("slower", 0))),
        "rows": integer(len(rows)),
        "matrices": integer(rows["matrix"].nunique()),
        "mean": mean(ratio),
        "worst": names(worst, 2),
        "best": names(worst.iloc[::-1], 1),
        **{str(v): integer(int(verdicts.get(str(v), 0))) for v in Verdict},
        "bound-low": percent(rows["share_of_bound"].min()),
        "bound-high": percent(rows["share_of_bound"].max()),
        "bound-median": percent(rows["share_of_bound"].median()),
    }
    for calls in PAID:
        values = rows[f"library_ratio_{calls}"].dropna()
        found[f"calls-{calls}"] = mean(values)
    found |= end_to_end(contest, cells) | by_class(contest)
    if contest.problem == "spmm":
        found |= by_k(contest) | by_intensity(contest)
    if geometric_mean(list(rows["library_ratio_1"].dropna().astype(float))) < 1:
        found["one-call-lost"] = ""
    found["sentence"] = sentence(found)
    if geometric_mean(list(ratio)) >= 1 + SMALLEST_EFFECT:
        found["ahead"] = "ahead"
    return {f"{key}/{name}": text for name, text in found.items()}


def sentence(found: dict[str, str]) -> str:
    """What stands in place of a claim that an algorithm is ahead where it is not."""
    return (
        f"On {found['machine']} our algorithm does not lead: the time of the fastest of "
        f"{found['libraries']} over that of {found['algorithm']} is {found['mean']} in the mean "
        f"({found['span']})."
    )


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
            for calls in PAID:
                found[f"{name}-calls-{calls}"] = mean(rows[f"library_ratio_{calls}"].dropna())
    return found


def by_intensity(contest: Contest) -> dict[str, str]:
    """Operations per byte of minimum traffic, the greatest rate, and the shares of the copy bound
    of rows with less than one operation per byte and of the others."""
    rows = contest.rows[contest.rows["share_of_bound"].notna()]
    if rows.empty:
        return {}
    intensity = (rows["model_flops"] / rows["model_bytes"]).astype(float)
    shares = rows["share_of_bound"].astype(float)
    found = {
        "intensity-low": number(float(intensity.min())),
        "intensity-high": number(float(intensity.max())),
        "rate-most": number(float((rows["model_flops"] / rows["headline_s"]).max()) / 1e12),
    }
    if (intensity < 1).any() and (intensity >= 1).any():
        found["share-below-one"] = percent(float(shares[intensity < 1].median()))
        found["share-above-one"] = percent(float(shares[intensity >= 1].median()))
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
        f"most-is-{means.index[-1]}": "",
        f"least-is-{means.index[0]}": "",
    }


def end_to_end(contest: Contest, cells: pd.DataFrame) -> dict[str, str]:
    """The ratio of the end-to-end times, where both sides have one."""
    library = cells.drop_duplicates("id").set_index("id")["end_to_end_s"]
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
    every = [claim for claims in CLAIMS.values() for claim in claims]
    if apart := [c.key for c in every if differ(evidence(c, cells, machines))]:
        found["between/claims"] = listing(apart)
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
        "paper/matrices": integer(ok[ok["problem"] != "primitives"]["matrix"].nunique()),
        "paper/fewest": integer(int(ok["samples"].min()) if len(ok) else 0),
        "paper/newest": str(cells["started_utc"].max())[:10],
        "paper/samples": integer(int(ok["samples"].sum())),
    }
    every = list(contests(cells))
    for contest in leading(every):
        found |= of_contest(contest, cells) | {"paper/contests": ""}
        others = [c for c in every if c.key == contest.key and c is not contest]
        if others:
            found[f"{contest.key}/elsewhere"] = " ".join(elsewhere(contest, c) for c in others)
    return found | gain(cells, machines) | of_claims(cells, machines)


def elsewhere(first: Contest, other: Contest) -> str:
    """What another machine than that of the sentence before says."""
    ratio = other.rows["library_ratio"].astype(float)
    slower = int((other.rows["library_verdict"] == str(Verdict.slower)).sum())
    versions = libraries(other)
    over = f" over {versions}" if versions != libraries(first) else ""
    return f"On {code(other.machine)} the factor is {mean(ratio)}{over} ({span(ratio, slower)})."


def gain(cells: pd.DataFrame, machines: Sequence[str]) -> dict[str, str]:
    """What a library's newer version gained in SpMM on a device, on the first machine where two
    were measured."""
    spmm = cells[(cells["problem"] == "spmm") & (cells["side"] == "device") & cells["peer"]]
    older = spmm[(spmm["role"] == "older") & (spmm["status"] == "ok")]
    if older.empty:
        return {}
    newer = of(spmm, *older["algorithm"].unique())
    samples = {sample.machine: sample for sample in ratios(newer, older, "median_s", "median_s")}
    if not samples:
        return {}
    sample = next(samples[machine] for machine in machines if machine in samples)
    older, newer = (found[found["machine"] == sample.machine] for found in (older, newer))
    versions = [str(found["version"].iloc[0]) for found in (older, newer)]
    return {
        "spmm/gain/mean": number(sample.mean),
        "spmm/gain/machine": code(sample.machine),
        "spmm/gain/older": versions[0],
        "spmm/gain/newer": versions[1],
        "spmm/gain/library": str(older["library"].iloc[0]),
    }
