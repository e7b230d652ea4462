"""Records with given samples, and a report of them, for results that are worked out by hand."""

import json
import random
from pathlib import Path
from typing import Any

import report_fixture_catalogue
import report_fixture_matrices
import report_fixtures
import tabled
from sparserepro.data import deciding, frames, loading
from sparserepro.views import sections


def record(
    problem: str,
    algorithm: str,
    kernel_s: list[float],
    *,
    backend: str = "omp",
    library: str | None = None,
    parameters: dict[str, Any] | None = None,
    matrix: str = "m",
    run: str = "first",
    repeat: int = 0,
    machine: str = "gpu-box",
    preprocess_s: list[float] | tuple[()] = (),
    **others: Any,
) -> dict[str, Any]:
    """A valid record; `others` replace values, named as in timing__cache."""
    facts = report_fixture_matrices.matrix_facts(1, random.Random(1)) | {
        "name": matrix, "rows": 10, "cols": 10, "stored": 100, "nnz": 80, "padding_factor": 1.0,
    }  # fmt: skip
    entry = (algorithm, backend, library is not None, 1.0)
    threads = {"threads": 16} if backend == "omp" else {}
    made = report_fixtures.record(
        problem, entry, facts, {}, threads | (parameters or {}), machine, random.Random(1)
    )
    made["library"] = library
    made["run"] = {"id": run, "repeat": repeat}
    made["timing"] |= {"kernel_s": kernel_s, "preprocess_s": list(preprocess_s)}
    for key, value in others.items():
        *path, last = key.split("__")
        at = made
        for part in path:
            at = at[part]
        at[last] = value
    return made


def files(folder: Path, *records: dict[str, Any]) -> tuple[Path, list[Path], list[Path]]:
    """Written as the scripts read them, with the catalogues of the made-up algorithms."""
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    books = []
    for problem in dict.fromkeys(r["problem"] for r in records):
        books.append(folder / f"{problem}.json")
        books[-1].write_text(json.dumps(report_fixture_catalogue.catalogue(problem, has_gpu=True)))
    return path, [], books


def loaded(folder: Path, *records: dict[str, Any]) -> deciding.Undecided:
    """What the table of cells is made of."""
    return loading.load(*files(folder, *records))


def report(folder: Path, *records: dict[str, Any]) -> frames.Report:
    """What tables, figures and text are made of."""
    return tabled.report(*files(folder, *records))


def part_of(folder: Path, problem: str, *records: dict[str, Any]) -> sections.Section | None:
    """What one problem's part of a report is made of."""
    return sections.section(report(folder, *records), "gpu-box", problem)


def constant(problem: str, name: str, seconds: float, **others: Any) -> dict[str, Any]:
    """A record whose samples are all the same."""
    return record(problem, name, [seconds] * 12, **others)


OLD, NEW = "cuSPARSE 12.6.3", "cuSPARSE 12.9.4"


def only_row(report):
    (row,) = {cell.row for cell in report.cells}
    return row


def around(middle, step=0.0):
    """Ten samples whose middle two are `middle`, with steps to both sides."""
    return [middle + step * k for k in (-4, -3, -2, -1, 0, 0, 1, 2, 3, 4)]


def cusparse(seconds, library=NEW, preprocess=0.0, **parameters):
    return record(
        "spmm", "cusparse_csr", [seconds] * 12, backend="cuda", library=library,
        parameters={"k": 8} | parameters, preprocess_s=[preprocess] * 12 if preprocess else [],
    )  # fmt: skip


def own(seconds, preprocess=0.0):
    return record(
        "spmm", "cuda_csr_scalar_v3", [seconds] * 12, backend="cuda", parameters={"k": 8},
        preprocess_s=[preprocess] * 12 if preprocess else [],
    )  # fmt: skip
