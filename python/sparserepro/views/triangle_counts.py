"""The graphs as they are counted, and their triangles."""

from __future__ import annotations

from collections import Counter

from sparserepro.data import published
from sparserepro.data.frames import (
    Cell,
    Report,
)
from sparserepro.render.latex import code, integer, listing, prose
from sparserepro.render.tabular import CROWDED, Column, Table, Text, Value, names
from sparserepro.views.view import View

COUNTED = {
    "edges": "edges",
    "max_degree": r"\shortstack[r]{largest\\degree}",
    "products": "products",
    "loops_dropped": "loops",
    "duplicates_dropped": "duplicates",
    "edges_mirrored": "mirrored",
}
"""Measures of a graph and the heads of their columns."""


def triangle_counts(report: Report) -> list[Table]:
    """What was counted and dropped, the triangles, and whether all agree on them."""
    published_counts = {line["name"]: line for line in published.read("triangle-counts")}
    cells = report.select(problem="triangles", ok=True)
    graphs = sorted({c.row.matrix for c in cells}, key=lambda n: (report.matrix_class(n), n))
    known = {name: published_counts[name] for name in graphs if name in published_counts}
    body: list[list[Value]] = []
    for matrix in graphs:
        own = [c for c in cells if c.row.matrix == matrix]
        found = [int(t) for c in own if (t := c.measure("triangles")) is not None]
        counts = sorted(set(found))
        line: list[Value] = [
            Text(code(matrix)),
            Text(integer(own[0].line["rows"] or 0), (own[0],)),
            *[counted(own, measure) for measure in COUNTED],
            Text(", ".join(integer(n) for n in counts) or "--", tuple(own)),
            Text(agreement(own), tuple(own)),
        ]
        if known:
            line.append(Text(against_known(counts, known.get(matrix)), tuple(own)))
        body.append(line)
    if not body:
        return []
    sources = sorted({line["source"].replace("seed", "triangle seed") for line in known.values()})
    columns = [
        names("graph", (line[0] for line in body), unbroken=CROWDED),
        Column("vertices", "r"),
        *[Column(head, "r") for head in COUNTED.values()],
        Column("triangles", "r"),
        Column("agree", "r"),
    ]
    groups = [("", 5), ("dropped", 2), ("", 3)]
    if known:
        columns.append(Column("known", "r"))
        groups[-1] = ("", 4)
    return [
        Table(
            label="tab:triangles-counts",
            title="Triangle counting: the graphs and their counts",
            caption="The graphs as they are counted, and their triangles. Loops and duplicate "
            "entries of the matrix are dropped; mirrored are the edges that the matrix stores in "
            "one direction only; products are the multiplications of $A A$. Agree: how many of "
            "the measured algorithms found the count (every cell must before its time counts).",
            columns=columns,
            body=body,
            groups=groups,
            notes=[f"Known: {prose(listing(sources))}."] if known else [],
        )
    ]


def counted(cells: list[Cell], name: str) -> Text:
    """The measure, from the first record that has it."""
    known = ((c, v) for c in cells if (v := c.measure(name)) is not None)
    cell, value = next(known, (None, 0.0))
    return Text(integer(value), (cell,)) if cell else Text("--")


def agreement(cells: list[Cell]) -> str:
    """ "all 4", or "3 of 4" with the most frequent count."""
    counts = Counter(c.measure("triangles") for c in cells)
    most = counts.most_common(1)[0][0]
    algorithms = {c.algorithm for c in cells}
    differing = {c.algorithm for c in cells if c.measure("triangles") != most}
    if not differing:
        return f"all {len(algorithms)}"
    return f"{len(algorithms - differing)} of {len(algorithms)}"


def against_known(counts: list[int], line: dict[str, str] | None) -> str:
    if line is None:
        return "--"
    verdict = "agrees" if counts == [int(line["triangles"])] else "DIFFERS"
    return f"{integer(int(line['triangles']))} ({verdict})"


VIEWS = (View("triangles-counts", "triangles", triangle_counts),)
