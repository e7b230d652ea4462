"""Speedups for 1, 10, 100 and infinitely many calls: what preparation costs, and when it pays."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from sparserepro.data.calls import CALLS, calls_name, heading
from sparserepro.data.comparisons import Pair, compared, for_few_calls, median_calls
from sparserepro.data.frames import PROBLEM_TITLES, SIDES, Cell, Report, Row
from sparserepro.data.libraries import over
from sparserepro.render.latex import code, integer, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.stats import geometric_mean
from sparserepro.views.captions import provenance
from sparserepro.views.pairs import mean_speedup, missing_words, own_names
from sparserepro.views.sections import CALLS_TABLES, Section, baseline_words, preparing, section
from sparserepro.views.view import View


def by_calls(report: Report, problem: str) -> list[Table]:
    tables = []
    for machine in report.machines:
        for side in SIDES:
            pairs = compared(report, machine, problem, side)
            if any(pair.prepares for pair in pairs):
                tables.append(over_libraries(report, machine, problem, side, pairs))
        part = section(report, machine, problem)
        if part and (prepared := preparing(part)):
            tables.append(over_baseline(part, prepared))
    return tables


def groups(report: Report, problem: str, pairs: list[Pair]) -> list[tuple[str, str, list[Pair]]]:
    """By each instance parameter K, by class, and all: kind, name and pairs."""
    found: list[tuple[str, str, list[Pair]]] = []

    def add(kind: str, name: Callable[[Row], str]) -> None:
        members: dict[str, list[Pair]] = {}
        for pair in pairs:
            members.setdefault(name(pair.row), []).append(pair)
        found.extend((kind, *item) for item in members.items())

    if problem == "spmm":
        pairs = sorted(pairs, key=lambda pair: int(pair.row.value("k") or 0))
        add("K", lambda row: str(row.value("k")))
    add("class", lambda row: report.matrix_class(row.matrix))
    return [*found, ("all", "", pairs)]


def over_libraries(
    report: Report, machine: str, problem: str, side: str, pairs: list[Pair]
) -> Table:
    body: list[list[Value]] = []
    for kind, name, members in groups(report, problem, pairs):
        typical = median_calls(members)
        never = sum(not pair.break_even for pair in members)
        every = tuple(cell for pair in members for cell in pair.every)
        body.append(
            [
                Text(kind),
                Text(code(name) if name else ""),
                Text(integer(len(members)), every),
                *[mean_speedup(members, n) for n in CALLS],
                Text("--" if math.isinf(typical) else integer(typical), every),
                Text(integer(for_few_calls(members)), every),
                Text(integer(never), every),
            ]
        )
    used = [c for pair in pairs for n in CALLS for c in pair.cells(n)]
    title = PROBLEM_TITLES[problem]
    return Table(
        label=f"tab:{problem}-calls-{side}-{machine}",
        title=f"{title} on {code(machine)}: over libraries by number of calls, {side}",
        caption=f"{title} over the best library setting, by number of calls, on the {side}: "
        rf"geometric means of $(P' + n K')/(P + n K)$, with $P$ and $K$ of "
        f"{own_names(pairs)}{missing_words(pairs, side)} and $P'$ and $K'$ of the best setting of "
        f"any library for that $n$ ({over(c for c in used if c.peer) or 'version not recorded'}); "
        "pays from: the median number of calls from which ours takes less and stays ahead, -- "
        "where it does on less than half of the rows; few: the rows on which it takes less for few "
        f"calls alone; never: those on which it does for no number. {provenance(used)}",
        columns=[
            Column("by", "l"),
            Column("", "l"),
            Column("rows", "r"),
            *[Column(heading(n)) for n in CALLS],
            Column("pays from", "r"),
            Column("few", "r"),
            Column("never", "r"),
        ],
        body=body,
        groups=[("", 3), ("calls", len(CALLS)), ("", 3)],
    )


def over_baseline(part: Section, names: list[str]) -> Table:
    """A row for each algorithm that prepares: what preparation costs and speedups over serial."""
    report = part.report
    body: list[list[Value]] = []
    used: list[Cell] = []
    for name in names:
        rows = [r for r in part.rows if report.baseline(r, name)]
        shares: list[float] = []
        sources: dict[float, tuple[Cell, ...]] = dict.fromkeys(CALLS, ())
        speedups: dict[float, list[float]] = {n: [] for n in CALLS}
        for row in rows:
            for n in CALLS:
                own, base = report.best(row, name, calls=n), report.baseline(row, name, n)
                if own is None or base is None or not own.ok:
                    continue
                used += [own, base]
                sources[n] += (base, own)
                found = report.compared(row, name)[1].line[f"speedup_{calls_name(n)}"]
                speedups[n].append(found)
                if math.isinf(n):
                    shares.append(own.cost.preparation / own.cost.execution)
        body.append(
            [
                Text(code(name)),
                Text(integer(len(shares)), sources[math.inf]),
                Number(
                    significant(sorted(shares)[(len(shares) - 1) // 2]),
                    sources=tuple(c for c in sources[math.inf] if c.prepares),
                ),
                *[
                    Number(significant(geometric_mean(speedups[n])), sources=sources[n])
                    for n in CALLS
                ],
            ]
        )
    return Table(
        label=f"tab:{part.problem}-calls-baseline-{part.machine}",
        title=f"{part.title} on {code(part.machine)}: what preparation costs",
        caption=f"{part.title}: algorithms that prepare. Preparation as a multiple of one "
        f"execution, the median over the rows; and the speedup over {baseline_words(part)} for "
        "1, 10, 100 and infinitely many calls, the geometric mean over the rows. "
        f"{provenance(used)}",
        columns=[
            Column("algorithm", "l"),
            Column("rows", "r"),
            Column("preparation"),
            *[Column(heading(n)) for n in CALLS],
        ],
        body=body,
        groups=[("", 3), ("speedup, by calls", len(CALLS))],
    )


VIEWS = tuple(
    View(f"{problem}-calls", problem, partial(by_calls, problem=problem))
    for problem in CALLS_TABLES
)
