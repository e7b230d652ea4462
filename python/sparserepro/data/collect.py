"""Validates all records and writes them to one file, sorted, one for each cell and machine.

Inputs are the job files of this run and the measurement sets kept in report/measurements/. Where a
cell of a machine occurs more than once, the record that was started last stands; another version of
a library, another state of the caches and another repeat of the run make another cell. A set takes
only records of the machine that its folder is named after, and by the rules of archive.py. The set
of a machine that this run measured is left out, and records of one machine id from two kinds of
hardware are refused, so that no two sittings or machines become one unnoticed.
A file that is not as its job or the archive wrote it (digests.py) is refused. Records above their
lower bound are named in the log and on the terminal (bound_check.py).
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.data import digests, hardware, sets
from sparserepro.data.archive import refusals
from sparserepro.data.bound_check import violations
from sparserepro.data.records import Record, RecordError, read_records
from sparserepro.records import parameters
from sparserepro.schemas import Validator


def read_archived(paths: list[Path], validator: Any) -> list[Record]:
    """The records of the files of one folder of report/measurements/."""
    folder = paths[0].parent
    records = [record for path in paths for record in read_records(path, validator)]
    strange = {record["machine"]["id"] for record in records} - {folder.name}
    if strange:
        raise RecordError(f"{folder} has records of another machine: {', '.join(sorted(strange))}")
    if lines := [*refusals(records, by_side=True), *sets.lacking_in(folder, records)]:
        raise RecordError("\n".join([f"{folder} breaks the rules of the archive:", *lines]))
    return records


def check_machines(records: list[Record]) -> None:
    """Raises RecordError where one machine id stands for different hardware."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["machine"]["id"], []).append(record)
    for machine, own in found.items():
        with_gpu = next((r for r in own if r["machine"]["gpu"]), own[0])
        lines = dict.fromkeys(line for r in own for line in hardware.differences(with_gpu, r))
        if lines:
            raise RecordError(
                f"records of different machines have the id {machine}: {'; '.join(lines)}. Give "
                "each its own machine_id and measure again, or move the files of one elsewhere"
            )


def cell_key(record: Record) -> tuple[str, ...]:
    return (
        record["machine"]["id"],
        record["problem"],
        record["matrix"]["name"],
        record["algorithm"],
        json.dumps(parameters(record), sort_keys=True),
        record["timing"]["cache"] if record["timing"] else "",
        record["library"] or "",
        f"{record['run']['repeat']:09d}",
    )


def without_old_states(records: list[Record]) -> list[Record]:
    """Of a cell that was skipped once and measured once, what was started last stands. A skipped
    record has no state of the caches, and of a library that is not there no version."""
    cells: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        machine, problem, matrix, algorithm, setting, _, _, repeat = cell_key(record)
        key = (machine, problem, matrix, algorithm, setting, repeat)
        cells.setdefault(key, []).append(record)
    old = {id(record) for found in cells.values() for record in old_states(found)}
    return [record for record in records if id(record) not in old]


def old_states(found: list[Record]) -> Iterator[Record]:
    """Those of a cell's records that give way."""
    for skipped in (r for r in found if r["status"] == "skipped"):
        measured = [r for r in found if r["status"] == "ok" and same_library(skipped, r)]
        if any(r["started_utc"] >= skipped["started_utc"] for r in measured):
            yield skipped
        else:
            yield from measured


def same_library(skipped: Record, measured: Record) -> bool:
    library = measured["library"]
    name = library.rpartition(" ")[0] if library else None
    return skipped["library"] in (None, library, name)


def collect(
    paths: list[Path], archived: list[Path], schema: dict[str, Any]
) -> tuple[list[Record], int]:
    """The records in the order of their keys, and how many gave way to later ones."""
    validator = Validator(schema)
    every = [record for path in paths for record in read_records(path, validator)]
    measured = {record["machine"]["id"] for record in every}
    for folder in dict.fromkeys(path.parent for path in archived):
        if folder.name in measured:
            print(
                f"{folder} is left out, because this run measured {folder.name} itself",
                file=sys.stderr,
            )
            continue
        every += read_archived([p for p in archived if p.parent == folder], validator)
    check_machines(every)
    cells: dict[tuple[str, ...], Record] = {}
    for record in every:
        earlier = cells.get(cell_key(record))
        if earlier is None or earlier["started_utc"] <= record["started_utc"]:
            cells[cell_key(record)] = record
    found = without_old_states([cells[key] for key in sorted(cells)])
    return found, len(every) - len(found)


def job(
    paths: list[Path], archived: list[Path], schema: dict[str, Any], made: Path, log: Path
) -> int:
    """The exit code. `archived` has the files of hashes of the sets as well."""
    try:
        digests.check_beside(paths)
        for folder in dict.fromkeys(path.parent for path in archived):
            digests.check_set(folder)
        kept = [path for path in archived if path.name != digests.SUMS]
        records, replaced = collect(paths, kept, schema)
    except (RecordError, digests.Altered) as error:
        print(error, file=sys.stderr)
        log.write_text(f"{error}\n")
        return 1
    with made.open("w") as out:
        out.writelines(json.dumps(record) + "\n" for record in records)
    digests.write_beside(made)
    digests.write_sources(made, paths)
    skipped = sum(record["status"] == "skipped" for record in records)
    above = [f"above the lower bound: {violation}" for violation in violations(records)]
    for line in above:
        print(line, file=sys.stderr)
    files = len(paths) + len(kept)
    summary = (
        f"{len(records)} cells from {files} files: {len(records) - skipped} measured, "
        f"{skipped} skipped, {replaced} replaced by later ones"
    )
    log.write_text("\n".join([summary, *above]) + "\n")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--list",
        type=Path,
        required=True,
        help="file with the names of the run's files",
    )
    parser.add_argument("--archived", type=Path, nargs="*", default=[], help="files of the sets")
    parser.add_argument("--schema", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    paths = [Path(name) for name in options.list.read_text().splitlines()]
    schema = json.loads(options.schema.read_text())
    return job(paths, options.archived, schema, options.output, options.log)


if __name__ == "__main__":
    sys.exit(program.run(main))
