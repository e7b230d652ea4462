"""Rates of work and shares of the copy bound by class of matrix."""

from __future__ import annotations

from collections.abc import Callable

from sparserepro.data.frames import Cell, Row
from sparserepro.render.latex import code, integer, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value, names
from sparserepro.stats import geometric_mean
from sparserepro.views.captions import Gaps, instance_columns, instance_text, provenance
from sparserepro.views.grouped import algorithm
from sparserepro.views.measured import RATES, headed, library_note, rate_of, unit_of_work
from sparserepro.views.sections import CALLS_TABLES, Section
from sparserepro.views.view import per_problem

Group = tuple[str, tuple[int | str | None, ...]]


def groups(part: Section) -> dict[Group, list[Row]]:
    """The rows of each class of several matrices, and each combination of the instance parameters
    that vary. Of a class with one matrix the table of times has all there is."""
    extra = instance_columns(part.rows)
    found: dict[Group, list[Row]] = {}
    for row in part.rows:
        key = (part.report.matrix_class(row.matrix), tuple(row.value(n) for n in extra))
        found.setdefault(key, []).append(row)
    return {key: rows for key, rows in found.items() if len(rows) > 1}


def share(cell: Cell) -> float | None:
    return None if cell.fraction_of_bound is None else 100 * cell.fraction_of_bound


def mean(cells: list[Cell], value: Callable[[Cell], float | None], gaps: Gaps) -> Value:
    numbers = [found for cell in cells if (found := value(cell)) is not None]
    if len(numbers) < len(cells):
        return gaps.skipped("no such figure for this algorithm")
    return Number(significant(geometric_mean(numbers)), sources=tuple(cells))


def classes(part: Section) -> list[Table]:
    """Geometric means over each class, of the algorithms with a time on all of its matrices."""
    kind = unit_of_work(part)
    if kind is None:
        return []
    _, unit, words = RATES[kind]
    extra = instance_columns(part.rows)
    gaps = Gaps()
    used: list[Cell] = []
    body: list[list[Value]] = []
    for (name, values), rows in groups(part).items():
        for own in part.algorithms:
            best = [part.report.best(row, own) for row in rows]
            cells = [cell for cell in best if cell and cell.ok]
            if len(cells) < len(rows):
                continue
            used += cells
            body.append(
                [
                    Text(code(name)),
                    *[Text(code(v)) for v in values],
                    Text(integer(len(rows))),
                    algorithm(cells[0]),
                    mean(cells, lambda cell: rate_of(kind, cell), gaps),
                    mean(cells, share, gaps),
                ]
            )
    if not used:
        return []
    rate = "time" if kind == "entry" else "rate"
    shared = instance_text(part.rows)
    lead = 2 + len(extra)
    table = Table(
        label=f"tab:{part.problem}-class-{part.machine}",
        title=f"{part.title} on {code(part.machine)}: classes of matrices",
        caption=rf"{part.title} by class: {rate} in \unit{{{unit}}} {words}, and share of the copy "
        r"bound in \unit{\percent}; geometric means over the matrices of the class, of the "
        "algorithms that have a time on all of them, each at its fastest parameters. Classes of "
        f"one matrix are left out. {f'All with {shared}.' if shared else ''} {provenance(used)}",
        columns=[
            Column("class", "l"),
            *[Column(code(n), "l") for n in extra],
            Column("matrices", "r"),
            names("algorithm", (line[lead] for line in body)),
            Column(headed("per entry" if kind == "entry" else "rate", rf"(\unit{{{unit}}})")),
            Column(headed("bound", r"(\unit{\percent})")),
        ],
        body=body,
        grouped=lead,
        notes=gaps.notes() + ([library_note(used)] if any(c.peer for c in used) else []),
    )
    return [table]


VIEWS = per_problem("classes", classes, CALLS_TABLES, this_run=True)
