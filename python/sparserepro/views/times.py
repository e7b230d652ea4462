"""Times of all algorithms on all instances, with speedups, rates and shares of the bounds."""

from __future__ import annotations

from sparserepro.render.tabular import Table
from sparserepro.views.captions import across_notes
from sparserepro.views.grouped import grouped
from sparserepro.views.measured import compared, rate, second_bound, share_of_bound, speedup, time
from sparserepro.views.sections import Section
from sparserepro.views.view import per_problem


def times(part: Section) -> list[Table]:
    found = (time(part), speedup(part), rate(part), share_of_bound(part), second_bound(part))
    title = "times, speedups, and shares of the bounds"
    table = grouped(part, "times", title, [quantity for quantity in found if quantity])
    ratios = [part.report.speedup(row, name) for row in part.rows for name in compared(part)]
    table.notes += across_notes(part.report, part.machine, part.problem, ratios)
    table.notes += filter(None, [part.left_out()])
    return [table]


VIEWS = per_problem("times", times)
