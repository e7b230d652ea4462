"""Measures what this bundle asks for, and packs the results.

It compares the files with their hashes, builds the drivers, runs one job after the other, and
writes results-<machine>.tar.gz, which `sparserepro import` reads where the bundle came from. The
same command goes on where it was interrupted.

Exit code: 0 when all is there but jobs whose matrices are missing or that their limit ended, 1 when
something failed, 2 when jobs are left for want of time.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import os
import re
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import IO, Any, NoReturn

from sparserepro.offline.build import compile_drivers, configure
from sparserepro.offline.errors import MeasureError
from sparserepro.offline.jobs import Job, check_names, chosen, finished, source
from sparserepro.offline.measured import refuse_others
from sparserepro.offline.packing import FORMAT, MANIFEST, differing, sha256_of
from sparserepro.offline.results import machine_to_measure, pack
from sparserepro.offline.runner import Outcome, describe_all, run
from sparserepro.offline.shards import shard


def words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def machine_id(text: str) -> str:
    if not re.fullmatch("[a-z0-9][a-z0-9-]*", text):
        raise argparse.ArgumentTypeError(
            f"{text}: only lower-case letters, digits and - are allowed"
        )
    return text


def seconds(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return value


def driver_options(text: str) -> str:
    try:
        given = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None
    for word in given:
        if word.partition("=")[0] in ("--list", "--help", "--version") or word.startswith("-h"):
            raise argparse.ArgumentTypeError(f"with {word} a driver measures nothing")
    return text


class Parser(argparse.ArgumentParser):
    """Its exit code is 1: 2 tells that jobs are left."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(1, f"{self.prog}: error: {message}\n")


def arguments(bundle: Path, given: list[str] | None) -> argparse.Namespace:
    parser = Parser(
        prog="measure", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--machine-id",
        type=machine_id,
        help="name of this machine in the records, and of the measurement set that they become",
    )
    add(
        "--matrices", type=Path, action="append", default=[],
        help="another folder with matrix files; may be given several times",
    )  # fmt: skip
    add(
        "--cmake", action="append", default=[], metavar="OPTION",
        help="option of CMake, as in --cmake=-DSPARSEREPRO_CUDA=OFF; may be given several times",
    )  # fmt: skip
    add(
        "--shard", type=shard, metavar="N/OF",
        help="measure a part of the jobs, 2/5 the second of five; other calls measure the others",
    )  # fmt: skip
    add("--only", type=words, default=[], help="measure these problems alone; commas separate them")
    add("--part", default="", help="measure the parts alone whose names begin so: device, host")
    add("--matrix", type=words, default=[], help="measure these matrices alone: ids with commas")
    add(
        "--algorithms",
        type=words,
        default=[],
        help="measure these algorithms alone; commas separate them",
    )
    add(
        "--limit-s",
        type=seconds,
        help="seconds that this call may take; jobs that would take longer are left out",
    )
    add("--dry-run", action="store_true", help="print the commands, and run nothing")
    add("--pack", action="store_true", help="measure nothing, and pack the records that there are")
    add(
        "--library-path", action="append", default=[], metavar="FOLDER",
        help="folder put before LD_LIBRARY_PATH, to measure another version of a library",
    )  # fmt: skip
    add("--driver-options", type=driver_options, default="", help="more options for every driver")
    add("--out", type=Path, help="folder of the records [records, or shard-N-of-OF]")
    add(
        "--done", type=Path, action="append", default=[],
        help="folder with records of earlier calls, which are not measured again",
    )  # fmt: skip
    add("--results", type=Path, help="file to write [results-<machine>.tar.gz]")
    add("--build", type=Path, default=bundle / "build", help="build tree [build]")
    add("--no-build", action="store_true", help="use the drivers that are in the build tree")
    add(
        "--parallel",
        type=int,
        default=len(os.sched_getaffinity(0)),
        help="number of compilations at once",
    )
    add(
        "--no-verify",
        action="store_true",
        help="do not compare the files of the bundle with their hashes",
    )
    options = parser.parse_args(given)
    options.bundle = bundle.absolute()
    options.matrices.append(bundle / "matrices")
    if options.out is None:
        options.out = options.shard.folder(bundle) if options.shard else bundle / "records"
    return options


