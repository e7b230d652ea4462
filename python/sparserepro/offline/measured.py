"""With what a job was measured: NAME.command beside its records says so.

Without that file records count as those of the whole job.
"""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import Any

from sparserepro.offline.errors import MeasureError
from sparserepro.offline.jobs import Job, finished
from sparserepro.offline.reading import command_of

Command = dict[str, Any]
"""`algorithms`, `options` of the driver, and `libraries`, the folders of --library-path."""


def beside(record: Path) -> Path:
    return record.with_suffix(".command")


def asked(job: Job, options: argparse.Namespace) -> Command:
    return {
        "algorithms": job["algorithms"],
        "options": [*job["options"], *shlex.split(options.driver_options)],
        "libraries": [str(Path(folder).absolute()) for folder in options.library_path],
    }


def keep(partial: Path, record: Path, command: Command) -> None:
    """Puts the records in their place, beside their command and never beside another one."""
    record.unlink(missing_ok=True)
    beside(record).write_text(json.dumps(command) + "\n")
    partial.replace(record)


def _known(job: Job, folders: list[Path]) -> Command | None:
    record = finished(job, folders)
    if record is None or not beside(record).exists():
        return None
    return command_of(beside(record))


def unmeasured(job: Job, folders: list[Path]) -> Job | None:
    """The job, where it has no records or lacks some of its algorithms: with these and with those
    that it has records of, which its new file replaces."""
    if finished(job, folders) is None:
        return job
    there = (_known(job, folders) or job)["algorithms"]
    added = [name for name in job["algorithms"] if name not in there]
    return dict(job, algorithms=[*there, *added]) if added else None


def refuse_others(jobs: list[Job], folders: list[Path], options: argparse.Namespace) -> None:
    """Raises MeasureError for records that were measured with other options or libraries."""
    for job in jobs:
        known, wanted = _known(job, folders), asked(job, options)
        if known and any(known[key] != wanted[key] for key in ("options", "libraries")):
            raise MeasureError(
                f"{finished(job, folders)} was measured with {_words(known)}, and now "
                f"{_words(wanted)} are asked for: give the same --driver-options and "
                "--library-path, delete those records, or measure into another folder with --out"
            )


def _words(command: Command) -> str:
    libraries = [word for folder in command["libraries"] for word in ("--library-path", folder)]
    return f"the options {shlex.join([*command['options'], *libraries])}".rstrip()


def changed(jobs: list[Job], folders: list[Path]) -> dict[str, str]:
    """The jobs of a bundle whose records are not those that it asks for, each with how."""
    found = {}
    for job in jobs:
        known = _known(job, folders) or dict(job, libraries=[])
        ways = []
        if any(name not in known["algorithms"] for name in job["algorithms"]):
            ways.append(f"--algorithms {','.join(known['algorithms'])}")
        if more := known["options"][len(job["options"]) :]:
            ways.append(f"--driver-options {shlex.quote(shlex.join(more))}")
        ways += [f"--library-path {folder}" for folder in known["libraries"]]
        if ways:
            found[job["output"]] = f"measured with {' '.join(ways)}"
    return found
