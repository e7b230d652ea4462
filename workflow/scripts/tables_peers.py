"""This project's best algorithm beside the best library, row by row, losses included.

"Best" here is chosen once for a machine, not for each row: of the own algorithms with a time on
every row it is the one of least geometric mean. It meets the fastest library of each row.
"""

from __future__ import annotations

from collections.abc import Iterable

from captions import Gaps, instance_columns, instance_text, provenance, row_label
from frames import PROBLEM_TITLES, Cell, Report, Row
from latex import Column, Number, Table, Text, Value, code, significant
from sections import unit_of
from stats import Verdict, geometric_mean, speedup, verdict

SIDES = {"host": ("serial", "omp"), "device": ("cuda",)}
MARKS = {Verdict.same: r"{\same}", Verdict.unclear: r"{\unclear}"}


def fastest(report: Report, row: Row, backends: Iterable[str], peer: bool) -> dict[str, Cell]:
    """The measured cells of a row's own algorithms, or of its libraries, on these backends."""
    found = {}
    for name in report.algorithms(row.problem):
        cell = report.best(row, name)
        if cell and cell.ok and cell.backend in backends and cell.peer is peer:
            found[name] = cell
    return found


def compared(
    report: Report, machine: str, problem: str, backends: Iterable[str]
) -> tuple[str, list[tuple[Row, Cell, Cell]]] | None:
    """The best own algorithm, and each row with its cell and that of the fastest library."""
    rows = []
    for row in report.rows(machine, problem):
        own, peers = (fastest(report, row, backends, peer) for peer in (False, True))
        if own and peers:
            rows.append((row, own, min(peers.values(), key=lambda c: c.seconds)))
    names = [n for n in report.algorithms(problem) if all(n in own for _, own, _ in rows)]
    if not rows or not names:
        return None
    best = min(names, key=lambda n: geometric_mean([own[n].seconds for _, own, _ in rows]))
    return best, [(row, own[best], peer) for row, own, peer in rows]


def against_peers(report: Report, problem: str) -> list[Table]:
    return [
        peer_table(report, machine, problem, key, *found)
        for machine in report.machines
        for key, backends in SIDES.items()
        if (found := compared(report, machine, problem, backends))
    ]


def peer_table(
    report: Report,
    machine: str,
    problem: str,
    key: str,
    best: str,
    rows: list[tuple[Row, Cell, Cell]],
) -> Table:
    arrays = problem == "primitives"
    own_rows = [row for row, _, _ in rows]
    extra = instance_columns(own_rows, always=arrays)
    scale, unit = unit_of([own.seconds for _, own, _ in rows])
    gaps = Gaps()
    body: list[list[Value]] = []
    ratios = []
    for row, own, peer in rows:
        ratio = speedup(peer.kernel, own.kernel)
        ratios.append(ratio.value)
        body.append(
            [
                *row_label(row, extra),
                Number(significant(scale * own.seconds)),
                Number(significant(scale * peer.seconds)),
                Text(code(peer.algorithm)),
                Number(significant(ratio.value), mark=MARKS.get(verdict(ratio), "")),
                share(own, gaps),
                workspace(own, gaps),
            ]
        )
    lead = len(row_label(own_rows[0], extra))
    empty: list[Value] = [Text("")] * (lead - 1)
    mean = Number(significant(geometric_mean(ratios)))
    blanks: list[Value] = [Text("")] * 2
    body.append([Text("geometric mean"), *empty, Text(""), Text(""), Text(""), mean, *blanks])
    lost = sum(ratio < 1 for ratio in ratios)
    shared = instance_text(own_rows)
    return Table(
        label=f"tab:{problem}-peers-{key}-{machine}",
        caption=f"{PROBLEM_TITLES[problem]}: {code(best)}, of this project's algorithms with a "
        "time on every row the one of least geometric mean, beside the fastest library of each "
        rf"row, both in \unit{{{unit}}} and at their fastest parameters; the library's time over "
        f"ours (below 1 on {lost} of {len(ratios)} rows); our share of the copy bound; and our "
        r"workspace in bytes per entry. \same~same within the smallest effect of interest, "
        rf"\unclear~not decided by the samples. {f'All with {shared}.' if shared else ''} "
        f"{provenance([c for _, *cells in rows for c in cells])}",
        columns=[
            *([] if arrays else [Column("matrix", "l")]),
            *[Column(code(n), "S" if numeric(own_rows, n) else "l") for n in extra],
            Column("ours"),
            Column("library"),
            Column("which", "l"),
            Column("ratio"),
            Column(r"bound (\unit{\percent})"),
            Column(r"\unit{\byte\per entry}"),
        ],
        body=body,
        notes=gaps.notes(),
        foot_rows=1,
    )


def numeric(rows: list[Row], name: str) -> bool:
    return all(isinstance(row.value(name), int) for row in rows)


def share(cell: Cell, gaps: Gaps) -> Value:
    if cell.fraction_of_bound is None:
        return gaps.skipped("no bound is known")
    return Number(significant(100 * cell.fraction_of_bound))


def workspace(cell: Cell, gaps: Gaps) -> Value:
    bytes_, stored = cell.record["workspace_bytes"], cell.record["matrix"]["stored"]
    if bytes_ is None or not stored:
        return gaps.skipped("no workspace is recorded")
    return Number(significant(bytes_ / stored))
