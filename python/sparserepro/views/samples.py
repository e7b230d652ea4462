"""How many samples the cells have, and what ended their sampling."""

from __future__ import annotations

from collections import Counter

from sparserepro.data.frames import (
    PROBLEM_TITLES,
    Cell,
    Report,
)
from sparserepro.render.latex import code, integer
from sparserepro.render.tabular import Column, Table, Text, Value, names
from sparserepro.views.captions import (
    span,
)
from sparserepro.views.view import View


def share_disturbed(cells: list[Cell]) -> str:
    """In per cent of the samples of the cells that tell."""
    told = [c for c in cells if c.disturbed is not None]
    if not told:
        return "--"
    found = sum(c.disturbed or 0 for c in told)
    return f"{100 * found / sum(c.line['samples'] for c in told):.1f}"


def samples(report: Report) -> list[Table]:
    """Samples and stop reasons by machine, problem and algorithm."""
    body: list[list[Value]] = []
    for machine in report.machines:
        for problem in report.problems:
            for name in report.algorithms(problem):
                cells = report.select(machine=machine, problem=problem, algorithm=name, ok=True)
                if not cells:
                    continue
                stops = Counter(c.line["stop"] for c in cells)
                widths = sorted(
                    (c.kernel.ends[1] - c.kernel.ends[0]) / 2 / c.kernel.median
                    for c in cells
                    if c.kernel.has_interval
                )
                counted = [
                    integer(len(cells)),
                    span(c.count("kernel_s") for c in cells),
                    *[integer(stops.get(s, 0)) for s in ("precision", "repetitions", "time_cap")],
                    f"{100 * widths[len(widths) // 2]:.1f}" if widths else "--",
                    f"{100 * widths[-1]:.1f}" if widths else "--",
                    share_disturbed(cells),
                ]
                body.append(
                    [
                        Text(code(machine)),
                        Text(PROBLEM_TITLES[problem]),
                        Text(code(name)),
                        *[Text(text, tuple(cells)) for text in counted],
                    ]
                )
    if not body:
        return []
    return [
        Table(
            label="tab:samples",
            title="Samples of the measured cells",
            caption="Samples of the measured cells, how many cells each stop rule ended, and the "
            r"half width of the interval of the median, in \unit{\percent} of it; and of the "
            r"samples the \unit{\percent} that were disturbed, where the records tell.",
            columns=[
                Column("machine", "l"),
                Column("", "l"),
                names("algorithm", (line[2] for line in body)),
                Column("cells", "r"),
                Column("samples", "r"),
                Column(r"\shortstack[r]{preci-\\sion}", "r"),
                Column(r"\shortstack[r]{repe-\\titions}", "r"),
                Column(r"\shortstack[r]{time\\cap}", "r"),
                Column(r"median", "r"),
                Column(r"widest", "r"),
                Column(r"\shortstack[r]{dis-\\turbed}", "r"),
            ],
            body=body,
            groups=[("", 3), ("ended by", 3), ("half width", 2), ("", 1)],
            grouped=2,
        )
    ]


VIEWS = (View("samples", "trace", samples),)
