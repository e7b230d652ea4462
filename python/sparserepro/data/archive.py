"""Puts records into an archive: one file for each problem, if they keep the rules of entry.

Beside them it puts the catalogues of their problems and the facts of their matrices, without which
no report can be made of them.

Report and readers trust what lies in report/measurements/. Its records are of a committed tree, all
of one machine and of one commit, or, where parts were imported one by one, those of each side of a
problem. A cell has ten samples or more, its answer was right after the last one, and it does not
beat its lower bound. No library on the host is compiled for narrower vectors than the kernels
beside it.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.data import digests, sets
from sparserepro.data.bound_check import violations
from sparserepro.data.records import Record, RecordError, narrow_peers, read_records
from sparserepro.paths import SCHEMAS
from sparserepro.schemas import validator_of

FEWEST_ARCHIVED = 10
"""Samples that every measured cell of the archive has."""


def objections(record: Record) -> list[str]:
    """Why a record may not enter, each in a few words."""
    found = []
    build = record["build"]
    if build["dirty"]:
        found.append("built from a tree with changes that are not committed")
    if record["status"] != "ok":
        return found
    samples = len(record["timing"]["kernel_s"])
    if samples < FEWEST_ARCHIVED:
        found.append(f"fewer than {FEWEST_ARCHIVED} samples")
    if not record["check"].get("verified_after", False):
        found.append("its answer was not verified after the last sample")
    if narrow_peers(record):
        found.append("libraries on the host are compiled for narrower vectors than own code")
    if any(violations([record])):
        found.append("faster than its lower bound (bound_check.py says by how much)")
    return found


def sides(records: list[Record]) -> list[str]:
    """Of each record where its problem is solved: what is compared with each other. A driver run
    with algorithms of the device is the device's as a whole, with those of the host beside them."""

    def run(record: Record) -> tuple[Any, ...]:
        return record["problem"], record["build"]["commit"], tuple(record["argv"])

    of_device = {run(record) for record in records if record["backend"] == "cuda"}
    return [
        f"{record['problem']} on the {'device' if run(record) in of_device else 'host'}"
        for record in records
    ]


def differing(records: Iterable[Record], by_side: bool = False) -> list[str]:
    """What must be the same in all records, commits perhaps in those of a side alone, and is
    not."""
    machines: set[str] = set()
    commits: dict[str, set[str]] = defaultdict(set)
    those = list(records)
    of = [f"{side}, " for side in sides(those)] if by_side else [""] * len(those)
    for record, side in zip(those, of, strict=True):
        machines.add(record["machine"]["id"])
        commits[side].add(record["build"]["commit"][:10])
    return [
        f"{side}of several {what}: {', '.join(sorted(found))}"
        for side, what, found in (
            ("", "machines", machines),
            *((side, "commits", found) for side, found in commits.items()),
        )
        if len(found) > 1
    ]


def refusals(records: list[Record], by_side: bool = False) -> list[str]:
    """One line for each rule that is broken, with how often and the first cell."""
    broken: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        for reason in objections(record):
            broken[reason].append(record)
    lines = [
        f"{len(those)} record{'s' * (len(those) > 1)}: {reason}, first {those[0]['problem']} of "
        f"{those[0]['matrix']['name']} by {those[0]['algorithm']}"
        for reason, those in broken.items()
    ]
    return [*differing(records, by_side), *lines]


def record_files(paths: list[Path]) -> list[Path]:
    """The files, and those in the folders."""
    found: list[Path] = []
    for path in paths:
        found += sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    return found


def beside(folder: Path, records: list[Record]) -> list[str]:
    """What files of the folder that would stay differ in from the records."""
    problems = {record["problem"] for record in records}
    kept = [path for path in sorted(folder.glob("*.jsonl")) if path.stem not in problems]
    lines = [line for path in kept for _, line in program.json_lines(path.read_text())]
    names = ", ".join(path.name for path in kept)
    found = differing([*records, *map(json.loads, lines)])
    return [f"with {names}, which would stay in {folder}, {line}" for line in found]