def verify(bundle: Path, manifest: dict[str, Any]) -> None:
    """Raises MeasureError."""
    wrong = differing(bundle, manifest["files"])
    if wrong:
        more = [f"  and {len(wrong) - 10} more"] if len(wrong) > 10 else []
        lines = "\n".join([*(f"  {line}" for line in wrong[:10]), *more])
        raise MeasureError(
            f"files of the bundle differ from the exported ones:\n{lines}\nUnpack it again. With "
            "--no-verify it goes on; its records name the change, and no set takes them."
        )


def lock(folder: Path, wait: bool = False) -> IO[str]:
    """Keeps a second call out while the file is open. Raises MeasureError, unless it is to wait."""
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / ".lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise MeasureError(f"another ./measure writes to {folder}") from None
    return file


def measure(bundle: Path, options: argparse.Namespace, begin: float) -> int:
    manifest = json.loads((bundle / MANIFEST).read_text())
    if manifest["format"] != FORMAT:
        raise MeasureError(f"the manifest has format {manifest['format']}; {FORMAT} is needed")
    print(f"{manifest['name']}: {manifest['configuration']} at commit {manifest['commit'][:10]}")
    if not options.no_verify:
        verify(bundle, manifest)
    every: list[Job] = json.loads((bundle / "jobs/jobs.json").read_text())["jobs"]
    check_names(every, options)
    jobs_of_all = len(every)
    matrices = {job["matrix"]: job["listed"] for job in every if job["listed"] is not None}
    if options.shard:
        every = options.shard.jobs(every)
        print(f"Shard {options.shard}: {len(every)} of {jobs_of_all} jobs")
    jobs = chosen(every, options)
    if not jobs:
        raise MeasureError("no job matches the options")
    folders = [options.out, *options.done]
    options.machine_id = machine_to_measure(every, folders, options.machine_id)
    if not options.pack:
        refuse_others(jobs, folders, options)
    if not options.no_build and not options.dry_run:
        drivers = list(dict.fromkeys(job["problem"] for job in jobs))
        with lock(options.build, wait=True):
            configure(bundle, options.build, options.cmake)
            compile_drivers(options.build, [*drivers, "matrix_info"], options.parallel)
    if options.no_build and not options.dry_run:
        check_built(options.build, needed([] if options.pack else jobs, every, folders))
    if options.dry_run:
        return run(jobs, options, begin).code()
    with lock(options.out):
        outcome = Outcome() if options.pack else run(jobs, options, begin)
        described = describe_all(every, options)
        about = {
            "bundle": sha256_of(bundle / MANIFEST),
            **{key: manifest[key] for key in ("name", "commit", "configuration")},
            "jobs": jobs_of_all,
            "matrices": matrices,
            **({"shard": options.shard.told(every)} if options.shard else {}),
        }
        for line in [*outcome.lines(), *described.lines()]:
            print(line)
        reasons = outcome.reasons()
        if outcome.left and not (outcome.failed or any(finished(job, folders) for job in every)):
            print("No job has ended yet, and so there is nothing to pack: the same command goes on")
            return outcome.code()
        path = pack(every, folders, reasons, about, options.results, bundle, options.machine_id)
    print(
        f"Results: {path}; `sparserepro import` reads them in the repository that made the bundle"
    )
    return 1 if described.failed else outcome.code()


def needed(jobs: list[Job], every: list[Job], folders: list[Path]) -> list[str]:
    """The drivers that jobs run, and those that describe what they and earlier calls measured."""
    described = {path.stem for path in folders[0].glob("*/*.json")}
    measured = [job for job in every if finished(job, folders)]
    names = [job["problem"] for job in jobs]
    names += [job["problem"] for job in measured if job["problem"] not in described]
    # Of arrays there are no facts.
    if any(source(job, []) != "" for job in [*jobs, *measured] if job["matrix"] not in described):
        names.append("matrix_info")
    return list(dict.fromkeys(names))


def check_built(build: Path, drivers: list[str]) -> None:
    """Raises MeasureError for drivers that are not there."""
    absent = [name for name in drivers if not (build / "bin" / name).exists()]
    if absent:
        raise MeasureError(
            f"{build}/bin lacks {', '.join(absent)}, needed for the jobs and to describe records "
            "of earlier calls; leave out --no-build, or name another build tree by --build"
        )


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def main(bundle: Path, given: list[str] | None = None) -> int:
    begin = time.monotonic()
    options = arguments(bundle, given)
    signal.signal(signal.SIGTERM, interrupted)
    try:
        return measure(bundle, options, begin)
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        return 130
    except (MeasureError, OSError) as error:
        print(f"measure: {error}", file=sys.stderr)
        return 1
