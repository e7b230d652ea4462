"""Every run of a driver with its command line."""

from __future__ import annotations

from collections.abc import Sequence

from sparserepro.data.frames import (
    PROBLEM_TITLES,
    Cell,
    Report,
)
from sparserepro.render.latex import code, command, count
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
    """One line for each run of a driver: what it measured and its command line. A first line of
    each problem has the options that all of its runs have."""
    jobs: dict[tuple[str, str, tuple[str, ...]], list[Cell]] = {}
    for cell in report.cells:
        key = (cell.row.machine, cell.row.problem, tuple(cell.line["command"].split(" ")))
        jobs.setdefault(key, []).append(cell)
    commands: dict[tuple[str, str], list[list[str]]] = {}
    for machine, problem, argv in jobs:
        if argv[0] == problem:  # the matrix expression has no --algorithm, for example
            commands.setdefault((machine, problem), []).append(words_of(argv))
    shared = {place: shared_options(lines) for place, lines in commands.items() if len(lines) > 1}
    body: list[list[Value]] = []
    begun: set[tuple[str, str]] = set()
    for (machine, problem, argv), cells in sorted(
        jobs.items(), key=lambda job: (start(job[1]), job[0])
    ):
        group: list[Value] = [Text(code(machine)), Text(PROBLEM_TITLES[problem])]
        options = shared.get((machine, problem), [])
        if options and (machine, problem) not in begun:
            body.append(
                [*group, Text("all runs of the driver"), Text("--"), Text(command(options))]
            )
        begun.add((machine, problem))
        rows = sorted({cell.row for cell in cells}, key=lambda row: (row.matrix, row.instance))
        what = code(rows[0].matrix) + (f", {count(len(rows), 'row')}" if len(rows) > 1 else "")
        own = [word for word in words_of(argv) if word not in options or argv[0] != problem]
        body.append([*group, Text(what), Text(code(start(cells)[-1])), Text(command(own))])
    if not body:
        return []
    return [
        Table(
            label="tab:runs",
            title="Runs of the drivers",
            caption="Every run of a driver and every evaluation of the matrix expression: its "
            "matrix or array, how many rows of tables it has measured, when it started (UTC), and "
            r"the command line, with the driver in \code{build/bin} and without the files of "
            "records. The first line of a problem has the options of all its runs of the driver.",
            columns=[
                Column("machine", "l"),
                Column("", "l"),
                Column("", "l"),
                Column("started", "l"),
                Column("command line", WORDS),
            ],
            body=body,
            grouped=4,
        )
    ]


VIEWS = (View("runs", "trace", runs),)
