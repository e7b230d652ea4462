"""Preparation and end-to-end times, and the parts of these."""

from __future__ import annotations

from sparserepro.data.frames import Cell, Row
from sparserepro.render.latex import code, integer, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.stats import median
from sparserepro.views.captions import provenance
from sparserepro.views.grouped import grouped
from sparserepro.views.measured import end_to_end, preparation
from sparserepro.views.sections import Section
from sparserepro.views.view import per_problem


def whole_and_parts(part: Section) -> list[Table]:
    """Preparation, where there is one, beside the end-to-end time; and the parts of that."""
    found = [quantity for quantity in (preparation(part), end_to_end(part)) if quantity]

    def has_any(row: Row, name: str) -> bool:
        cells = ((q, part.report.best(row, name, q.among)) for q in found)
        return any(cell and cell.ok and q.value(row, cell) for q, cell in cells)

    if not found:
        return []
    title = "preparation, and times end to end"
    return [grouped(part, "end-to-end", title, found, has_any), *parts_of_whole(part)]


def parts_of_whole(part: Section) -> list[Table]:
    """How the end-to-end time divides into allocation, transfers and kernel, by algorithm and kind
    of transfers: medians over the rows of the medians over the cycles."""
    body: list[list[Value]] = []
    used: list[Cell] = []
    for name in part.algorithms:
        cells = [c for r in part.rows if (c := part.report.best(r, name, "end_to_end_s"))]
        for transfers in ("none", "pageable", "pinned"):
            found = [(c, cycles) for c in cells if (cycles := c.end_to_end(transfers))]
            if not found:
                continue
            used += [c for c, _ in found]
            sources = tuple(c for c, _ in found)
            rows = Text(integer(len(found)), sources)
            line: list[Value] = [Text(code(name)), Text(transfers), rows]
            for key in ("allocation_s", "transfer_s", "kernel_s"):
                shares = [cycles[key] / cycles["total_s"] for _, cycles in found]
                line.append(Number(f"{100 * median(shares):.1f}", sources=sources))
            ratios = [cycles["total_s"] / c.cost.execution for c, cycles in found]
            line.append(Number(significant(median(ratios)), sources=sources))
            body.append(line)
    if not body:
        return []
    table = Table(
        label=f"tab:{part.problem}-end-to-end-parts-{part.machine}",
        title=f"{part.title} on {code(part.machine)}: parts of the end-to-end time",
        caption=f"{part.title}: parts of the end-to-end time in \\unit{{\\percent}}, and the "
        "end-to-end time over that of one execution, medians over the rows. Preparation is in the "
        "kernel's part. Pageable transfers are from memory as a program allocates it, pinned ones "
        f"from memory that the driver has registered. {provenance(used, 'end_to_end_s')}",
        columns=[
            Column("algorithm", "l"),
            Column("transfers", "l"),
            Column("rows", "r"),
            Column("allocation"),
            Column("transfers"),
            Column("kernel"),
            Column("over execution"),
        ],
        body=body,
    )
    return [table]


VIEWS = per_problem("end-to-end", whole_and_parts, this_run=True)
