"""The triangle seed's table of graphs, beside the same graphs here."""

from __future__ import annotations

from sparserepro.data import published
from sparserepro.data.frames import Report
from sparserepro.render.latex import code, integer, scientific, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.views.captions import Gaps
from sparserepro.views.view import View

SAME, OTHER = "the seed prints none", "the graph was not counted here"


def datasets(report: Report) -> list[Table]:
    """Sizes, density and triangles as printed; density, mean degree and triangles recomputed."""
    gaps = Gaps()
    body: list[list[Value]] = []
    for line in published.read("triangles-datasets"):
        rows, stored = int(line["rows"]), int(line["stored"])
        density, triangles = line["density"], line["triangles"]
        body.append(
            [
                Text(code(line["name"])),
                Text(integer(rows)),
                Text(integer(stored)),
                Text(scientific(float(density), 3)) if density else gaps.skipped(SAME),
                Text(scientific(stored / rows**2, 3)),
                Number(significant(stored / rows)),
                Text(integer(int(triangles))) if triangles else gaps.skipped(SAME),
                counted_here(report, line["name"], gaps),
            ]
        )
    return [
        Table(
            label="tab:triangles-datasets",
title="Triangle counting: graphs of the seed",
            caption=r"The graphs of the seed \cite{antoniadis2019}. Rows, non-zeros and the first "
            "density are as printed; the second density is the non-zeros over the square of the "
            "rows, the mean degree the non-zeros over the rows. Triangles: as printed, and as "
            "all algorithms that were measured here count them.",
            columns=[
                Column("graph", "l"), Column("rows", "r"), Column("non-zeros", "r"),
                Column("printed", "r"), Column("recomputed", "r"), Column("mean degree"),
                Column("printed", "r"), Column("here", "r"),
            ],
            groups=[("", 3), ("density", 2), ("", 1), ("triangles", 2)],
            body=body,
            notes=gaps.notes(),
        )
    ]  # fmt: skip


def counted_here(report: Report, name: str, gaps: Gaps) -> Text:
    cells = report.select(problem="triangles", matrix=name, ok=True)
    found = [(c, int(t)) for c in cells if (t := c.measure("triangles")) is not None]
    if found:
        counts = sorted({count for _, count in found})
        return Text(", ".join(integer(n) for n in counts), tuple(c for c, _ in found))
    return gaps.skipped(report.matrices.get(name, {}).get("unavailable") or OTHER)


VIEWS = (View("triangles-datasets", "triangles", datasets),)
