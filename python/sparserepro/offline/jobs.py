"""The jobs of a bundle: which of them are asked for, and the command of each."""

from __future__ import annotations

import argparse
import difflib
import shlex
from pathlib import Path
from typing import Any

from sparserepro.offline.errors import MeasureError

Job = dict[str, Any]


def check_names(jobs: list[Job], options: argparse.Namespace) -> None:
    """Raises MeasureError for a name in the options that no job has."""
    asked = (
        ("--only", options.only, {job["problem"] for job in jobs}),
        ("--matrix", options.matrix, {job["matrix"] for job in jobs}),
        ("--algorithms", options.algorithms, {name for job in jobs for name in job["algorithms"]}),
    )
    wrong = []
    for option, names, known in asked:
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, sorted(known), 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                wrong.append(f"{option}: no job has {name}{hint}")
    if wrong:
        raise MeasureError("\n  ".join(wrong))


def chosen(jobs: list[Job], options: argparse.Namespace) -> list[Job]:
    """The jobs that the options ask for, with no other algorithms than they name."""
    kept = []
    for job in jobs:
        if options.only and job["problem"] not in options.only:
            continue
        if options.part and not job["part"].startswith(options.part):
            continue
        if options.matrix and job["matrix"] not in options.matrix:
            continue
        if options.algorithms:
            names = [n for n in job["algorithms"] if n in options.algorithms]
            if not names:
                continue
            job = dict(job, algorithms=names)
        kept.append(job)
    return kept


def source(job: Job, folders: list[Path]) -> str | None:
    """The driver's source: a spec, a file of the folders, "" for arrays, None for a lost file."""
    if job["files"] is None:
        return job["spec"] or ""
    for folder in folders:
        for name in job["files"]:
            if (folder / name).exists():
                return str(folder / name)
    return None


def absent_matrices(jobs: list[Job], folders: list[Path]) -> dict[str, list[str]]:
    """The matrices that lie in none of the folders, with the names that their files may have."""
    return {job["matrix"]: job["files"] for job in jobs if source(job, folders) is None}


def seen_from(folder: Path, path: Path) -> str:
    """The path from the folder, where it lies in it, else from the root. Records tell the command
    of their driver, which is the same wherever a bundle was unpacked."""
    whole = path.absolute()
    return str(whole.relative_to(folder) if whole.is_relative_to(folder) else whole)


def command(job: Job, found: str, options: argparse.Namespace, record: Path) -> list[str]:
    """To run in `options.bundle`."""
    line = [seen_from(options.bundle, options.build / "bin" / job["problem"])]
    if found:
        name = found if job["files"] is None else seen_from(options.bundle, Path(found))
        line += [name, "--matrix-name", job["matrix"]]
    line += ["--algorithm", ",".join(job["algorithms"]), *job["options"]]
    line += shlex.split(options.driver_options)
    if options.machine_id:
        line += ["--machine-id", options.machine_id]
    return [*line, "--quiet", "--json", seen_from(options.bundle, record)]


def timeout_beside(record: Path) -> Path:
    """The file that says that a job was ended by its limit, and is not run again."""
    return record.with_suffix(".timeout")


def timed_out(job: Job, folders: list[Path]) -> bool:
    return any(timeout_beside(folder / job["output"]).exists() for folder in folders)


def finished(job: Job, folders: list[Path]) -> Path | None:
    """The job's records in the first of the folders that has them, or None."""
    return next((f / job["output"] for f in folders if (f / job["output"]).exists()), None)