def beside_records(paths: list[Path], kind: str) -> list[Path]:
    """Files of `catalogue` or `matrices` in folders of records, where `./measure` of a
    bundle writes them."""
    return [file for path in paths if path.is_dir() for file in sorted(path.glob(f"{kind}/*.json"))]


def named(files: list[Path]) -> dict[str, dict[str, Any]]:
    """What the files tell, by their stems; of a matrix not where this machine had it. Raises
    RecordError."""
    told = {}
    for path in files:
        try:
            told[path.stem] = program.read_json(path)
        except program.FileError as error:
            raise RecordError(str(error)) from None
        if not isinstance(told[path.stem], dict):
            raise RecordError(f"{path}: neither a catalogue nor facts of a matrix")
    return {
        name: {key: value for key, value in facts.items() if key != "path"}
        for name, facts in told.items()
        if "unavailable" not in facts
    }


def write_beside(folder: Path, kind: str, told: dict[str, dict[str, Any]]) -> None:
    (folder / kind).mkdir(parents=True, exist_ok=True)
    for name, facts in told.items():
        text = json.dumps(facts, separators=(",", ":"))
        (folder / kind / f"{name}.json").write_text(f"{text}\n")


def write(records: list[Record], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    problems = dict.fromkeys(record["problem"] for record in records)
    for problem in problems:
        own = [json.dumps(r, separators=(",", ":")) for r in records if r["problem"] == problem]
        (folder / f"{problem}.jsonl").write_text("".join(f"{line}\n" for line in own))


def write_set(
    folder: Path,
    records: list[Record],
    catalogues: dict[str, dict[str, Any]],
    matrices: dict[str, dict[str, Any]],
) -> None:
    """The records by problem, with the catalogues and the facts that they use, and the hashes of
    all files of the folder."""
    write(records, folder)
    used = {record["matrix"]["name"] for record in records}
    problems = {record["problem"] for record in records}
    write_beside(folder, "catalogue", {p: catalogues[p] for p in sorted(problems)})
    write_beside(folder, "matrices", {m: matrices[m] for m in sorted(used & set(matrices))})
    digests.write_set(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "records", type=Path, nargs="+", help="files of records, or folders of them"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the archive")
    for kind, what in (
        ("catalogues", "catalogues of the problems"),
        ("matrices", "facts of the matrices"),
    ):
        parser.add_argument(
            f"--{kind}", type=Path, nargs="*", default=[],
            help=f"{what}, besides those in the folders of records",
        )  # fmt: skip
    parser.add_argument(
        "--schema",
        type=Path,
        default=SCHEMAS / "record.schema.json",
        help="JSON Schema of a record [record.schema.json]",
    )
    options = parser.parse_args()
    validator = validator_of(options.schema)
    try:
        files = record_files(options.records)
        digests.check_known(files)
        if (options.output / digests.SUMS).exists():
            digests.check_set(options.output)
        records = [record for path in files for record in read_records(path, validator)]
        catalogues = named([*beside_records(options.records, "catalogue"), *options.catalogues])
        matrices = named([*beside_records(options.records, "matrices"), *options.matrices])
    except (OSError, RecordError, digests.Altered) as error:
        print(error, file=sys.stderr)
        return 1
    lines = ["no records"]
    if records:
        lines = [
            *(refusals(records) or beside(options.output, records)),
            *sets.lacking(records, set(catalogues), set(matrices)),
        ]
    if lines:
        print("\n".join(["Not archived:", *(f"  {line}" for line in lines)]), file=sys.stderr)
        return 1
    write_set(options.output, records, catalogues, matrices)
    for problem, count in Counter(record["problem"] for record in records).items():
        print(f"{options.output / problem}.jsonl: {count} records")
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
