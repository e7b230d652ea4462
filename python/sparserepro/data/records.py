"""Reads records, and refuses what is none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from sparserepro import program
from sparserepro.record_shape import SCHEMA

Record = dict[str, Any]


class RecordError(Exception):
    """A line is no valid record; the message says which line and why."""


def read_records(path: Path, validator: Any) -> Iterator[Record]:
    try:
        text = program.read_text(path)
    except program.FileError as error:
        raise RecordError(str(error)) from None
    for number, line in program.json_lines(text):
        try:
            record = program.json_of(line)
        except ValueError as error:
            raise RecordError(f"{path}:{number}: not JSON: {error}") from None
        if isinstance(record, dict) and record.get("schema", SCHEMA) != SCHEMA:
            raise RecordError(
                f"{path}:{number}: the record has schema {record['schema']}; this version "
                f"reads schema {SCHEMA} alone. Measure the cell again"
            )
        worst = jsonschema.exceptions.best_match(validator.iter_errors(record))
        if worst is not None:
            where = ".".join(str(part) for part in worst.absolute_path) or "record"
            raise RecordError(f"{path}:{number}: {where}: {worst.message[:300]}")
        if reason := narrow_peers(record):
            raise RecordError(f"{path}:{number}: build.instruction_sets: {reason}")
        yield record


# From narrow to wide; extensions of one row are as wide as each other.
_WIDTHS = {"other": 0, "sse2": 1, "neon": 1, "avx2": 2, "avx512": 3}


def narrow_peers(record: Record) -> str:
    """Nothing, or why a measured peer on the host does not stand beside own code fairly."""
    sets = record["build"]["instruction_sets"]
    if not record["peer"] or record["status"] != "ok" or record["backend"] == "cuda":
        return ""
    if _WIDTHS[sets["peers"]] >= _WIDTHS[sets["own"]]:
        return ""
    return (
        f"peers are compiled for {sets['peers']}, own code runs with {sets['own']}: configure the "
        "build with SPARSEREPRO_NATIVE=ON, or with SPARSEREPRO_MARCH"
    )
