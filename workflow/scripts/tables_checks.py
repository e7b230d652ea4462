"""Tables with a row for each algorithm: checks and workspace, and the fastest parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from latex import RAGGED, Column, Table, Text, Value, code, count, integer, listing, scientific
from sections import Section


def errors(part: Section) -> list[Table]:
    """One row an algorithm: how its answers were checked, the worst error, and its workspace."""
    cells = [c for c in part.report.select(machine=part.machine, problem=part.problem) if c.ok]
    measures = list(dict.fromkeys(m for c in cells for m in c.record["check"]["measures"]))
    body: list[list[Value]] = []
    for name in part.report.measured(part.report.rows(part.machine, part.problem),
                                     part.report.algorithms(part.problem)):  # fmt: skip
        own = [c for c in cells if c.algorithm == name]
        methods = sorted({c.record["check"]["method"] for c in own})
        worst = max(own, key=lambda c: c.record["check"]["error"])
        line: list[Value] = [
            Text(code(name)),
            Text(integer(len(own))),
            Text(listing([code(m) for m in methods])),
            Text(scientific(worst.record["check"]["error"])),
            Text(scientific(worst.record["check"]["bound"])),
        ]
        for measure in measures:
            seen = [c.record["check"]["measures"].get(measure) for c in own]
            known = [v for v in seen if v is not None]
            line.append(Text(scientific(max(known)) if known else "--"))
        stored = [
            c.record["workspace_bytes"] / c.record["matrix"]["stored"]
            for c in own
            if c.record["workspace_bytes"] is not None and c.record["matrix"]["stored"]
        ]
        line.append(Text(scientific(max(stored)) if stored else "--"))
        body.append(line)
    columns = [
        Column("algorithm", "l"),
        Column("cells", "r"),
        Column("check", "l"),
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
    """Which value of each swept parameter gave the least median, on how many rows."""
    body: list[list[Value]] = []
    for name in part.algorithms:
        winners: dict[str, Counter[int | str]] = {}
        for row in part.rows:
            cells = [c for c in part.report.cells_of(row, name) if c.ok]
            best = part.report.best(row, name)
            for parameter, value in best.params if best else ():
                if len({dict(c.params).get(parameter) for c in cells}) > 1:
                    winners.setdefault(parameter, Counter())[value] += 1
        for parameter, values in winners.items():
            ranked = sorted(values.items(), key=lambda item: (-item[1], str(item[0])))
            words = listing([f"{code(v)} on {integer(n)}" for v, n in ranked])
            body.append([Text(code(name)), Text(code(parameter)), Text(words)])
    if not body:
        return []
    table = Table(
        label=f"tab:{part.problem}-parameters-{part.machine}",
        caption=f"{part.title}: the parameters that were swept, and the values that gave the least "
        f"median on the {count(len(part.rows), 'row')} of "
        rf"\cref{{tab:{part.problem}-times-{part.machine}}}.",
        columns=[
            Column("algorithm", RAGGED + "{60mm}"),
            Column("parameter", "l"),
            Column("fastest", "p{60mm}"),
        ],
        body=body,
    )
    return [table]


KINDS: dict[str, Callable[[Section], list[Table]]] = {
    "errors": errors,
    "parameters": parameters,
}
