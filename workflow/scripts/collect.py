"""Validates all records and writes them to one file, sorted, one for each cell and machine.

Inputs are the job files of this run and the measurement sets kept in report/measurements/. Where a
cell of a machine occurs more than once, the record that was started last stands; another version of
a library, another state of the caches and another repeat of the run make another cell. The archive
takes only records of the machine that its folder is named after, with enough samples.
Records above their lower bound are named in the log and on the terminal (bound_check.py).
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from bound_check import violations

Record = dict[str, Any]

SCHEMA = 2
FEWEST_ARCHIVED = 10
"""Samples that every measured cell of the archive has."""


class RecordError(Exception):
    """A line is no valid record; the message says which line and why."""


def read_records(path: Path, validator: jsonschema.Draft202012Validator) -> Iterator[Record]:
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise RecordError(f"{path}:{number}: no JSON: {error}") from None
        if isinstance(record, dict) and record.get("schema", SCHEMA) != SCHEMA:
            raise RecordError(
                f"{path}:{number}: a record of schema {record['schema']}, but this version "
                f"reads schema {SCHEMA} alone: measure the cell again"
            )
        error = jsonschema.exceptions.best_match(validator.iter_errors(record))
        if error is not None:
            where = ".".join(str(part) for part in error.absolute_path) or "record"
            raise RecordError(f"{path}:{number}: {where}: {error.message[:300]}")
        if reason := narrow_peers(record):
            raise RecordError(f"{path}:{number}: build.instruction_sets: {reason}")
        yield record


# From narrow to wide; extensions of one row are as wide as each other.
_WIDTHS = {"other": 0, "sse2": 1, "neon": 1, "avx2": 2, "avx512": 3}


def narrow_peers(record: Record) -> str:
    """Nothing, or why a record of the host does not compare peers with own code fairly."""
    sets = record["build"]["instruction_sets"]
    if record["backend"] == "cuda" or _WIDTHS[sets["peers"]] >= _WIDTHS[sets["own"]]:
        return ""
    return (
        f"peers are compiled for {sets['peers']}, own code runs with {sets['own']}: configure the "
        "build with SPARSEREPRO_NATIVE=ON, or with SPARSEREPRO_MARCH"
    )


def archive_refusal(record: Record, machine: str) -> str:
    """Why the archive's folder of a machine does not take a valid record; "" when it does."""
    if record["machine"]["id"] != machine:
        return f"a record of machine {record['machine']['id']} in the folder of {machine}"
    if record["status"] == "ok" and len(record["timing"]["kernel_s"]) < FEWEST_ARCHIVED:
        return (
            f"{len(record['timing']['kernel_s'])} samples of {record['algorithm']} on "
            f"{record['matrix']['name']}, but the archive wants {FEWEST_ARCHIVED} or more"
        )
    return ""


def read_archived(path: Path, validator: jsonschema.Draft202012Validator) -> Iterator[Record]:
    """The records of a file of report/measurements/<machine>/."""
    for record in read_records(path, validator):
        refusal = archive_refusal(record, path.parent.name)
        if refusal:
            raise RecordError(f"{path}: {refusal}")
        yield record


def cell_key(record: Record) -> tuple[str, ...]:
    return (
        record["machine"]["id"],
        record["problem"],
        record["matrix"]["name"],
        record["algorithm"],
        json.dumps(record["parameters"], sort_keys=True),
        record["timing"]["cache"] if record["timing"] else "",
        record["library"] or "",
        f"{record['run']['repeat']:09d}",
    )


def collect(
    paths: list[Path], archived: list[Path], schema: dict[str, Any]
) -> tuple[list[Record], int]:
    """The records in the order of their keys, and how many gave way to later ones."""
    validator = jsonschema.Draft202012Validator(schema)
    cells: dict[tuple[str, ...], Record] = {}
    total = 0
    readers = [(path, read_records) for path in paths]
    readers += [(path, read_archived) for path in archived]
    for path, read in readers:
        for record in read(path, validator):
            total += 1
            earlier = cells.get(cell_key(record))
            if earlier is None or earlier["started_utc"] <= record["started_utc"]:
                cells[cell_key(record)] = record
    return [cells[key] for key in sorted(cells)], total - len(cells)


def main(inputs: list[str], archived: list[str], schema: str, output: str, log: str) -> int:
    try:
        paths, kept = [Path(path) for path in inputs], [Path(path) for path in archived]
        records, replaced = collect(paths, kept, json.loads(Path(schema).read_text()))
    except RecordError as error:
        print(error, file=sys.stderr)
        return 1
    with Path(output).open("w") as out:
        out.writelines(json.dumps(record) + "\n" for record in records)
    skipped = sum(record["status"] == "skipped" for record in records)
    above = [f"above the lower bound: {violation}" for violation in violations(records)]
    for line in above:
        print(line, file=sys.stderr)
    files = len(paths) + len(kept)
    summary = (
        f"{len(records)} cells from {files} files: {len(records) - skipped} measured, "
        f"{skipped} skipped, {replaced} replaced by later ones"
    )
    Path(log).write_text("\n".join([summary, *above]) + "\n")
    return 0


if __name__ == "__main__":
    job = snakemake  # noqa: F821 (Snakemake puts it there)
    sys.exit(
        main(
            [*job.input.records],
            [*job.input.archived],
            job.input.schema,
            job.output[0],
            job.log[0],
        )
    )
