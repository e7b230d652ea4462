"""Where each matrix comes from."""

from __future__ import annotations

from sparserepro.data.frames import (
    Report,
)
from sparserepro.render.latex import code
from sparserepro.render.tabular import WORDS, Column, Table, Text, Value, names
from sparserepro.views.view import View


def sources(report: Report) -> list[Table]:
    """Where each matrix comes from: a generator's spec or a file with its checksum."""
    body: list[list[Value]] = [
        [
            Text(code(f["name"])),
            Text(code(f["source"])),
            Text(code(f["sha256"][:12]) if f.get("sha256") else "--"),
        ]
        for f in sorted(report.matrices.values(), key=lambda f: f["name"].lower())
        if "rows" in f
    ]
    if not body:
        return []
    return [
        Table(
            label="tab:sources",
            title="Sources of the matrices",
            caption="Source of each matrix: the specification that generates it again, or the file "
            "and the first digits of its SHA-256.",
            columns=[
                names("matrix", (line[0] for line in body)),
                Column("source", WORDS),
                Column("SHA-256", "l"),
            ],
            body=body,
        )
    ]


VIEWS = (View("sources", "trace", sources),)
