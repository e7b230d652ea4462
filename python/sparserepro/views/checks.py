"""Tables with a row for each algorithm: checks and workspace, and what parameters cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from sparserepro.data.frames import Cell, Row, fastest
from sparserepro.data.lines import CHECKS
from sparserepro.render.latex import (
    RAGGED,
    Column,
    Table,
    Text,
    Value,
    code,
    integer,
    listing,
    scientific,
    significant,
)
from sparserepro.stats import geometric_mean
from sparserepro.views.sections import Section


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
            Text(listing([code(m) for m in methods])),
            Text(scientific(worst.line["error"]), (worst,)),
            Text(scientific(worst.line["error_bound"]), (worst,)),
        ]
        for measure in measures:
            line.append(largest((c, c.line[measure]) for c in own))
        line.append(largest((c, c.workspace) for c in own))
        body.append(line)
    columns = [
        Column("algorithm", RAGGED + "{36mm}"),
        Column("cells", "r"),
        Column("check", RAGGED + "{24mm}"),
        Column("largest error", "r"),
        Column("bound", "r"),
        *[Column(r"\shortstack[r]{" + r"\\".join(m.split("_")) + "}", "r") for m in measures],
        Column(r"\shortstack[r]{workspace\\(\unit{\byte\per entry})}", "r"),
    ]
    table = Table(
        label=f"tab:{part.problem}-errors-{part.machine}",
        caption=f"{part.title}: checks of every measured cell against the reference; the largest "
        "error with its bound (an answer is right when the error is not above the bound), "
        "the largest value of each further measure, and the most workspace that a cell took. "
        f"Machine {code(part.machine)}.",
        columns=columns,
        body=body,
    )
    return [table]


def parameters(part: Section) -> list[Table]:
    """What each value of each swept parameter costs, and on how many rows it is the fastest."""
    body: list[list[Value]] = []
    for name in part.algorithms:
        for parameter in swept_parameters(part, name):
            found = [by_value(part, row, name, parameter) for row in part.rows]
            cells = [values for values in found if len(values) > 1]
            rows = [{v: cell.seconds for v, cell in values.items()} for values in cells]
            sources = tuple(cell for values in cells for cell in values.values())
            shared = [v for v in rows[0] if all(v in values for values in rows)]
            fastest = Counter(min(values, key=lambda v: values[v]) for values in rows)
            costs = {
                v: geometric_mean([values[v] / min(values.values()) for values in rows])
                for v in shared
            }
            words = [
                rf"{code(v)} \num{{{significant(costs[v])}}} ({integer(fastest[v])})"
                for v in sorted(costs, key=lambda v: costs[v])
            ]
            body.append([Text(code(name)), Text(code(parameter)), Text(", ".join(words), sources)])
    if not body:
        return []
    table = Table(
        label=f"tab:{part.problem}-parameters-{part.machine}",
        caption=f"{part.title}: the parameters that were swept. For each value, the geometric mean "
        "over the rows of its time (other parameters at their fastest) over that of the row's "
        "fastest value, and in brackets on how many rows it is the fastest; values that some row "
        f"refuses are left out. Machine {code(part.machine)}.",
        columns=[
            Column("algorithm", RAGGED + "{45mm}"),
            Column("parameter", "l"),
            Column("value, cost, rows on which it is the fastest", RAGGED + "{75mm}"),
        ],
        body=body,
    )
    return [table]


def swept_parameters(part: Section, name: str) -> list[str]:
    """Parameters with several measured values on some row."""
    found: dict[str, None] = {}
    for row in part.rows:
        cells = [dict(c.params) for c in part.report.cells_of(row, name) if c.ok]
        for parameter in dict.fromkeys(n for params in cells for n in params):
            if len({params.get(parameter) for params in cells}) > 1:
                found[parameter] = None
    return list(found)


def by_value(part: Section, row: Row, name: str, parameter: str) -> dict[int | str, Cell]:
    """The algorithm's fastest cell with each value of the parameter."""
    groups: dict[int | str, list[Cell]] = {}
    for cell in part.report.cells_of(row, name):
        value = dict(cell.params).get(parameter)
        if cell.ok and value is not None:
            groups.setdefault(value, []).append(cell)
    return {value: best for value, cells in groups.items() if (best := fastest(cells))}


KINDS: dict[str, Callable[[Section], list[Table]]] = {
    "errors": errors,
    "parameters": parameters,
}
