"""ScanTrans or MergeTrans: the sentences that answer for the host and the GPU of each machine."""

from __future__ import annotations

from collections.abc import Sequence

from sparserepro.data.frames import GRID, Cell, Report, Row
from sparserepro.render.latex import code, integer, listing, significant
from sparserepro.stats import Ratio, Verdict, geometric_mean, verdict
from sparserepro.views.captions import instance_columns

SIDES = {
    "host": ("omp_scantrans", ("omp_mergetrans",)),
    "GPU": ("cuda_scantrans", ("cuda_mergetrans", "cuda_mergetrans_mergepath")),
}
"""ScanTrans, and the forms of MergeTrans."""
WORDS = {Verdict.same: "the same", Verdict.unclear: "not decided"}
MOST_NAMED = 6


def ratios(report: Report, rows: Sequence[Row], scan: str, merge: str) -> dict[Row, Ratio]:
    """The time of MergeTrans over that of ScanTrans, both at their fastest parameters, on the rows
    that have both."""

    def measured(row: Row, name: str) -> Cell | None:
        cell = report.best(row, name)
        return cell if cell and cell.ok else None

    return {
        row: report.ratio(second, first)
        for row in rows
        if (first := measured(row, scan)) and (second := measured(row, merge))
    }


def verdicts(found: dict[Row, Ratio]) -> str:
    """ "faster on 9 and slower on 2 (a and b) of 11": the few rows where it is slower by name."""
    parts = []
    for which in Verdict:
        rows = [row for row, ratio in found.items() if verdict(ratio) is which]
        if rows:
            named = which is Verdict.slower and len(rows) <= min(MOST_NAMED, len(found) - 1)
            names = f" ({listing([label(row, found) for row in rows])})" if named else ""
            parts.append(f"{WORDS.get(which, which.value)} on {integer(len(rows))}{names}")
    return f"{listing(parts)} of {integer(len(found))}"


def label(row: Row, rows: dict[Row, Ratio]) -> str:
    """The matrix, and the instance parameters that differ between the rows."""
    return " ".join([code(row.matrix), *(code(row.value(n)) for n in instance_columns([*rows]))])


def sentence(side: str, machine: str, scan: str, merge: str, found: dict[Row, Ratio]) -> str:
    values = [ratio.value for ratio in found.values()]
    mean, low, high = map(significant, (geometric_mean(values), min(values), max(values)))
    between = f" in geometric mean (from {low} to {high})" if len(values) > 1 else ""
    runs = sum(ratio.across_runs for ratio in found.values())
    across = f" ({integer(runs)} of them compare different runs)" if runs else ""
    return (
        f"On the {side} of {code(machine)}, {code(merge)} takes {mean} times as long as "
        f"{code(scan)}{between}; ScanTrans is {verdicts(found)} rows{across}"
    )


def all_ratios(report: Report) -> list[Ratio]:
    """Every comparison that the sentences count."""
    return [
        ratio
        for machine in report.machines
        for scan, forms in SIDES.values()
        for merge in forms
        for ratio in ratios(report, every_row(report, machine), scan, merge).values()
    ]


def every_row(report: Report, machine: str) -> list[Row]:
    """Those of the grid of order and mean degree among them."""
    return list(dict.fromkeys(c.row for c in report.select(machine=machine, problem="transpose")))


def sentences(report: Report) -> list[str]:
    """One for each machine, side and form of MergeTrans. The grid of order and mean degree is no
    part of the means and counted apart."""
    out = []
    for machine in report.machines:
        cells = report.select(machine=machine, problem="transpose")
        grid = {c.row for c in cells if report.matrix_class(c.row.matrix) == GRID}
        for side, (scan, forms) in SIDES.items():
            for merge in forms:
                found = ratios(report, report.rows(machine, "transpose"), scan, merge)
                if not found:
                    continue
                text = sentence(side, machine, scan, merge, found)
                apart = ratios(report, sorted(grid, key=report.row_order), scan, merge)
                if apart:
                    text += (
                        ", and on the square uniform matrices over order and mean degree "
                        f"{verdicts(apart)}"
                    )
                out.append(f"{text}.")
    return out
