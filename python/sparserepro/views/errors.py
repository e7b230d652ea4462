"""How the answers of each algorithm were checked, the worst error, and the workspace."""

from __future__ import annotations

from collections.abc import Iterable

from sparserepro.data.frames import (
    Cell,
)
from sparserepro.data.lines import CHECKS
from sparserepro.render.latex import code, integer, listing, scientific
from sparserepro.render.tabular import Column, Table, Text, Value, names
from sparserepro.views.sections import Section
from sparserepro.views.view import per_problem


def largest(found: Iterable[tuple[Cell, float | None]]) -> Text:
    """The largest of the values that are known, with its cell."""
    known = [(cell, value) for cell, value in found if value is not None]
    if not known:
        return Text("--")
    cell, value = max(known, key=lambda pair: pair[1])
    return Text(scientific(value), (cell,))


def errors(part: Section) -> list[Table]:
    """One row an algorithm: how its answers were checked, the worst error, and its workspace."""
    cells = [c for c in part.report.select(machine=part.machine, problem=part.problem) if c.ok]
    measures = [m for m in CHECKS if any(c.line[m] is not None for c in cells)]
    body: list[list[Value]] = []
    for name in part.report.measured(part.report.rows(part.machine, part.problem),
                                     part.report.algorithms(part.problem)):  # fmt: skip
        own = [c for c in cells if c.algorithm == name]
        methods = sorted({c.line["check"] for c in own})
        worst = max(own, key=lambda c: c.line["error"])
        line: list[Value] = [
            Text(code(name)),
            Text(integer(len(own)), tuple(own)),
            Text(listing([m.removesuffix("_bound").replace("_", " ") for m in methods])),
            Text(scientific(worst.line["error"]), (worst,)),
            Text(scientific(worst.line["error_bound"]), (worst,)),
        ]
        for measure in measures:
            line.append(largest((c, c.line[measure]) for c in own))
        line.append(largest((c, c.workspace) for c in own))
        body.append(line)
    columns = [
        names("algorithm", (line[0] for line in body)),
        Column("cells", "r"),
        Column("check", "l"),
        Column(r"\shortstack[r]{largest\\error}", "r"),
        Column("bound", "r"),
        *[Column(r"\shortstack[r]{" + r"\\".join(m.split("_")) + "}", "r") for m in measures],
        Column(r"\shortstack[r]{workspace\\(\unit{\byte\per entry})}", "r"),
    ]
    table = Table(
        label=f"tab:{part.problem}-errors-{part.machine}",
        title=f"{part.title} on {code(part.machine)}: checks and workspace",
        caption=f"{part.title}: checks of every measured cell against the reference; the largest "
        "error with its bound (an answer is right when the error is not above the bound), "
        "the largest value of each further measure, and the most workspace that a cell took. "
        f"Machine {code(part.machine)}.",
        columns=columns,
        body=body,
    )
    return [table]


VIEWS = per_problem("errors", errors, this_run=True)
