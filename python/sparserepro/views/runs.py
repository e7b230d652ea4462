"""Every run of a driver with its command line."""

from __future__ import annotations

from collections.abc import Sequence

from sparserepro.data.frames import (
    PROBLEM_TITLES,
    Cell,
    Report,
    params_text,
)
from sparserepro.render.latex import code, prose
from sparserepro.render.tabular import WORDS, Column, Table, Text, Value
from sparserepro.views.view import View


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
                Column("machine", "l"),
                Column("", "l"),
                Column("instance", WORDS),
                Column("start", "l"),
                Column("command line", WORDS),
            ],
            body=body,
            grouped=2,
        )
    ]


VIEWS = (View("runs", "trace", runs),)
