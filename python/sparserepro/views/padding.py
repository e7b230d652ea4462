"""What padding costs ELLPACK, on the matrices that were read here."""

from __future__ import annotations

from sparserepro.data.frames import (
    Cell,
    Report,
)
from sparserepro.render.latex import code, escape, integer, scientific, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value, names
from sparserepro.views.captions import (
    ACROSS,
    Gaps,
    across_mark,
    provenance,
)
from sparserepro.views.sections import headline_k
from sparserepro.views.view import View


def padding(report: Report) -> list[Table]:
    """What padding costs ELLPACK: slots and bytes, and the time where both forms were measured."""
    body: list[list[Value]] = []
    gaps = Gaps()
    present = [f for f in report.matrices.values() if f.get("padding_factor") is not None]
    machine = next(iter(report.machines), "")
    k = headline_k(report, machine)
    rows = {r.matrix: r for r in report.rows(machine, "spmm", k=k)} if k else {}
    used: list[Cell] = []
    for facts in sorted(present, key=lambda f: (-f["padding_factor"], f["name"])):
        slots = facts["padding_factor"] * facts["stored"]
        ratio: Value = gaps.skipped("not in the measured grid")
        if facts["name"] in rows:
            row = rows[facts["name"]]
            padded = report.best(row, "omp_ellpack")
            bare = report.best(row, "omp_ellpack_no_padding")
            if padded and bare and padded.ok and bare.ok:
                both = (padded, bare)
                value = significant(padded.seconds / bare.seconds)
                ratio = Number(value, mark=across_mark(*both), sources=both)
                used += both
            elif padded and not padded.ok:
                ratio = gaps.of(padded)
        body.append(
            [
                Text(code(facts["name"])),
                Text(escape(facts.get("class") or "")),
                Number(significant(facts["row_length"]["mean"])),
                Text(integer(facts["row_length"]["max"])),
                Text(scientific(facts["padding_factor"], 3)),
                Text(scientific(slots * 12 / 1e6, 3)),
                ratio,
            ]
        )
    if not body:
        return []
    return [
        Table(
            label="tab:padding",
            title="Padding of ELLPACK",
            caption="Padding of ELLPACK: slots over stored entries, and the memory of the padded "
            r"arrays (12 bytes a slot); last, the time of \code{omp\_ellpack} over that of "
            rf"\code{{omp\_ellpack\_no\_padding}}{f' at K = {k}' if k else ''}. {provenance(used)}",
            columns=[
                names("matrix", (line[0] for line in body)),
                Column("class", "l"),
                Column(r"mean row"),
                Column(r"longest row", "r"),
                Column("factor", "r"),
                Column(r"\unit{\mega\byte}", "r"),
                Column("time ratio"),
            ],
            body=body,
            notes=gaps.notes() + ([f"{ACROSS}."] if any(map(is_across, body)) else []),
        )
    ]


def is_across(line: list[Value]) -> bool:
    return any(isinstance(cell, Number) and cell.mark for cell in line)


VIEWS = (View("padding", "convert", padding),)
