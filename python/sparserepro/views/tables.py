"""Writes every generated table, one file a table key, and the labels behind each key.

A key such as `transpose-times` may hold several tables (one a machine, parts of wide ones); a key
without data gives an empty file. `refs.tex` defines the labels of each key that has any, for
\\floatref and \\ifthere in report.tex. `trace.json` says from which records each figure comes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sparserepro.data import traces
from sparserepro.data.frames import PROBLEMS, Report
from sparserepro.data.reading import add_arguments, read_arguments
from sparserepro.render.latex import Table, render_table
from sparserepro.views import appendix as tables_appendix
from sparserepro.views import calls as tables_calls
from sparserepro.views import checks as tables_checks
from sparserepro.views import classes as tables_classes
from sparserepro.views import library as tables_library
from sparserepro.views import machines as tables_machines
from sparserepro.views import measured as tables_measured
from sparserepro.views import peers as tables_peers
from sparserepro.views import published as tables_published
from sparserepro.views import published_transpose as tables_published_transpose
from sparserepro.views import setup as tables_setup
from sparserepro.views import special as tables_special
from sparserepro.views import spmm_cuda as tables_spmm_cuda
from sparserepro.views import spmm_padding as tables_spmm_padding
from sparserepro.views import triangles as tables_triangles
from sparserepro.views.sections import section

KINDS = tables_measured.KINDS | tables_checks.KINDS
Maker = Callable[[Report], list[Table]]

MAKERS: dict[str, Maker] = {
    "machines": tables_machines.machines,
    "matrices": tables_setup.matrices,
    "sources": tables_setup.sources,
    "unavailable": tables_setup.unavailable,
    "transpose-published-times": tables_published_transpose.transpose_times,
    "transpose-published-speedups": tables_published_transpose.transpose_speedups,
    "primitives-block-size": tables_published.block_sizes,
    "spmm-published": tables_published.spmm_gflops,
    "triangles-published": tables_published.triangle_times,
    "spmm-k": tables_special.k_sweep,
    "spmm-ranking": tables_spmm_cuda.ranking,
    "spmm-cusparse": tables_spmm_cuda.own_against_cusparse,
    "padding": tables_special.padding,
    "padding-published": tables_spmm_padding.padding_published,
    "triangles-counts": tables_special.triangle_counts,
    "triangles-datasets": tables_triangles.datasets,
    "skipped": lambda report: tables_appendix.skipped(report.of_this_run()),
    "samples": tables_appendix.samples,
    "runs": tables_appendix.runs,
}


OF_THIS_RUN = {"speedup", "rate", "end-to-end", "errors", "parameters"}
"""Kinds that machines of sets have only in a report of sets alone: they are for comparison."""


def measured(report: Report, problem: str, kind: str) -> list[Table]:
    shown = report.of_this_run() if kind in OF_THIS_RUN else report
    parts = (section(shown, machine, problem) for machine in shown.machines)
    return [table for part in parts if part for table in KINDS[kind](part)]


def classes(report: Report, problem: str) -> list[Table]:
    return tables_classes.classes(report.of_this_run(), problem)


def makers() -> dict[str, Maker]:
    every = dict(MAKERS)
    for problem in tables_classes.PROBLEMS:
        every[f"{problem}-classes"] = partial(classes, problem=problem)
    for problem in tables_measured.CALLS_TABLES:
        every[f"{problem}-calls"] = partial(tables_calls.by_calls, problem=problem)
    for problem in PROBLEMS:
        every[f"{problem}-library-gain"] = partial(tables_library.gains, problem=problem)
        every[f"{problem}-algorithms"] = partial(tables_setup.algorithms, problem=problem)
        for kind in KINDS:
            every[f"{problem}-{kind}"] = partial(measured, problem=problem, kind=kind)
        every[f"{problem}-peers"] = partial(tables_peers.against_peers, problem=problem)
    return every


def references(labels: dict[str, list[str]]) -> str:
    """\\defref lines for the keys that have labels."""
    return "".join(
        rf"\defref{{{key}}}{{{','.join(found)}}}" + "\n" for key, found in labels.items() if found
    )


def write(report: Report, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    labels: dict[str, list[str]] = {}
    ledger = traces.Ledger()
    traced: dict[str, traces.Traced] = {}
    for key, maker in makers().items():
        made = maker(report)
        labels[key] = [table.label for table in made]
        traced |= {table.label: traces.of_table(table, ledger) for table in made}
        text = "\n".join(render_table(table) for table in made)
        (out / f"{key}.tex").write_text(text or "% no data\n")
    (out / "refs.tex").write_text(references(labels))
    traces.write(out, traced, ledger)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for the .tex files")
    args = parser.parse_args()
    write(read_arguments(args), args.out)


if __name__ == "__main__":
    main()
