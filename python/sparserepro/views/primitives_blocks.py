"""The transposition seed's times of primitives by block size, beside ours."""

from __future__ import annotations

from sparserepro.data import published
from sparserepro.data.frames import (
    Cell,
    Report,
    fastest,
)
from sparserepro.render.latex import code, integer, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.views.captions import (
    Gaps,
    provenance,
)
from sparserepro.views.published import HERE
from sparserepro.views.view import View

SEED_COLUMNS = ("cuda_splitters", "cuda")
"""The seed's methods by column: big merges between splitters (not along the merge path, which the
seed does not have), and the one method of the other procedures."""


def seeds_own(cells: list[Cell]) -> list[Cell]:
    """The cells of the first of these columns that has any."""
    found = [[c for c in cells if c.algorithm == name] for name in SEED_COLUMNS]
    return next((own for own in found if own), [])


def block_sizes(report: Report) -> list[Table]:
    """Figures 7, 9, 11 and 13: time by block size, printed and ours."""
    body: list[list[Value]] = []
    gaps = Gaps()
    used: list[Cell] = []
    for line in published.read("primitives-block-size"):
        cells = [
            c
            for c in report.select(problem="primitives", ok=True)
            if c.row.value("procedure") == line["procedure"]
            and c.row.value("length") == int(line["length"])
            and dict(c.params).get("block_size") == int(line["block_size"])
            and c.algorithm in SEED_COLUMNS
        ]
        best = fastest(seeds_own(cells))
        if best is not None:
            used.append(best)
        reason = because_no_cuda(report, line["procedure"])
        body.append(
            [
                Text(line["figure"]),
                Text(code(line["procedure"])),
                Text(integer(int(line["length"]))),
                Text(line["block_size"]),
                Number(line["ms"]),
                Number(significant(1e3 * best.seconds), sources=(best,))
                if best
                else gaps.skipped(reason),
            ]
        )
    return [
        Table(
            label="tab:primitives-block-size",
title="Primitives: block sizes of the seed",
            caption="Time in ms by the number of threads in a block: as printed by the seed "
            r"\cite{incudini2020} in its figures 7, 9, 11 and 13 (GeForce GTX 780, with allocation "
            f"and copies), and of the kernel here. {provenance(used)}",
            columns=[
                Column("figure", "l"), Column("procedure", "l"), Column("length", "r"),
                Column("threads", "r"), Column("printed"), Column("measured here"),
            ],
            body=body,
            notes=gaps.notes(),
        )
    ]  # fmt: skip


def because_no_cuda(report: Report, procedure: str) -> str:
    """Why no CUDA algorithm of a primitive has a time here."""
    book = report.catalogues.get("primitives")
    if report.select(problem="primitives", backend="cuda", ok=True):
        return f"{HERE}: not in the measured grid"
    entries = [
        a for a in (book.algorithms if book else ()) if a.backend == "cuda" and procedure in a.name
    ]
    if not entries:
        return f"{HERE}: this build's catalogue has no CUDA algorithm for it"
    return f"{HERE}: {entries[0].unavailable or 'not in the measured grid'}"


VIEWS = (View("primitives-block-size", "primitives", block_sizes),)
