"""What a library gained from one version to the next: the best of the older over the newer."""

from __future__ import annotations

from functools import partial

from sparserepro.data.frames import PROBLEM_TITLES, SIDES, Cell, Report, Row, fastest
from sparserepro.data.rows import PROBLEMS
from sparserepro.data.versions import name_of, version_of
from sparserepro.render.latex import code, escape, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.stats import geometric_mean
from sparserepro.views.captions import Gaps, provenance
from sparserepro.views.view import View

Pairs = list[tuple[Row, Cell, Cell]]


def gains(report: Report, problem: str) -> list[Table]:
    return [
        gain_table(report, machine, problem, old, new, pairs)
        for machine in report.machines
        for (old, new), pairs in versions(report, machine, problem).items()
    ]


def versions(report: Report, machine: str, problem: str) -> dict[tuple[str, str], Pairs]:
    """By an older and the newest version of a library: the best setting of each, on the rows that
    have both."""
    own = [c for c in report.older if (c.row.machine, c.row.problem) == (machine, problem) if c.ok]
    found: dict[tuple[str, str], Pairs] = {}
    for row in sorted({c.row for c in own}, key=report.row_order):
        before: dict[str, list[Cell]] = {}
        for cell in own:
            if cell.row == row and cell.library:
                before.setdefault(cell.library, []).append(cell)
        peers = [c for side in SIDES for c in report.rivals(row, side, peer=True)]
        for old, cells in before.items():
            after = [c for c in peers if c.library and name_of(c.library) == name_of(old)]
            new = max((c.library or "" for c in after), key=version_of, default="")
            first, second = fastest(cells), fastest([c for c in after if c.library == new])
            if first and second:
                found.setdefault((old, new), []).append((row, first, second))
    return dict(sorted(found.items()))


def mean_gain(pairs: Pairs) -> Number:
    mean = geometric_mean([old.seconds / new.seconds for _, old, new in pairs])
    return Number(significant(mean), sources=tuple(c for _, *both in pairs for c in both))


def gain_table(
    report: Report, machine: str, problem: str, old: str, new: str, pairs: Pairs
) -> Table:
    """Geometric means of old over new, a row a class (of primitives, a procedure), a column a K."""

    def group(row: Row) -> str:
        if problem == "primitives":
            return str(row.value("procedure"))
        return report.matrix_class(row.matrix)

    ks = sorted({k for row, _, _ in pairs if isinstance(k := row.value("k"), int)})
    gaps = Gaps()

    def line(name: str, members: Pairs) -> list[Value]:
        cells: list[Value] = [Text(name)]
        columns: list[int | None] = [*ks] if ks else [None]
        for k in columns:
            own = [pair for pair in members if pair[0].value("k") == k]
            cells.append(mean_gain(own) if own else gaps.skipped("not in the measured grid"))
        if ks:
            cells.append(mean_gain(members))
        return cells

    classes: dict[str, Pairs] = {}
    for pair in pairs:
        classes.setdefault(group(pair[0]), []).append(pair)
    body = [line(code(name), members) for name, members in sorted(classes.items())]
    body.append(line("all", pairs))
    name, before, after = name_of(old), old.rpartition(" ")[2], new.rpartition(" ")[2]
    by_k = ", by number of columns" if ks else ""
    apart = any(first.run != second.run for _, first, second in pairs)
    runs = "The versions were measured in different runs of a driver. " if apart else ""
    return Table(
        label=f"tab:{problem}-library-gain-{machine}-"
        + "".join(c if c.isalnum() else "-" for c in f"{old} {after}".lower()),
        title=f"{PROBLEM_TITLES[problem]} on {code(machine)}: gain of {escape(name)}",
        caption=f"{PROBLEM_TITLES[problem]}: what {escape(name)} gained between {escape(before)} "
        f"and {escape(after)}: time of the older over the newer, each the best over all "
        f"algorithms and settings of that version, geometric means{by_k}. On these rows the newer "
        f"version is the peer in all other tables. {runs}"
        f"{provenance([c for _, *p in pairs for c in p])}",
        columns=[
            Column("procedure" if problem == "primitives" else "class", "l"),
            *([Column(f"$K = {k}$") for k in ks] or [Column("ratio")]),
            *([Column("all")] if ks else []),
        ],
        body=body,
        notes=gaps.notes(),
        foot_rows=1,
    )


VIEWS = tuple(
    View(f"{problem}-library-gain", problem, partial(gains, problem=problem))
    for problem in PROBLEMS
)
