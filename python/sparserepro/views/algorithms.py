"""The algorithms of a problem, as its driver lists them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sparserepro.data.frames import (
    PROBLEM_TITLES,
    PROBLEMS,
    Algorithm,
    Report,
)
from sparserepro.render.latex import code, prose
from sparserepro.render.tabular import LIBRARY, WORDS, Column, Table, Text, Value, names
from sparserepro.views.captions import (
    Gaps,
    kinds,
)
from sparserepro.views.view import View


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
    where = "on " + ", ".join(code(m) for m in measured) if measured else ""
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
            Text(a.backend + LIBRARY * a.peer),
            Text(prose(a.summary)),
            Text(prose(a.source)),
            Text(status(report, a, report.machines, gaps)),
        ]
        for a in book.algorithms
    ]
    return [
        Table(
            label=f"tab:{problem}-algorithms",
            title=f"{PROBLEM_TITLES[problem]}: the algorithms",
            caption=f"{PROBLEM_TITLES[problem]}: the algorithms of the driver's catalogue "
            rf"(\textdagger~third-party library).{shared}",
            columns=[
                names("algorithm", (line[0] for line in body)),
                *([names("baseline", (line[1] for line in body))] if several else []),
                Column("backend", "l"),
                Column("method", WORDS),
                Column("source", WORDS),
                names("here", (line[-1] for line in body)),
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]


VIEWS = tuple(
    View(f"{problem}-algorithms", problem, partial(algorithms, problem=problem))
    for problem in PROBLEMS
)
