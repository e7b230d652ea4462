"""The tables of what was measured: matrices and algorithms."""

from __future__ import annotations

from collections.abc import Sequence

from sparserepro.data.frames import PROBLEM_TITLES, Algorithm, Report
from sparserepro.render.latex import (
    RAGGED,
    Column,
    Number,
    Table,
    Text,
    Value,
    code,
    escape,
    integer,
    listing,
    prose,
    significant,
)
from sparserepro.views.captions import Gaps, kinds


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
        Column("matrix", RAGGED + "{31mm}"),
        Column("class", RAGGED + "{17mm}"),
        *[Column(h, "S" if h == "mean" else "r") for h in heads],
        Column("origin", "l"),
    ]
    return [
        Table(
            label="tab:matrices",
            caption="The matrices. Stored entries include explicit zeros, which are also counted "
            "apart, and, for symmetric files, both triangles. Mean and maximum are of the row "
            "lengths.",
            columns=columns,
            body=body,
            groups=[("", 6), ("row length", 2), ("", 1)],
        )
    ]


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
            caption="Source of each matrix: the specification that generates it again, or the file "
            "and the first digits of its SHA-256.",
            columns=[
                Column("matrix", RAGGED + "{40mm}"),
                Column("source", RAGGED + "{80mm}"),
                Column("SHA-256", "l"),
            ],
            body=body,
            long=True,
        )
    ]


def unavailable(report: Report) -> list[Table]:
    """Unavailable matrices, by reason."""
    reasons: dict[str, list[str]] = {}
    for facts in sorted(report.matrices.values(), key=lambda f: f["name"].lower()):
        if why := facts.get("unavailable"):
            name = f"{code(facts['name'])} ({escape(facts.get('class') or 'unclassified')})"
            reasons.setdefault(why, []).append(name)
    body: list[list[Value]] = [
        [Text(listing(names)), Text(integer(len(names))), Text(prose(why))]
        for why, names in reasons.items()
    ]
    if not body:
        return []
    return [
        Table(
            label="tab:unavailable",
            caption="Matrices of the configuration that were unavailable, and why. They are tried "
            "again in the next run.",
            columns=[
                Column("matrices (class)", RAGGED + "{80mm}"),
                Column("number", "r"),
                Column("reason", RAGGED + "{58mm}"),
            ],
            body=body,
        )
    ]


def status(report: Report, algorithm: Algorithm, machines: Sequence[str], gaps: Gaps) -> str:
    """Where the algorithm was measured; else the letter of the reason why it was not."""
    measured = [
        m
        for m in machines
        if any(
            c.name == algorithm.name
            for c in report.select(machine=m, problem=algorithm.problem, ok=True)
        )
    ]
    if measured and len(measured) == len(machines):
        return "measured"
    why = algorithm.unavailable
    if why is None and not measured:
        cells = report.select(problem=algorithm.problem)
        reasons = {c.reason for c in cells if c.name == algorithm.name}
        why = "; ".join(kinds(reasons)) or "not in the measured grid"
    where = "measured on " + listing([code(m) for m in measured]) if measured else ""
    return where + (gaps.skipped(why).latex_text if why else "")


def algorithms(report: Report, problem: str) -> list[Table]:
    book = report.catalogues.get(problem)
    if book is None:
        return []
    gaps = Gaps()
    bases = set(book.baselines.values())
    several = len(bases) > 1
    shared = "" if several else f" Speedups are against {code(bases.pop())}." if bases else ""
    body: list[list[Value]] = [
        [
            Text(code(a.name)),
            *([Text("itself" if a.baseline == a.name else code(a.baseline))] if several else []),
            Text(a.backend + (r"\textsuperscript{\textdagger}" if a.peer else "")),
            Text(prose(a.summary)),
            Text(prose(a.source)),
            Text(status(report, a, report.machines, gaps)),
        ]
        for a in book.algorithms
    ]
    return [
        Table(
            label=f"tab:{problem}-algorithms",
            caption=f"{PROBLEM_TITLES[problem]}: the algorithms of the driver's catalogue "
            rf"(\textdagger~third-party library).{shared}",
            columns=[
                Column("algorithm", RAGGED + "{30mm}"),
                *([Column("baseline", RAGGED + "{23mm}")] if several else []),
                Column("backend", "l"),
                Column("method", RAGGED + ("{38mm}" if several else "{50mm}")),
                Column("source", RAGGED + ("{26mm}" if several else "{34mm}")),
                Column("here", RAGGED + ("{17mm}" if several else "{22mm}")),
            ],
            body=body,
            notes=gaps.notes(),
            long=len(body) > 12,
        )
    ]
