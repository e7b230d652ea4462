"""What each value of each swept parameter costs."""

from __future__ import annotations

from collections import Counter

from sparserepro.data.frames import (
    Cell,
    Row,
    fastest,
)
from sparserepro.render.latex import code, integer, significant
from sparserepro.render.tabular import WORDS, Column, Table, Text, Value, names
from sparserepro.stats import geometric_mean
from sparserepro.views.sections import Section
from sparserepro.views.view import per_problem


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
        title=f"{part.title} on {code(part.machine)}: values of parameters",
        caption=f"{part.title}: the parameters that were swept. For each value, the geometric mean "
        "over the rows of its time (other parameters at their fastest) over that of the row's "
        "fastest value, and in brackets on how many rows it is the fastest; values that some row "
        f"refuses are left out. Machine {code(part.machine)}.",
        columns=[
            names("algorithm", (line[0] for line in body)),
            Column("parameter", "l"),
            Column("value, cost, rows on which it is the fastest", WORDS),
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


VIEWS = per_problem("parameters", parameters, this_run=True)
