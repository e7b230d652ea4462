"""SpMM with A^T and in other types than fp64: own kernels beside libraries, a row an instance."""

from __future__ import annotations

from sparserepro.data.comparisons import Pair
from sparserepro.data.frames import SIDES, Cell, Report, Row, fastest
from sparserepro.render.latex import code, significant
from sparserepro.render.tabular import Column, Number, Table, Text, Value
from sparserepro.views.captions import VERDICTS, Gaps, across_notes, provenance, ratio_mark
from sparserepro.views.view import View


def forms(report: Report) -> list[Table]:
    return [table for m in report.machines for table in forms_of(report, m)]


def forms_of(report: Report, machine: str) -> list[Table]:
    gaps = Gaps()
    used: list[Cell] = []
    ratios = []
    body: list[list[Value]] = []
    for row in report.other_products(machine):
        for side in SIDES:
            own = fastest(report.rivals(row, side, peer=False))
            libraries = report.rivals(row, side, peer=True)
            peer = fastest(libraries)
            if own is None and peer is None:
                continue
            line = [*names_of(row), Text(side)]
            line += [*time_of(own, gaps, used), *time_of(peer, gaps, used)]
            if own is not None and peer is not None:
                pair = Pair(report, row, own.algorithm, tuple(libraries))
                ratios.append(pair.ratio)
                mark = ratio_mark(pair.ratio)
                line.append(Number(significant(pair.ratio.value), mark=mark, sources=pair.cells()))
            else:
                line.append(gaps.skipped("no time of one of the two"))
            body.append(line)
    if not body:
        return []
    return [
        Table(
            label=f"tab:spmm-forms-{machine}",
            title=f"SpMM on {code(machine)}: products with the transpose and in other types",
            caption=r"SpMM with $A^{\mathsf T}$ (\code{op=transpose}), $A$ in CSR, and in other "
            r"types than fp64: ms of one execution of the fastest own algorithm and of the fastest "
            r"setting of all libraries, without preparation, and the library's time over ours. "
            r"\code{cusparse\_csr\_kept} multiplies by an $A^{\mathsf T}$ that was made before and "
            r"kept; the bits of \code{cusparse\_csr} may differ from run to run. "
            f"{VERDICTS}. {provenance(used)}",
            columns=[
                Column("matrix", "l"),
                Column("$K$"),
                Column("op", "l"),
                Column("type", "l"),
                Column("side", "l"),
                Column("own", "l"),
                Column("ms"),
                Column("library", "l"),
                Column("ms"),
                Column("ratio"),
            ],
            body=body,
            notes=gaps.notes() + across_notes(report, machine, "spmm", ratios),
        )
    ]


def names_of(row: Row) -> list[Value]:
    return [
        Text(code(row.matrix)),
        Text(str(row.value("k"))),
        Text(str(row.value("op") or "none")),
        Text(str(row.value("value_type") or "fp64")),
    ]


def time_of(cell: Cell | None, gaps: Gaps, used: list[Cell]) -> list[Value]:
    """Name and milliseconds."""
    if cell is None:
        return [Text(""), gaps.skipped("no time")]
    used.append(cell)
    return [Text(code(cell.algorithm)), Number(significant(cell.seconds * 1e3), sources=(cell,))]


VIEWS = (View("spmm-forms", "spmm", forms),)
