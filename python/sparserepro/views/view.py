"""What a view is: tables of the supplement with one content, and where they stand.

Each module of this package that makes tables lists its views as `VIEWS`; `tables.views` finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sparserepro.data.frames import PROBLEMS, Report
from sparserepro.render.tabular import Table
from sparserepro.views.sections import Section, section


@dataclass(frozen=True)
class View:
    """`key` names its file, and its place in a section where \\fragment asks for it; without one
    the view stands at the end of the section, which is a file of report/sections."""

    key: str
    section: str
    tables: Callable[[Report], list[Table]]


def per_problem(
    kind: str,
    make: Callable[[Section], list[Table]],
    problems: tuple[str, ...] = PROBLEMS,
    this_run: bool = False,
) -> tuple[View, ...]:
    """A view `<problem>-<kind>` for each problem, with the tables of each machine; `this_run`
    leaves out the machines that stand beside this run's own."""
    return tuple(
        View(f"{problem}-{kind}", problem, partial(each_machine, make, problem, this_run))
        for problem in problems
    )


def each_machine(
    make: Callable[[Section], list[Table]], problem: str, this_run: bool, report: Report
) -> list[Table]:
    shown = report.of_this_run() if this_run else report
    parts = (section(shown, machine, problem) for machine in shown.machines)
    return [table for part in parts if part for table in make(part)]
