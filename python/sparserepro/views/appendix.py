"""The appendix: skipped cells, sample counts and stop reasons, and every driver run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sparserepro.data.frames import PROBLEM_TITLES, Cell, Report, params_text
from sparserepro.render.latex import (
    RAGGED,
    Column,
    Table,
    Text,
    Value,
    code,
    integer,
    listing,
    prose,
)
from sparserepro.views.captions import kinds, span, without_numbers


def skipped(report: Report) -> list[Table]:
    """Skipped cells by machine, problem and kind of reason."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in report.cells:
        if not cell.ok and cell.row.machine in report.machines:
            key = (cell.row.machine, cell.row.problem, without_numbers(cell.reason))
            groups.setdefault(key, []).append(cell)
    body: list[list[Value]] = []
    for (machine, problem, _), cells in sorted(groups.items()):
        names = [n for n in report.algorithms(problem) if n in {c.algorithm for c in cells}]
        shown = (
            listing([code(n) for n in names[:4]])
            if len(names) <= 4
            else (", ".join(code(n) for n in names[:4]) + f" and {len(names) - 4} more")
        )
        body.append(
            [
                Text(code(machine)),
                Text(PROBLEM_TITLES[problem]),
                Text(integer(len(cells)), tuple(cells)),
                Text(integer(len({c.row.matrix for c in cells})), tuple(cells)),
                Text(shown),
                Text(prose(listing(kinds(c.reason for c in cells)))),
            ]
        )
    if not body:
        return []
    return [
        Table(
            label="tab:skipped",
            caption="Skipped cells by kind of reason.",
            columns=[
                Column("machine", RAGGED + "{20mm}"),
                Column("problem", "l"),
                Column("cells", "r"),
                Column(r"\shortstack[r]{matrices or\\arrays}", "r"),
                Column("algorithms", RAGGED + "{34mm}"),
                Column("reason", RAGGED + "{42mm}"),
            ],
            body=body,
        )
    ]


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
            caption="Samples of the measured cells, how many cells each stop rule ended, and the "
            r"half width of the interval of the median, in \unit{\percent} of it.",
            columns=[
                Column("machine", RAGGED + "{20mm}"),
                Column("problem", "l"),
                Column("algorithm", RAGGED + "{31mm}"),
                Column("cells", "r"),
                Column("samples", "r"),
                Column(r"\shortstack[r]{preci-\\sion}", "r"),
                Column(r"\shortstack[r]{repe-\\titions}", "r"),
                Column(r"\shortstack[r]{time\\cap}", "r"),
                Column(r"median", "r"),
                Column(r"widest", "r"),
            ],
            body=body,
            groups=[("", 5), ("ended by", 3), ("half width", 2)],
        )
    ]


def words_of(argv: Sequence[str]) -> list[str]:
    """The words of a command line, an option with its values as one, without files of records."""
    words: list[str] = []
    for word in argv:
        if word.startswith("--") or not words or not words[-1].startswith("--"):
            words.append(word)
        else:
            words[-1] += " " + word
    return [word for word in words if not word.startswith(("--json", "--records"))]


def shared_options(commands: list[list[str]]) -> list[str]:
    """Options that all of several command lines have, with the same values."""
    return [
        word
        for word in commands[0]
        if word.startswith("--") and all(word in other for other in commands)
    ]


def start(cells: list[Cell]) -> tuple[str, str, str]:
    """Machine, problem and the first start of the cells of a run, which orders the runs."""
    row = cells[0].row
    return row.machine, row.problem, min(c.started for c in cells)


def runs(report: Report) -> list[Table]:
    """One line for each run of a driver: what it measured and its command line. Options that all
    runs of a machine have are in the caption."""
    jobs: dict[tuple[str, str, tuple[str, ...]], list[Cell]] = {}
    for cell in report.cells:
        key = (cell.row.machine, cell.row.problem, tuple(cell.line["command"].split(" ")))
        jobs.setdefault(key, []).append(cell)
    commands: dict[str, list[list[str]]] = {}
    for machine, problem, argv in jobs:
        if argv[0] == problem:  # the matrix expression has no --algorithm, for example
            commands.setdefault(machine, []).append(words_of(argv))
    shared = {machine: shared_options(lines) for machine, lines in commands.items()}
    body: list[list[Value]] = []
    for (machine, problem, argv), cells in sorted(
        jobs.items(), key=lambda job: (start(job[1]), job[0])
    ):
        rows = sorted({(c.row.matrix, params_text(c.row.instance)) for c in cells})
        matrix, instance = rows[0]
        more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        what = code(matrix) + (f" ({prose(instance)})" if instance else "") + more
        body.append(
            [
                Text(code(machine)),
                Text(PROBLEM_TITLES[problem]),
                Text(what),
                Text(code(start(cells)[-1])),
                Text(code(" ".join(w for w in words_of(argv) if w not in shared.get(machine, [])))),
            ]
        )
    if not body:
        return []
    return [
        Table(
            label="tab:runs",
            caption="Every run of a driver and every evaluation of the matrix expression: the "
            "instance, the start (UTC), and the command line, with the driver in "
            r"\code{build/bin} and without the files of records."
            + "".join(
                f" All of {code(machine)} with {code(' '.join(options))}."
                for machine, options in sorted(shared.items())
                if options
            ),
            columns=[
                Column("machine", RAGGED + "{20mm}"),
                Column("problem", RAGGED + "{19mm}"),
                Column("instance", RAGGED + "{31mm}"),
                Column("start", RAGGED + "{18mm}"),
                Column("command line", RAGGED + "{57mm}"),
            ],
            body=body,
            long=True,
        )
    ]
