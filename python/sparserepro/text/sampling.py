"""The numbers that say how the samples were taken, and what their statistics promise."""

from __future__ import annotations

from sparserepro.data.comparisons import compared
from sparserepro.data.frames import PROBLEM_TITLES, PROBLEMS, SIDES, Cell, Report, Row
from sparserepro.render.latex import code, count, integer, listing, significant
from sparserepro.stats import CONFIDENCE, Ratio, Spread, Verdict, verdict
from sparserepro.text import scan_merge
from sparserepro.views.captions import lead
from sparserepro.views.sections import Section, rival_groups, section


def values(report: Report) -> dict[str, str]:
    measured = [c for c in report.every if c.ok]
    decided, undecided = verdicts(report)
    allowed = [(1 - CONFIDENCE) * decided, 2 * (1 - CONFIDENCE) * decided]
    few, many = (integer(round(number)) for number in allowed)
    return {
        "verdicts": integer(decided + undecided),
        "verdicts-decided": integer(decided),
        "verdicts-wrong": few if few == many else f"{few} to {many}",
        "ratio-confidence": rf"\qty{{{100 * (2 * CONFIDENCE - 1):g}}}{{\percent}}",
        "samples-fewest": fewest(report, measured),
        "samples-throttled": count(sum(c.line["throttled"] for c in measured), "sample"),
        "samples-disturbed": disturbed(report, measured),
        "jobs-again": again(measured),
        "samples-unqueued": unqueued(measured),
        "huge-pages": huge_pages(report, measured),
        "runs/spread": spreads(report),
        "runs/repeats": count(len([c for c in report.repeats if c.ok]), "cell"),
    }


def fewest(report: Report, measured: list[Cell]) -> str:
    """ "25 on h200 and 6 on desk-1": the least number of samples of a measured cell."""
    parts = []
    for machine in report.machines:
        found = [c.line["samples"] for c in measured if c.row.machine == machine]
        if found:
            parts.append(f"{integer(min(found))} on {code(machine)}")
    return listing(parts) or "none"


def disturbed(report: Report, measured: list[Cell]) -> str:
    """ "12 of 300 samples on desk-1", by machine; without the cells whose records do not tell."""
    parts = []
    for machine in report.machines:
        told = [c for c in measured if c.row.machine == machine and c.disturbed is not None]
        if told:
            found, of = sum(c.disturbed or 0 for c in told), sum(c.line["samples"] for c in told)
            parts.append(rf"\num{{{found}}} of {count(of, 'sample')} on {code(machine)}")
    return listing(parts) or "the records do not tell how many"


def again(measured: list[Cell]) -> str:
    """How many jobs took their samples a second time."""
    told = [c for c in measured if c.line.get("attempts")]
    found = {c.line["run"] for c in told if c.line["attempts"] == 2}
    return f"{count(len(found), 'job')} of {integer(len({c.line['run'] for c in told}))}"


def unqueued(measured: list[Cell]) -> str:
    """Which algorithms wait for the device within the call, so that no sample could be queued."""
    found = [c for c in measured if c.line["queued"] is False]
    names = sorted({c.name for c in found})
    return (
        f"{count(len(found), 'cell')} of {listing([code(n) for n in names])}" if found else "none"
    )


def huge_pages(report: Report, measured: list[Cell]) -> str:
    """On which pages the operands of the cells lie that are shown, a clause a machine."""
    parts = []
    for machine in report.machines:
        facts = [c.line for c in measured if c.row.machine == machine]
        modes = listing([code(m) for m in sorted({f["huge_pages"] for f in facts})])
        found = {f["huge_operands"] for f in facts}
        if found == {True}:
            where = "on huge pages"
        elif found == {False}:
            where = "on pages of the ordinary size unless the system gives huge ones itself"
        else:
            where = "on huge pages in a part of the runs"
        if facts:
            parts.append(f"on {code(machine)} (system's mode: {modes}) they lie {where}")
    return "; ".join(parts) or "nothing was measured"


def spreads(report: Report) -> str:
    """What a median differs from run to run, by machine, side and problem."""
    parts = []
    for machine, side in ((m, s) for m in report.machines for s in SIDES):
        cells = [c for c in report.select(machine=machine, ok=True) if c.side == side]
        names: dict[Spread, list[str]] = {}
        for problem in dict.fromkeys(c.row.problem for c in cells):
            if spread := report.spread(machine, side, problem):
                names.setdefault(spread, []).append(PROBLEM_TITLES[problem])
        words = [f"{reach(spread)} for {listing(own)}" for spread, own in names.items()]
        if words:
            parts.append(f"on the {side} of {code(machine)} {listing(words)}")
    return "; ".join(parts) or "unknown, since no cell was measured in several runs"


def reach(spread: Spread) -> str:
    degrees = count(spread.freedom, "degree")
    return rf"\qty{{{significant(100 * spread.reach, 2)}}}{{\percent}} ({degrees} of freedom)"


def verdicts(report: Report) -> tuple[int, int]:
    """How many comparisons this report decides, and how many it leaves open: speedups over the
    baseline, own algorithms over libraries, the fastest of each row over the second, ScanTrans and
    MergeTrans."""
    ratios: list[Ratio] = []
    for machine in report.machines:
        for problem in PROBLEMS:
            part = section(report, machine, problem)
            if part is None:
                continue
            for row in part.rows:
                ratios += over_baselines(part, row)
                leads = (lead(report, row, names) for names in rival_groups(part).values())
                ratios += [first[1] for first in leads if first]
            ratios += over_libraries(report, machine, problem)
    ratios += scan_merge.all_ratios(report)
    undecided = sum(verdict(ratio) is Verdict.unclear for ratio in ratios)
    return len(ratios) - undecided, undecided


def over_libraries(report: Report, machine: str, problem: str) -> list[Ratio]:
    """Own algorithms over libraries, on the host and on the device."""
    return [p.ratio for side in SIDES for p in compared(report, machine, problem, side)]


def over_baselines(part: Section, row: Row) -> list[Ratio]:
    """Speedups on a row, without those of baselines over themselves."""
    found = (
        part.report.speedup(row, name)
        for name in part.algorithms
        if part.report.baseline(row, name) is not part.report.best(row, name)
    )
    return [ratio for ratio in found if ratio]
