"""Makes a measurement set of results that came back from a machine without a network.

Nothing is written unless every hash, every record and every rule of entry holds.
"""

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparserepro.bundle import described, recorded, set_readme, shards, sources
from sparserepro.bundle.errors import BundleError
from sparserepro.bundle.unpacking import unpack
from sparserepro.config.matrix_list import MatrixList
from sparserepro.data import archive, digests, hardware, sets
from sparserepro.data.records import RecordError, read_records
from sparserepro.schemas import validator_of

Record = dict[str, Any]

SETS = Path("report/measurements")
LIST = Path("config/matrices.yaml")
SCHEMA = Path("workflow/schemas/record.schema.json")
FACTS = Path("workflow/schemas/matrix_facts.schema.json")


@dataclass(frozen=True)
class Results:
    """What one or several files of results of one machine hold."""

    manifest: dict[str, Any]
    """Of the first."""
    records: list[Record]
    catalogues: dict[str, dict[str, Any]]
    matrices: dict[str, dict[str, Any]]
    missing: dict[str, str]
    """Jobs that none of the files has records of, each with why."""
    changed: dict[str, str]
    """Jobs whose records are not those that the bundle asks for, each with how."""
    listed: dict[str, dict[str, Any]]
    """What the bundle says of its matrices, by id."""
    jobs: set[str]
    """Those that have records."""


def read(paths: list[Path], root: Path, scratch: Path) -> Results:
    """Raises BundleError for what is damaged, is no record, or does not belong together."""
    validator = validator_of(root / SCHEMA)
    manifests, records, folders = [], [], []
    for number, path in enumerate(paths):
        folder = scratch / str(number)
        folder.mkdir()
        manifests.append(unpack(path, folder))
        folders.append(folder / "records")
        folders[-1].mkdir(exist_ok=True)  # a shard may have no records
        try:
            files = archive.record_files(folders[-1:])
            found = [record for file in files for record in read_records(file, validator)]
            described.check(folders[-1], root / FACTS)
        except RecordError as error:
            raise BundleError(f"{path}: {str(error).removeprefix(f'{folder}/')}") from None
        check_names(path, manifests[-1], found)
        records += found
    for key in ("machine", "commit"):
        several = sorted({manifest[key] for manifest in manifests})
        if len(several) > 1:
            raise BundleError(f"the files have several {key}s: {', '.join(several)}")
    shards.check(manifests)
    return Results(
        manifests[0],
        records,
        archive.named(archive.beside_records(folders, "catalogue")),
        archive.named(archive.beside_records(folders, "matrices")),
        missing(manifests),
        changed(manifests),
        {id_: of for manifest in manifests for id_, of in manifest.get("matrices", {}).items()},
        {
            name.removeprefix("records/")
            for manifest in manifests
            for name in manifest["files"]
            if name.startswith("records/") and name.endswith(".jsonl")
        },
    )


def missing(manifests: list[dict[str, Any]]) -> dict[str, str]:
    """The jobs that none of the results has records of, each with why: of shards by the one that
    has the job."""
    if "shard" in manifests[0]:
        return {job: why for manifest in manifests for job, why in manifest["missing"].items()}
    everywhere = set.intersection(*(set(manifest["missing"]) for manifest in manifests))
    return {job: why for job, why in manifests[0]["missing"].items() if job in everywhere}


def changed(manifests: list[dict[str, Any]]) -> dict[str, str]:
    """The jobs that all results which have records of them measured otherwise, each with how."""
    found = {job: how for manifest in manifests for job, how in manifest.get("changed", {}).items()}
    whole = {
        name.removeprefix("records/")
        for manifest in manifests
        for name in manifest["files"]
        if name.removeprefix("records/") not in manifest.get("changed", {})
    }
    return {job: how for job, how in found.items() if job not in whole}


def check_names(path: Path, manifest: dict[str, Any], records: list[Record]) -> None:
    """Raises BundleError for a record of another machine or commit than the manifest names."""
    for record in records:
        for what, own in (
            ("machine", record["machine"]["id"]),
            ("commit", record["build"]["commit"]),
        ):
            if own != manifest[what]:
                raise BundleError(
                    f"{path}: a record of {record['problem']} is of {what} {own or 'unknown'}, the "
                    f"results are of {manifest[what]}"
                )


def check_rules(results: Results, known: MatrixList, by_side: bool = False) -> None:
    """Raises BundleError with each rule of entry that is broken."""
    records = results.records
    lines = ["no records"]
    if records:
        matrices = [*(record["matrix"] for record in records), *results.matrices.values()]
        others = recorded.wrong(matrices, results.listed, known)
        lines = [
            *archive.refusals(records, by_side),
            *sets.lacking(records, set(results.catalogues), set(results.matrices)),
            *(f"of several machines with one name: {line}" for line in hardware.mixture(records)),
            *(f"of another matrix: {line}" for line in others),
        ]
    if lines:
        raise BundleError("\n".join(["not imported:", *(f"  {line}" for line in lines)]))


def part_of(job: str) -> str:
    """device of spmm/NAME.device.1.jsonl"""
    words = job.rsplit("/", 1)[-1].rsplit(".", 3)
    return words[1] if len(words) == 4 else ""


