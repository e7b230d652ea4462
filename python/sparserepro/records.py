"""Reads files of records, and names each record."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sparserepro import program, record_shape
from sparserepro.data import digests

Record = dict[str, Any]

SETS = Path("report/measurements")
RUNS = Path("results")

_RENAMED = {
    ("cuda_adaptive", "path", "by_survey"): ("path", "auto"),
    ("cuda_partition", "levels", "auto"): ("path", "auto"),
    ("cuda_partition", "levels", "one"): ("path", "one_level"),
    ("cuda_partition", "levels", "two"): ("path", "two_levels"),
    ("cuda_partition", "levels", "either"): ("path", "by_locality"),
}
"""Algorithm, parameter and value as older records have them; parameter and value of today."""


class RecordsError(Exception):
    """There are no records, or a file of them cannot be read; the message says which and why."""


def identity(record: Record) -> str:
    """The id of a record: the first 8 hex digits of the SHA-256 of its canonical JSON."""
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:8]


def parameters(record: Record) -> dict[str, Any]:
    """The parameters of a record, by the names of today."""
    algorithm, given = record["algorithm"], record["parameters"]
    return dict(
        _RENAMED.get((algorithm, name, value), (name, value)) for name, value in given.items()
    )


def files(place: Path) -> list[Path]:
    """The files of records that a file, a folder, or the name of a run or of a measurement set
    means."""
    if not place.exists():
        named = (RUNS / place / "records", SETS / place)
        place = next((folder for folder in named if folder.is_dir()), place)
    if place.is_file():
        return [place]
    found = sorted(place.rglob("*.jsonl")) if place.is_dir() else []
    if not found:
        sets = sorted(path.name for path in SETS.glob("*") if path.is_dir())
        runs = sorted(path.parent.name for path in RUNS.glob("*/records"))
        raise RecordsError(
            f"{place} is neither a file or folder of records, nor a run (known: "
            f"{', '.join(runs) or 'none'}), nor a set (known: {', '.join(sets) or 'none'})"
        )
    return found


def read(place: Path) -> Iterator[Record]:
    """The records of a place. Raises RecordsError."""
    found = files(place)
    try:
        digests.check_known(found)
    except digests.Altered as error:
        raise RecordsError(str(error)) from None
    for path in found:
        try:
            text = program.read_text(path)
        except program.FileError as error:
            raise RecordsError(str(error)) from None
        for number, line in program.json_lines(text):
            try:
                record = program.json_of(line)
            except ValueError as error:
                raise RecordsError(f"{path}:{number}: not JSON: {error}") from None
            if why := record_shape.objection(record):
                raise RecordsError(f"{path}:{number}: {why}")
            yield record
