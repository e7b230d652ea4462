"""The triangle seed's times, beside ours."""

from __future__ import annotations

from sparserepro.data import published
from sparserepro.data.frames import (
    Cell,
    Report,
    fastest,
)
from sparserepro.render.latex import code, escape, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.views.captions import (
    Gaps,
    provenance,
)
from sparserepro.views.published import because
from sparserepro.views.view import View


def triangle_times(report: Report) -> list[Table]:
    gaps = Gaps()
    body: list[list[Value]] = []
    used: list[Cell] = []
    for line in published.read("triangles-times"):
        cells = report.select(
            problem="triangles", matrix=line["name"], algorithm=line["counterpart"], ok=True
        )
        best = fastest([c for c in cells if c.row.is_plain])
        facts = report.matrices.get(line["name"], {})
        if best is not None:
            used.append(best)
            ours: Value = Number(significant(best.seconds), sources=(best,))
        else:
            missing = facts.get("unavailable") or (
                "" if facts else "the graph is not in this configuration"
            )
            ours = gaps.skipped(missing or because(report, "triangles", line["counterpart"]))
        body.append(
            [
                Text(line["figure"]),
                Text(code(line["name"])),
                Text(escape(line["method"])),
                Text(code(line["counterpart"])),
                Number(line["seconds"]),
                ours,
            ]
        )
    return [
        Table(
            label="tab:triangles-printed",
title="Triangle counting: times of the seed",
            caption="Triangle counting, seconds: as printed by the seed "
            r"\cite{antoniadis2019} in its figures 1, 2 and 4 and their tables (GeForce GTX 650 "
            "Ti, Core i5-4690K; MATLAB times are of the whole expression, CUDA and cuSPARSE times "
            "of the kernels), and here. Printed figures enter no ratio. "
            f"{provenance(used)}",
            columns=[
                Column("figure", "l"), Column("graph", "l"), Column("method", "l"),
                Column("counterpart", "l"), Column("printed"), Column("measured here"),
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]  # fmt: skip


VIEWS = (View("triangles-published", "triangles", triangle_times),)
