#!/usr/bin/env python3
"""Runs exported driver jobs on a machine without Snakemake; Python 3.9 or newer and nothing else.

Beside this file lies jobs.json, as `export_jobs.py` writes it. Each job is one driver process,
which measures its cells side by side and writes one file of records. A job whose file exists is not
run again, so that the same command goes on where it was interrupted. With --facts the catalogues of
the drivers and the facts of the matrices, which an archive needs, are written beside the records.

Exit code: 0 when all is there but jobs whose matrices are missing, 1 when a driver failed or is not
built, 2 when jobs are left for want of time.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Job = dict[str, Any]

# Threads stay on their cores, next to one another: the least noise that OpenMP offers.
_OPENMP = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores", "OMP_DYNAMIC": "false"}
_EXPORTED_THREADS = (
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def driver_environment(environment: dict[str, str]) -> dict[str, str]:
    """Without thread counts and OpenMP settings of whoever started us, with our own."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("OMP_", "GOMP_", "KMP_")) and name not in _EXPORTED_THREADS
    }
    kept.update(_OPENMP)
    return kept


def words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


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


def source(job: Job, folder: Path | None) -> str | None:
    """The driver's source: a spec, a file of `folder`, "" for arrays, None for a missing file."""
    if job["files"] is None:
        return job["spec"] or ""
    for name in job["files"]:
        if folder is not None and (folder / name).exists():
            return str(folder / name)
    return None


def command(job: Job, found: str, options: argparse.Namespace, record: Path) -> list[str]:
    line = [str(options.build / "bin" / job["problem"])]
    if found:
        line += [found, "--matrix-name", job["matrix"]]
    line += ["--algorithm", ",".join(job["algorithms"]), *job["options"]]
    line += shlex.split(options.driver_options)
    if options.machine_id:
        line += ["--machine-id", options.machine_id]
    return [*line, "--quiet", "--json", str(record)]


def environment(options: argparse.Namespace) -> dict[str, str]:
    variables = driver_environment(dict(os.environ))
    if options.library_path:
        paths = [*options.library_path, variables.get("LD_LIBRARY_PATH", "")]
        variables["LD_LIBRARY_PATH"] = ":".join(path for path in paths if path)
    return variables


def run_driver(
    line: list[str], variables: dict[str, str], log: Path, limit: float | None
) -> int | None:
    """The exit code; None when `limit` seconds did not suffice. The log has what was said."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        out.write("$ " + " ".join(line) + "\n")
        out.flush()
        try:
            process = subprocess.Popen(line, stdout=out, stderr=subprocess.STDOUT, env=variables)
        except OSError as error:
            out.write(f"{error}; --build names the build tree\n")
            return 127
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:  # also when we are interrupted: a driver must not go on measuring alone
            if process.poll() is None:
                process.terminate()
                process.wait()


def finished(job: Job, folders: list[Path]) -> Path | None:
    """The job's records in the first of the folders that has them, or None."""
    return next((f / job["output"] for f in folders if (f / job["output"]).exists()), None)


def run(jobs: list[Job], options: argparse.Namespace) -> tuple[list[str], list[str], list[str]]:
    """Runs what is not there yet. Returns what failed, what is left and what has no matrix."""
    folders = [options.out, *options.done]
    waiting = [job for job in jobs if finished(job, folders) is None]
    print(f"{len(jobs)} jobs, {len(jobs) - len(waiting)} of them done before")
    failed: list[str] = []
    left: list[str] = []
    missing: list[str] = []
    begin, spent, expected = time.monotonic(), 0.0, 0.0
    variables = environment(options)
    for number, job in enumerate(waiting, start=1):
        name = job["output"]
        found = source(job, options.matrices)
        if found is None:
            missing.append(name)
            continue
        # What jobs took so far corrects what the others are expected to take.
        scale = spent / expected if expected > 30 else 1.0
        rest = scale * sum(other["expected_s"] for other in waiting[number - 1 :])
        remaining = options.limit_s - (time.monotonic() - begin) if options.limit_s else None
        if remaining is not None and scale * job["expected_s"] > remaining:
            left.append(name)
            continue
        print(f"[{number} of {len(waiting)}] {name}: about {rest:.0f} s left", flush=True)
        record = options.out / name
        record.parent.mkdir(parents=True, exist_ok=True)
        partial = record.with_suffix(".part")
        start = time.monotonic()
        line = command(job, found, options, partial)
        if options.dry_run:
            print("  " + " ".join(line))
            continue
        code = run_driver(line, variables, record.with_suffix(".log"), remaining)
        seconds = time.monotonic() - start
        if code == 0 and partial.exists():
            partial.replace(record)
            spent, expected = spent + seconds, expected + job["expected_s"]
            print(f"  {seconds:.1f} s, {len(record.read_text().splitlines())} records", flush=True)
            continue
        if partial.exists():
            partial.unlink()
        if code is None:
            left.append(name)
            continue
        failed.append(name)
        said = record.with_suffix(".log").read_text().splitlines()
        print(f"  FAILED with {code}: {said[-1]}", flush=True)
    return failed, left, missing