def with_rest(results: Results, part: str, target: Path, root: Path) -> Results:
    """The results of a part, and what the set has of other sides. Raises BundleError."""
    if not target.exists():
        raise BundleError(f"--part {part}: there is no {target} with the other parts")
    if strange := sorted(job for job in results.jobs if not part_of(job).startswith(part)):
        raise BundleError(
            f"--part {part}: the results have jobs of other parts: {', '.join(strange[:5])}"
        )
    try:
        digests.check_set(target)
        validator = validator_of(root / SCHEMA)
        files = archive.record_files([target])
        there = [record for file in files for record in read_records(file, validator)]
    except (RecordError, digests.Altered) as error:
        raise BundleError(str(error)) from None
    replaced = set(archive.sides(results.records))
    kept = [
        record
        for record, side in zip(there, archive.sides(there), strict=True)
        if side not in replaced
    ]
    measured = {record["problem"] for record in results.records}
    facts = archive.named(archive.beside_records([target], "matrices"))
    books = archive.named(archive.beside_records([target], "catalogue"))
    return replace(
        results,
        records=[*kept, *results.records],
        catalogues=books
        | {name: _with_known(book, books.get(name)) for name, book in results.catalogues.items()},
        matrices=facts | results.matrices,
        missing={
            job: why
            for job, why in results.missing.items()
            if part_of(job).startswith(part) and job.partition("/")[0] in measured
        },
    )


def _with_known(book: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
    """The catalogue, with what the old one has of algorithms that this build lacks."""
    known = {algorithm["name"]: algorithm for algorithm in (old or {}).get("algorithms", [])}
    return book | {
        "algorithms": [
            known.get(algorithm["name"], algorithm) if algorithm["unavailable"] else algorithm
            for algorithm in book["algorithms"]
        ]
    }


def check_place(results: Results, target: Path, replace: bool) -> None:
    """Raises BundleError where the set is there already, or is of another machine."""
    if not target.exists():
        return
    for path in sorted(target.glob("*.jsonl")):
        with path.open() as lines:
            line = lines.readline()
        differing = hardware.differences(json.loads(line), results.records[0]) if line else []
        if differing:
            told = "\n".join(f"  {words}" for words in differing)
            raise BundleError(
                f"{target} is the set of another machine of that name (there, here):\n{told}\n"
                "Measure with another name: ./measure --machine-id NAME"
            )
    if not replace:
        raise BundleError(f"{target} exists; --replace replaces it")


def write(results: Results, target: Path, part: str | None = None) -> None:
    """Puts the set in its place as a whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=target.parent) as scratch:
        made = Path(scratch) / "new"
        archive.write_set(made, results.records, results.catalogues, results.matrices)
        readme = set_readme.text(
            results.records, results.manifest, results.missing, results.changed, part
        )
        (made / "README.md").write_text(readme)
        old = Path(scratch) / "old"
        if target.exists():
            target.rename(old)
        try:
            made.rename(target)
        except BaseException:
            if old.exists():
                old.rename(target)
            raise


def told(results: Results) -> list[str]:
    """Cells by problem, and the jobs that have no records."""
    cells = Counter((record["problem"], record["status"]) for record in results.records)
    lines = [
        f"  {problem}: {cells[problem, 'ok']} cells measured, {cells[problem, 'skipped']} skipped"
        for problem in dict.fromkeys(record["problem"] for record in results.records)
    ]
    if results.missing:
        lines.append(f"{len(results.missing)} of {results.manifest['jobs']} jobs have no records:")
        lines += [f"  {job}: {why}" for job, why in results.missing.items()]
    if results.changed:
        lines.append(f"{len(results.changed)} of {results.manifest['jobs']} jobs differ:")
        lines += [f"  {job}: {how}" for job, how in results.changed.items()]
    return lines


def command(options: argparse.Namespace, root: Path) -> int:
    """`sparserepro import`. Raises BundleError."""
    with tempfile.TemporaryDirectory() as scratch:
        results = read(options.results, root, Path(scratch))
    machine, commit = results.manifest["machine"], results.manifest["commit"]
    if options.name not in (None, machine):
        raise BundleError(
            f'a set has the name of its machine, and the records name it "{machine}". Records are '
            f"never changed: ./measure --machine-id {options.name} gives them that name"
        )
    check_rules(results, recorded.list_of(root / LIST))
    target = root / SETS / machine
    check_place(results, target, options.replace or options.part is not None)
    if options.part is not None:
        results = with_rest(results, options.part, target, root)
        check_rules(results, recorded.list_of(root / LIST), by_side=True)
    print(f"{machine}, {results.manifest['configuration']} at commit {commit[:10]}:")
    print("\n".join(told(results)))
    try:
        sources.git(root, "cat-file", "-e", f"{commit}^{{commit}}")
    except BundleError:
        print(f"Warning: this repository lacks commit {commit}, which the records name")
    if options.dry_run:
        print("--dry-run: nothing was written")
        return 0
    write(results, target, options.part)
    print(f"Imported: {SETS / machine}")
    if options.part is not None:
        print(f"{SETS / machine}/README.md is new; git has what was added to it by hand")
    return 0
