"""Long tables: a group of lines for each instance of a problem, a line for each algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparserepro.data.frames import Cell, Row
from sparserepro.render.latex import code
from sparserepro.render.tabular import LIBRARY, Column, Number, Table, Text, Value, names, sourced
from sparserepro.views.captions import (
    Gaps,
    instance_columns,
    instance_text,
    provenance,
    row_label,
)
from sparserepro.views.measured import Quantity, library_note
from sparserepro.views.sections import Section

WIDE = r"\wide~The interval reaches beyond twice the median."
ABSENT = "An algorithm that a group does not list was not measured on it."


def algorithm(cell: Cell) -> Text:
    """The full name, marked where it is a library's."""
    return Text(code(cell.name) + LIBRARY * cell.peer)


def lead_columns(part: Section) -> list[Column]:
    """What names a group: the matrix, and the parameters of the instance that differ."""
    arrays = part.problem == "primitives"
    lead = [] if arrays else [Column("matrix", "l")]
    return lead + [Column(code(name), "l") for name in instance_columns(part.rows, always=arrays)]


def grouped(
    part: Section,
    kind: str,
    title: str,
    quantities: Sequence[Quantity],
    wanted: Callable[[Row, str], bool] = lambda row, name: True,
) -> Table:
    """A group for each row; in it a line for each algorithm with a cell there that is `wanted`."""
    gaps = Gaps()
    extra = instance_columns(part.rows, always=part.problem == "primitives")
    body: list[list[Value]] = []
    used: list[Cell] = []
    left_out = False
    for row in part.rows:
        for name in part.algorithms:
            best = part.report.best(row, name)
            if best is None or not wanted(row, name):
                left_out |= best is None and part.problem != "primitives"
                continue
            line: list[Value] = [*row_label(row, extra), algorithm(best)]
            for quantity in quantities:
                cell = part.report.best(row, name, quantity.among)
                if cell is None or not cell.ok:
                    line.append(gaps.of(cell))
                    continue
                used.append(cell)
                found = quantity.value(row, cell) or gaps.skipped(quantity.absent)
                line.append(sourced(found, cell))
            body.append(line)
    shared = instance_text(part.rows)
    words = ". ".join(quantity.caption for quantity in quantities)
    times = dict.fromkeys(quantity.which for quantity in quantities)
    wide = any(isinstance(v, Number) and r"\wide" in v.mark for line in body for v in line)
    lead = lead_columns(part)
    return Table(
        label=f"tab:{part.problem}-{kind}-{part.machine}",
        title=f"{part.title} on {code(part.machine)}: {title}",
        caption=f"{part.title}: {words}. {f'All with {shared}.' if shared else ''} "
        f"{provenance(used, *times)}",
        columns=[
            *lead,
            names("algorithm", (line[len(lead)] for line in body)),
            *[Column(quantity.head) for quantity in quantities],
        ],
        body=body,
        grouped=len(lead),
        notes=gaps.notes()
        + ([library_note(used)] if any(cell.peer for cell in used) else [])
        + [WIDE] * wide
        + [ABSENT] * left_out,
    )
