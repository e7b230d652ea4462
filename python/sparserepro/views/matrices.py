"""The matrices and their row lengths."""

from __future__ import annotations

from sparserepro.data.frames import (
    Report,
)
from sparserepro.render.latex import code, escape, integer, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value, names
from sparserepro.views.view import View


def matrices(report: Report) -> list[Table]:
    """Every matrix with a record, by class."""
    present = [f for f in report.matrices.values() if "rows" in f]
    present.sort(key=lambda f: (f.get("class") or "", f["name"].lower()))
    body: list[list[Value]] = []
    for facts in present:
        length = facts["row_length"]
        body.append(
            [
                Text(code(facts["name"])),
                Text(escape(facts.get("class") or "unclassified")),
                Text(integer(facts["rows"])),
                Text(integer(facts["cols"])),
                Text(integer(facts["stored"])),
                Text(integer(facts["stored"] - facts["nnz"])),
                Number(significant(length["mean"])),
                Text(integer(length["max"])),
                Text("generated" if facts["origin"] == "generated" else "file"),
            ]
        )
    if not body:
        return []
    heads = ("rows", "columns", "stored", "zeros", "mean", "max")
    columns = [
        names("matrix", (line[0] for line in body)),
        Column("class", "l"),
        *[Column(h, "S" if h == "mean" else "r") for h in heads],
        Column("origin", "l"),
    ]
    return [
        Table(
            label="tab:matrices",
            title="The matrices",
            caption="The matrices. Stored entries include explicit zeros, which are also counted "
            "apart, and, for symmetric files, both triangles. Mean and maximum are of the row "
            "lengths.",
            columns=columns,
            body=body,
            groups=[("", 6), ("row length", 2), ("", 1)],
        )
    ]


VIEWS = (View("matrices", "matrices", matrices),)
