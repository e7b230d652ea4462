"""Packs what was measured into one file, with the hash of each file in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sparserepro.offline.errors import MeasureError
from sparserepro.offline.jobs import Job, finished
from sparserepro.offline.measured import changed
from sparserepro.offline.packing import FORMAT, MANIFEST, Member, entries, write_archive
from sparserepro.offline.reading import machine_in


def machine_of(records: list[Path]) -> str | None:
    """The machine that all files of records name; None without any. Raises MeasureError."""
    found: dict[str, Path] = {}
    for path in records:
        if (machine := machine_in(path)) is not None:
            found.setdefault(machine, path)
    if len(found) > 1:
        names = ", ".join(f"{name} ({path})" for name, path in found.items())
        raise MeasureError(
            f"the records are of several machines: {names}. Delete those of all but one, or "
            "measure with another --out"
        )
    return next(iter(found), None)


def machine_to_measure(jobs: list[Job], folders: list[Path], asked: str | None) -> str | None:
    """What the drivers are to call the machine: as records that are there do, so that a call that
    goes on makes no second machine of it. Raises MeasureError where something else is asked for."""
    records = [path for job in jobs if (path := finished(job, folders)) is not None]
    known = machine_of(records)
    if known and asked and known != asked:
        raise MeasureError(
            f"the folder has records of machine {known}, not of {asked}: measure with "
            f"--machine-id {known}, or into another folder with --out"
        )
    return known or asked


def collected(jobs: list[Job], folders: list[Path]) -> list[Member]:
    """Records with their logs, catalogues and facts of matrices, as an archive names them."""
    members: dict[str, Member] = {}
    for job in jobs:
        name = job["output"]
        record = finished(job, folders)
        if record is not None:
            members[f"records/{name}"] = Member(f"records/{name}", record)
            logs = [record.with_suffix(".log")]
        else:
            logs = [(folder / name).with_suffix(".log") for folder in folders]
        for log in filter(Path.is_file, logs):
            place = f"logs/{Path(name).with_suffix('.log').as_posix()}"
            members.setdefault(place, Member(place, log))
    for folder in folders:
        for kind in ("catalogue", "matrices"):
            for path in sorted(folder.glob(f"{kind}/*.json")):
                place = f"records/{kind}/{path.name}"
                members.setdefault(place, Member(place, path))
    return list(members.values())


def missing(jobs: list[Job], folders: list[Path], reasons: dict[str, str]) -> dict[str, str]:
    """The jobs of the bundle without records, each with why."""
    return {
        job["output"]: reasons.get(job["output"], "it was not asked for")
        for job in jobs
        if finished(job, folders) is None
    }


def pack(
    jobs: list[Job],
    folders: list[Path],
    reasons: dict[str, str],
    about: dict[str, Any],
    output: Path | None,
    beside: Path,
    asked: str | None = None,
) -> Path:
    """Writes the results of all jobs of a bundle or a shard; the file. Raises MeasureError.

    `about` says which bundle it was, of how many jobs. Without `output` the file is named after the
    machine and the folder of the records, and lies in the folder `beside`. A shard may have no
    records; it then needs the name of the machine that was asked for.
    """
    members = collected(jobs, folders)
    records = [
        member.content
        for member in members
        if member.name.endswith(".jsonl") and isinstance(member.content, Path)
    ]
    machine = machine_of(records) or (asked if "shard" in about else None)
    if machine is None:
        raise MeasureError("there are no records to pack; nothing has been measured")
    manifest = {
        "format": FORMAT,
        **about,
        "machine": machine,
        "missing": missing(jobs, folders, reasons),
        "changed": changed(jobs, folders),
        "files": entries(members),
    }
    part = "" if folders[0].name == "records" else f"-{folders[0].name}"
    path = output or beside / f"results-{machine}{part}.tar.gz"
    text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    write_archive(path, f"results-{machine}", [*members, Member(MANIFEST, text.encode())])
    return path
