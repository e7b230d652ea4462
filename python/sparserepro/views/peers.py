"""This project's best algorithm beside the best library, row by row, losses included."""

from __future__ import annotations

from functools import partial

from sparserepro.data.calls import CALLS, heading
from sparserepro.data.comparisons import Pair, compared
from sparserepro.data.frames import PROBLEM_TITLES, SIDES, Cell, Report, Row
from sparserepro.data.libraries import marked, notes, over
from sparserepro.data.rows import PROBLEMS
from sparserepro.render.latex import code, listing, significant
from sparserepro.render.tabular import CROWDED, Column, Number, Table, Text, Value, names
from sparserepro.stats import geometric_mean
from sparserepro.views.captions import (
    VERDICTS,
    Gaps,
    across_notes,
    instance_columns,
    instance_text,
    provenance,
    ratio_mark,
    row_label,
)
from sparserepro.views.pairs import calls_text, chosen_words, mean_speedup, missing_words
from sparserepro.views.sections import unit_of
from sparserepro.views.view import View

PAYS = (
    r"pays from: the calls from which ours takes less than the best library setting and stays "
    "ahead, or those between which it does, preparations counted on both sides"
)


def against_peers(report: Report, problem: str) -> list[Table]:
    return [
        peer_table(report, machine, problem, side, pairs)
        for machine in report.machines
        for side in SIDES
        if (pairs := compared(report, machine, problem, side))
    ]


def other_calls(pairs: list[Pair]) -> list[float]:
    """The numbers of calls that need columns beside the headline: none where nothing prepares."""
    if not any(pair.prepares for pair in pairs):
        return []
    headline = pairs[0].own().headline_calls
    return [calls for calls in reversed(CALLS) if calls != headline]


def peer_table(report: Report, machine: str, problem: str, side: str, pairs: list[Pair]) -> Table:
    arrays = problem == "primitives"
    rows = [pair.row for pair in pairs]
    extra = instance_columns(rows, always=arrays)
    cells = [(pair.own(), pair.peer()) for pair in pairs]
    scale, unit = unit_of([own.seconds for own, _ in cells])
    calls = other_calls(pairs)
    gaps = Gaps()
    body: list[list[Value]] = []
    ratios = [pair.ratio for pair in pairs]
    for pair, (own, peer), ratio in zip(pairs, cells, ratios, strict=True):
        last: list[Value] = [share(own, gaps), workspace(own, gaps)]
        if calls:
            last = [Number(significant(pair.speedup(n)), sources=pair.cells(n)) for n in calls]
            last.append(Text(calls_text(pair.break_even), pair.every))
        body.append(
            [
                *row_label(pair.row, extra),
                Number(significant(scale * own.seconds), sources=(own,)),
                Number(significant(scale * peer.seconds), sources=(peer,)),
                Text(marked(peer), (peer,)),
                Number(significant(ratio.value), mark=ratio_mark(ratio), sources=(peer, own)),
                *last,
            ]
        )
    body.append(mean_row(pairs, len(row_label(rows[0], extra)), calls))
    lost = sum(ratio.value < 1 for ratio in ratios)
    shared = instance_text(rows)
    below = f"below 1 on {lost} of {len(ratios)} rows{missing_words(pairs, side)}"
    headline = heading(pairs[0].own().headline_calls)
    ends = (
        f"the library's time over ours, preparations counted, for {headline} calls ({below}) "
        f"and for {listing([*map(heading, calls)])}, with the best library setting for each "
        f"number and verdicts for the first; {PAYS}"
        if calls
        else f"the library's time over ours ({below}); our share of the copy bound; and our "
        "workspace in bytes per entry"
    )
    peers = [peer for _, peer in cells]
    return Table(
        label=f"tab:{problem}-peers-{side}-{machine}",
        title=f"{PROBLEM_TITLES[problem]} on {code(machine)}: ours and libraries, {side}",
        caption=f"{PROBLEM_TITLES[problem]}: {chosen_words(pairs)}, over the fastest library of "
        rf"each row ({over(peers) or 'version not recorded'}), both in \unit{{{unit}}} and at "
        f"their fastest parameters; {ends}. {VERDICTS}. {f'All with {shared}.' if shared else ''} "
        f"{provenance([c for pair in cells for c in pair])}",
        columns=[
            *([] if arrays else [names("matrix", (line[0] for line in body), unbroken=CROWDED)]),
            *[Column(code(n), "S" if numeric(rows, n) else "l") for n in extra],
            Column("ours"),
            Column("library"),
            Column("which", "l"),
            *(
                [Column(headline), *[Column(heading(n)) for n in calls], Column("pays from", "r")]
                if calls
                else [
                    Column("ratio"),
                    Column(r"bound (\unit{\percent})"),
                    Column(r"\unit{\byte\per entry}"),
                ]
            ),
        ],
        body=body,
        notes=gaps.notes() + notes(peers) + across_notes(report, machine, problem, ratios),
        groups=[("", len(body[0]) - 2 - len(calls)), ("ratio, by calls", 1 + len(calls)), ("", 1)]
        if calls
        else [],
        foot_rows=1,
    )


def mean_row(pairs: list[Pair], lead: int, calls: list[float]) -> list[Value]:
    """Geometric means of the ratios, under their columns."""
    mean = Number(
        significant(geometric_mean([pair.ratio.value for pair in pairs])),
        sources=tuple(cell for pair in pairs for cell in pair.cells()),
    )
    others: list[Value] = [mean_speedup(pairs, n) for n in calls]
    ends: list[Value] = [Text("")] * (1 if calls else 2)
    return [Text("geometric mean"), *[Text("")] * (lead + 2), mean, *others, *ends]


def numeric(rows: list[Row], name: str) -> bool:
    return all(isinstance(row.value(name), int) for row in rows)


def share(cell: Cell, gaps: Gaps) -> Value:
    if cell.fraction_of_bound is None:
        return gaps.skipped("no bound is known")
    return Number(significant(100 * cell.fraction_of_bound), sources=(cell,))


def workspace(cell: Cell, gaps: Gaps) -> Value:
    if cell.workspace is None:
        return gaps.skipped("no workspace is recorded")
    return Number(significant(cell.workspace), sources=(cell,))


VIEWS = tuple(
    View(f"{problem}-peers", problem, partial(against_peers, problem=problem))
    for problem in PROBLEMS
)
