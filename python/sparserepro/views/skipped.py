"""Skipped cells, by kind of reason."""

from __future__ import annotations

from sparserepro.data.frames import (
    PROBLEM_TITLES,
    Cell,
    Report,
)
from sparserepro.render.latex import code, integer, listing, prose
from sparserepro.render.tabular import WORDS, Column, Table, Text, Value
from sparserepro.views.captions import (
    kinds,
    without_numbers,
)
from sparserepro.views.view import View


def skipped(report: Report) -> list[Table]:
    """Skipped cells by machine, problem and kind of reason."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in report.cells:
        if not cell.ok and cell.row.machine in report.machines:
            key = (cell.row.machine, cell.row.problem, without_numbers(cell.reason))
            groups.setdefault(key, []).append(cell)
    body: list[list[Value]] = []
    for (machine, problem, _), cells in sorted(groups.items()):
        names = [n for n in report.algorithms(problem) if n in {c.algorithm for c in cells}]
        shown = (
            listing([code(n) for n in names[:4]])
            if len(names) <= 4
            else (", ".join(code(n) for n in names[:4]) + f" and {len(names) - 4} more")
        )
        body.append(
            [
                Text(code(machine)),
                Text(PROBLEM_TITLES[problem]),
                Text(prose(listing(kinds(c.reason for c in cells)))),
                Text(integer(len(cells)), tuple(cells)),
                Text(integer(len({c.row.matrix for c in cells})), tuple(cells)),
                Text(shown),
            ]
        )
    if not body:
        return []
    return [
        Table(
            label="tab:skipped",
            title="Skipped cells",
            caption="Skipped cells by kind of reason.",
            columns=[
                Column("machine", "l"),
                Column("", "l"),
                Column("reason", WORDS),
                Column("cells", "r"),
                Column(r"\shortstack[r]{matrices or\\arrays}", "r"),
                Column("algorithms", WORDS),
            ],
            body=body,
            grouped=2,
        )
    ]


VIEWS = (View("skipped", "trace", lambda report: skipped(report.of_this_run())),)
