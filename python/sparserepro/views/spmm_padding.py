"""Padding of ELLPACK on the SpMM seed's matrices: by its own histograms, and as measured here."""

from __future__ import annotations

from sparserepro.data import published
from sparserepro.data.frames import Report
from sparserepro.render.latex import code, integer, scientific, significant
from sparserepro.render.tabular import Column, Table, Text, Value
from sparserepro.views.captions import Gaps
from sparserepro.views.view import View

SLOT_BYTES = 12
"""A 32-bit column and a double."""


def times(factor: float) -> str:
    return integer(round(factor)) if factor >= 100 else significant(factor)


def padding_published(report: Report) -> list[Table]:
    """The largest factor first."""
    gaps = Gaps()
    body: list[tuple[float, list[Value]]] = []
    for line in published.read("spmm-padding"):
        rows, stored, longest = (int(line[name]) for name in ("rows", "stored", "longest"))
        factor = rows * longest / stored
        found = report.matrices.get(line["matrix"], {}).get("padding_factor")
        missing = "the matrix was not read here"
        here: Value = Text(times(found)) if found else gaps.skipped(missing)
        body.append(
            (
                factor,
                [
                    Text(code(line["matrix"])),
                    Text(integer(rows)),
                    Text(integer(stored)),
                    Text(integer(longest)),
                    Text(times(factor)),
                    Text(scientific(rows * longest * SLOT_BYTES / 1e6, 3)),
                    here,
                ],
            )
        )
    return [
        Table(
            label="tab:padding-published",
            title="Padding of ELLPACK on the seed's matrices",
            caption=r"Padding of ELLPACK on the SpMM seed's matrices \cite{capotombolo2023}, from "
            "the histograms in its repository: slots over stored entries, and the size of the "
            f"padded arrays ({SLOT_BYTES} bytes a slot); last, the factor of the matrix as it was "
            "read here.",
            columns=[
                Column("matrix", "l"),
                Column("rows", "r"),
                Column("stored", "r"),
                Column("longest row", "r"),
                Column("factor", "r"),
                Column(r"\unit{\mega\byte}", "r"),
                Column("factor here", "r"),
            ],
            body=[row for _, row in sorted(body, key=lambda pair: -pair[0])],
            notes=gaps.notes(),
        )
    ]


VIEWS = (View("padding-published", "convert", padding_published),)
