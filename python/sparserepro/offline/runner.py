"""Runs jobs one after the other, says how long it will take, and goes on where it was ended.

Each job is one driver process, which measures its cells side by side and writes one file of
records. A job whose file has all its algorithms is not run again. One that takes longer than the
limit of the configuration (job_limit_s) is ended: NAME.timeout says so, until it is deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from sparserepro.offline.driver import describe, run_driver, with_libraries
from sparserepro.offline.jobs import (
    Job,
    absent_matrices,
    command,
    finished,
    source,
    timed_out,
    timeout_beside,
)
from sparserepro.offline.matrices import differences
from sparserepro.offline.measured import asked, keep, unmeasured
from sparserepro.offline.reading import lines_of


@dataclass
class Outcome:
    """The jobs that have no records, by the names of their files."""

    failed: dict[str, str] = field(default_factory=dict)
    """With the last thing that the driver said."""
    left: list[str] = field(default_factory=list)
    """For want of time."""
    missing: list[str] = field(default_factory=list)
    """For want of the matrix."""
    ended: list[str] = field(default_factory=list)
    """By the limit of a job."""

    def reasons(self) -> dict[str, str]:
        return {
            **{name: f"failed: {said}" for name, said in self.failed.items()},
            **dict.fromkeys(self.left, "no time was left"),
            **dict.fromkeys(self.missing, "its matrix is not there"),
            **dict.fromkeys(self.ended, "timeout: it was ended by job_limit_s"),
        }

    def lines(self) -> list[str]:
        told = (
            ("failed", list(self.failed)),
            ("left", self.left),
            ("without its matrix", self.missing),
            ("ended by job_limit_s (to try again delete NAME.timeout)", self.ended),
        )
        return [f"{len(names)} {what}: {', '.join(names)}" for what, names in told if names]

    def code(self) -> int:
        return 1 if self.failed else 2 if self.left else 0


def duration(seconds: float) -> str:
    """In words: "40 s", "12 min", "2.5 h"."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5970 else f"{seconds / 3600:.1f} h"


class Forecast:
    """How long jobs take: what is expected of them, corrected by what the others took."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._expected = 0.0

    def add(self, job: Job, seconds: float) -> None:
        self._spent += seconds
        self._expected += job["expected_s"]

    def seconds(self, *jobs: Job) -> float:
        scale = self._spent / self._expected if self._expected > 30 else 1.0
        return scale * float(sum(job["expected_s"] for job in jobs))


@dataclass(frozen=True)
class Limit:
    """Seconds that a driver may take: what is left of the call's, and those of a job."""

    of_call: float | None
    of_job: float

    @property
    def is_of_job(self) -> bool:
        return self.of_call is None or self.of_job < self.of_call

    @property
    def seconds(self) -> float:
        return self.of_job if self.of_call is None else min(self.of_job, self.of_call)


def run(jobs: list[Job], options: argparse.Namespace, begin: float) -> Outcome:
    """Runs the jobs that have no records yet; `begin` is when the time of --limit-s began."""
    folders = [options.out, *options.done]
    waiting = [more for job in jobs if (more := unmeasured(job, folders)) is not None]
    print(f"{len(jobs)} jobs, {len(jobs) - len(waiting)} of them already done")
    ended = [job["output"] for job in waiting if timed_out(job, folders)]
    waiting = [job for job in waiting if job["output"] not in ended]
    absent = absent_matrices(waiting, options.matrices)
    for matrix, names in absent.items():
        print(f"  {matrix} is missing; name a folder with {' or '.join(names[:2])} by --matrices")
    forecast = Forecast()
    outcome = Outcome(
        missing=[job["output"] for job in waiting if job["matrix"] in absent], ended=ended
    )
    waiting = [job for job in waiting if job["matrix"] not in absent]
    for number, job in enumerate(waiting, start=1):
        name = job["output"]
        remaining = None
        if options.limit_s is not None:
            remaining = options.limit_s - (time.monotonic() - begin)
        if remaining is not None and forecast.seconds(job) > remaining:
            outcome.left.append(name)
            continue
        rest = duration(forecast.seconds(*waiting[number - 1 :]))
        print(f"[{number} of {len(waiting)}] {name}: about {rest} left", flush=True)
        record = options.out / name
        line = command(
            job, source(job, options.matrices) or "", options, record.with_suffix(".part")
        )
        if options.dry_run:
            print(f"  cd {options.bundle}; " + " ".join(line))
            continue
        start = time.monotonic()
        limit = Limit(remaining, job["limit_s"])
        if _measured(job, line, record, options, limit, outcome):
            forecast.add(job, time.monotonic() - start)
    return outcome


def _measured(
    job: Job,
    line: list[str],
    record: Path,
    options: argparse.Namespace,
    limit: Limit,
    outcome: Outcome,
) -> bool:
    """Runs one driver; whether its records are there."""
    name = record.relative_to(options.out).as_posix()
    partial, log = record.with_suffix(".part"), record.with_suffix(".log")
    variables = with_libraries(dict(os.environ), options.library_path)
    start = time.monotonic()
    try:
        code = run_driver(line, options.bundle, variables, log, limit.seconds)
        if code == 0 and partial.exists() and (wrong := _of_another_matrix(job, partial)):
            outcome.failed[name] = wrong
            print(f"  FAILED: {wrong}", flush=True)
            return False
        if code == 0 and partial.exists():
            keep(partial, record, asked(job, options))
            count = len(lines_of(record.read_text(encoding="utf-8")))
            print(f"  {time.monotonic() - start:.1f} s, {count} records", flush=True)
            return True
    finally:
        if partial.exists():
            partial.unlink()
    if code is None and limit.is_of_job:
        timeout_beside(record).write_text(f"ended after {limit.of_job:g} s (job_limit_s)\n")
        outcome.ended.append(name)
        print(f"  TIMEOUT: ended after {limit.of_job:g} s (job_limit_s)", flush=True)
    elif code is None:
        outcome.left.append(name)
    else:
        said = log.read_text(errors="replace").splitlines()[-1]
        outcome.failed[name] = f"{said} (exit code {code})"
        print(f"  FAILED with exit code {code}: {said}", flush=True)
    return False


def _of_another_matrix(job: Job, records: Path) -> str:
    """How the matrix of the records differs from the one of that name in the list; empty where it
    does not."""
    found: dict[str, None] = {}
    for line in lines_of(records.read_text(encoding="utf-8")):
        matrix = json.loads(line)["matrix"]
        found.update(dict.fromkeys(differences(matrix, job["listed"] or {})))
    return f"not the matrix {job['matrix']}: {'; '.join(found)}" if found else ""


def describe_all(jobs: list[Job], options: argparse.Namespace) -> Outcome:
    """Writes the catalogues of the drivers and the facts of the matrices of finished jobs."""
    variables = with_libraries(dict(os.environ), options.library_path)
    measured = [job for job in jobs if finished(job, [options.out, *options.done])]
    outcome = Outcome()
    for problem in dict.fromkeys(job["problem"] for job in measured):
        line = [str(options.build / "bin" / problem), "--list"]
        if not describe(line, options.out / "catalogue" / f"{problem}.json", variables):
            outcome.failed[f"catalogue of {problem}"] = "see above"
    for job in {job["matrix"]: job for job in measured}.values():
        found = source(job, options.matrices)
        if found:
            info = str(options.build / "bin" / "matrix_info")
            line = [info, found, "--matrix-name", job["matrix"]]
            if not describe(line, options.out / "matrices" / f"{job['matrix']}.json", variables):
                outcome.failed[f"facts of {job['matrix']}"] = "see above"
    return outcome
