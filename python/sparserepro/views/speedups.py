"""Speedups over the serial baseline, by algorithm."""

from __future__ import annotations

from sparserepro.render.latex import code, integer, significant
from sparserepro.render.tabular import LIBRARY, Column, Number, Table, Text, Value, names
from sparserepro.stats import Verdict, geometric_mean, verdict
from sparserepro.views.measured import calls_words, compared, library_note
from sparserepro.views.sections import Section, baseline_words
from sparserepro.views.view import per_problem

COUNTED = (Verdict.faster, Verdict.same, Verdict.slower, Verdict.unclear)


def speedups(part: Section) -> list[Table]:
    """The mean, the least and the largest speedup of each algorithm, and how many are decided."""
    body: list[list[Value]] = []
    peers = []
    for name in compared(part):
        found = [(ratio, row) for row in part.rows if (ratio := part.report.speedup(row, name))]
        cells = tuple(cell for _, row in found for cell in part.report.compared(row, name))
        peers += [cell for cell in cells if cell.peer and cell.algorithm == name]
        values = [ratio.value for ratio, _ in found]
        if not values:
            continue
        verdicts = [verdict(ratio) for ratio, _ in found]
        body.append(
            [
                Text(code(name) + LIBRARY * any(cell.algorithm == name for cell in peers)),
                Text(integer(len(found)), cells),
                *[
                    Number(significant(value), sources=cells)
                    for value in (geometric_mean(values), min(values), max(values))
                ],
                *[Text(integer(verdicts.count(one)), cells) for one in COUNTED],
            ]
        )
    if not body:
        return []
    table = Table(
        label=f"tab:{part.problem}-speedup-{part.machine}",
        title=f"{part.title} on {code(part.machine)}: mean speedups",
        caption=f"{part.title}: speedups over {baseline_words(part)}{calls_words(part)}, of the "
        rf"rows of \cref{{tab:{part.problem}-times-{part.machine}}} that have both times: "
        "geometric mean, least and largest, and on how many rows which verdict holds. Machine "
        f"{code(part.machine)}.",
        columns=[
            names("algorithm", (line[0] for line in body)),
            Column("rows", "r"),
            *[Column(head) for head in ("geometric mean", "least", "largest")],
            *[Column(str(one), "r") for one in COUNTED],
        ],
        body=body,
        groups=[("", 2), ("speedup", 3), ("verdicts", len(COUNTED))],
        notes=[library_note(peers)] if peers else [],
    )
    return [table]


VIEWS = per_problem("speedup", speedups, this_run=True)