def describe(line: list[str], output: Path, variables: dict[str, str]) -> bool:
    """What a driver or matrix_info says with --json, in `output`; whether it is there."""
    if output.exists():
        return True
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_suffix(".part")
    command = [*line, "--json", str(partial)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    except OSError as error:
        print(f"{line[0]}: {error.strerror}", file=sys.stderr)
        return False
    if done.returncode != 0 or not partial.exists():
        print(done.stderr.strip() or f"{line[0]} wrote nothing", file=sys.stderr)
        return False
    partial.replace(output)
    return True


def describe_all(jobs: list[Job], options: argparse.Namespace) -> list[str]:
    """Writes catalogues and facts of matrices; returns what could not be written."""
    folder, variables = options.out, environment(options)
    lacking = []
    for problem in dict.fromkeys(job["problem"] for job in jobs):
        line = [str(options.build / "bin" / problem), "--list"]
        if not describe(line, folder / "catalogue" / f"{problem}.json", variables):
            lacking.append(f"catalogue of {problem}")
    for job in {job["matrix"]: job for job in jobs}.values():
        found = source(job, options.matrices)
        if found:
            info = str(options.build / "bin" / "matrix_info")
            line = [info, found, "--matrix-name", job["matrix"]]
            if not describe(line, folder / "matrices" / f"{job['matrix']}.json", variables):
                lacking.append(f"facts of {job['matrix']}")
    return lacking


def collect(jobs: list[Job], options: argparse.Namespace) -> None:
    """One file of records for each problem, in the order of the jobs."""
    texts: dict[str, list[str]] = {}
    for job in jobs:
        path = finished(job, [options.out, *options.done])
        if path is not None:
            texts.setdefault(job["problem"], []).append(path.read_text())
    options.collect.mkdir(parents=True, exist_ok=True)
    for problem, parts in texts.items():
        lines = "".join(parts)
        (options.collect / f"{problem}.jsonl").write_text(lines)
        print(f"{options.collect / problem}.jsonl: {len(lines.splitlines())} records")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    beside = Path(__file__).resolve().parent
    parser.add_argument("--jobs", type=Path, default=beside / "jobs.json")
    parser.add_argument("--build", type=Path, default=Path("build"), help="build tree [build]")
    parser.add_argument("--matrices", type=Path, help="folder with the files of the matrices")
    parser.add_argument("--out", type=Path, default=Path("records"), help="records [records]")
    parser.add_argument(
        "--done", type=Path, action="append", default=[], help="folder with records of earlier runs"
    )
    parser.add_argument("--collect", type=Path, help="at the end, a file for each problem in here")
    parser.add_argument("--only", type=words, default=[], help="problems, with commas")
    parser.add_argument("--part", default="", help="beginning of the names of parts: device, host")
    parser.add_argument("--matrix", type=words, default=[], help="ids of matrices, with commas")
    parser.add_argument("--algorithms", type=words, default=[], help="no others, with commas")
    parser.add_argument("--machine-id", help="name of this machine in the records")
    parser.add_argument(
        "--library-path", action="append", default=[], help="before LD_LIBRARY_PATH, for a library"
    )
    parser.add_argument("--driver-options", default="", help="more options of every driver run")
    parser.add_argument("--limit-s", type=float, help="seconds after which no job is begun")
    parser.add_argument(
        "--facts", action="store_true", help="write catalogues and matrices' facts; measure nothing"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the commands alone")
    return parser.parse_args()


def say(failed: list[str], left: list[str], missing: list[str]) -> int:
    """Names what is not there; the exit code."""
    for what, names in (("failed", failed), ("left", left), ("without its matrix", missing)):
        if names:
            print(f"{len(names)} {what}: {', '.join(names)}")
    return 1 if failed else 2 if left else 0


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, interrupted)
    jobs = chosen(json.loads(options.jobs.read_text())["jobs"], options)
    if not jobs:
        print("no job is asked for", file=sys.stderr)
        return 1
    try:
        if options.facts:
            return say(describe_all(jobs, options), [], [])
        failed, left, missing = run(jobs, options)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    if options.collect and not options.dry_run:
        collect(jobs, options)
    return say(failed, left, missing)


if __name__ == "__main__":
    sys.exit(main())
