"""One problem on one machine by class of matrix: rate of work and share of the copy bound."""

from __future__ import annotations

from collections.abc import Callable

from sparserepro.data.frames import Cell, Report, Row
from sparserepro.render.latex import Column, Number, Table, Text, Value, code, integer, significant
from sparserepro.stats import geometric_mean
from sparserepro.views.captions import Gaps, instance_columns, instance_text, provenance
from sparserepro.views.measured import RATES, library_note
from sparserepro.views.sections import Section, section
from sparserepro.views.width import split

PROBLEMS = ("transpose", "spmm", "triangles")
"""Those with matrices of many classes, and rates that compare across them."""

Group = tuple[str, tuple[int | str | None, ...]]


def groups(part: Section) -> dict[Group, list[Row]]:
    """The rows of each class and each combination of the instance parameters that vary."""
    extra = instance_columns(part.rows)
    found: dict[Group, list[Row]] = {}
    for row in part.rows:
        key = (part.report.matrix_class(row.matrix), tuple(row.value(n) for n in extra))
        found.setdefault(key, []).append(row)
    return found


def classes(report: Report, problem: str) -> list[Table]:
    parts = (section(report, machine, problem) for machine in report.machines)
    return [table for part in parts if part for table in classes_of(part)]


def classes_of(part: Section) -> list[Table]:
    """Two tables: geometric means over each class of the rate of work, and of the bound's share."""
    kinds = {w[1] for c in part.cells if (w := c.work)}
    if len(kinds) != 1:
        return []
    kind = kinds.pop()
    scale, unit, words = RATES[kind]

    def rate(cell: Cell) -> float | None:
        if not cell.work or not cell.work[0]:
            return None
        each = cell.work[0] / cell.seconds
        return scale / each if kind == "entry" else scale * each

    def share(cell: Cell) -> float | None:
        return None if cell.fraction_of_bound is None else 100 * cell.fraction_of_bound

    name = "time" if kind == "entry" else "rate"
    first = rf"{name} in \unit{{{unit}}} {words}"
    second = r"share of the copy bound in \unit{\percent}"
    return [
        *table_of(part, "class-rate", first, rate),
        *table_of(part, "class-bound", second, share),
    ]


def table_of(
    part: Section, key: str, words: str, value: Callable[[Cell], float | None]
) -> list[Table]:
    extra = instance_columns(part.rows)
    gaps = Gaps()
    used: list[Cell] = []
    body: list[list[Value]] = []
    for (name, values), rows in groups(part).items():
        line: list[Value] = [Text(code(name)), *[Text(code(v)) for v in values]]
        line.append(Text(integer(len(rows))))
        for algorithm in part.algorithms:
            cells = [part.report.best(row, algorithm) for row in rows]
            missing = next((c for c in cells if c is None or not c.ok), ...)
            if missing is not ...:
                line.append(gaps.of(missing))
                continue
            numbers = [x for c in cells if c and (x := value(c)) is not None]
            if len(numbers) < len(rows):
                line.append(gaps.skipped("no such figure for this algorithm"))
                continue
            used += [c for c in cells if c]
            sources = tuple(c for c in cells if c)
            line.append(Number(significant(geometric_mean(numbers)), sources=sources))
        body.append(line)
    if not used:
        return []
    shared = instance_text(part.rows)
    peers = {c.algorithm for c in part.cells if c.peer}
    table = Table(
        label=f"tab:{part.problem}-{key}-{part.machine}",
        caption=f"{part.title} by class: {words}; geometric mean over the matrices of the class, "
        "each algorithm at its fastest parameters, where it has a time on all of them. "
        f"{f'All with {shared}.' if shared else ''} {provenance(used)}",
        columns=[
            Column("class", "l"),
            *[Column(code(n), "l") for n in extra],
            Column("matrices", "r"),
            *[
                Column(r"\textsuperscript{\textdagger}" * (a in peers), "S", a)
                for a in part.algorithms
            ],
        ],
        body=body,
        notes=gaps.notes() + ([library_note(used)] if peers else []),
    )
    return split(table, 2 + len(extra))
