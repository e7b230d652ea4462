"""Makes one matrix ready: finds or downloads its file and describes it through matrix_info.

Writes matrix_info's JSON with "path" (null for a generated matrix) added, or
{"name", "unavailable": reason} when the matrix is unavailable, with what was refused of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.credit import read_credit
from sparserepro.fetch.download import DownloadError, Progress, Source, Unreachable, fetch
from sparserepro.fetch.host import Host
from sparserepro.fetch.matrix_file import MatrixFileError, check, staged_files, unpack


class Unavailable(Exception):
    """The matrix is unavailable; `rejected` marks files that were there and will not do."""

    def __init__(self, reason: str, rejected: dict[str, str]):
        super().__init__(reason)
        self.rejected = rejected


@dataclass
class Refused:
    """What was tried, and why it will not do."""

    reasons: list[str] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, marks: dict[str, str] | None = None) -> "Refused":
        self.reasons.append(reason)
        self.rejected |= marks or {}
        return self

    def error(self) -> Unavailable:
        return Unavailable("; ".join(self.reasons), self.rejected)


def file_mark(path: Path) -> str:
    """Tells one version of a local file from another."""
    status = path.stat()
    return f"{status.st_size}|{status.st_mtime_ns}"


@dataclass(frozen=True)
class Obtained:
    """A file of a matrix; `marks` tells the version of what it was made of, where that is known;
    `own` says that it lies in our folder and may be deleted."""

    path: Path
    marks: dict[str, str]
    own: bool


def _staged(
    entry: MatrixEntry, staging: list[str], unpacked: Path, refused: Refused
) -> Obtained | None:
    """The first file in the staging folders that will do; `refused` has the others added."""
    for path in staged_files(entry, staging):
        marks = {str(path): file_mark(path)}
        if refused.rejected.items() >= marks.items():
            continue
        try:
            if path.name.endswith(".tar.gz"):
                unpack(path, entry, unpacked)
                return Obtained(unpacked, marks, own=True)
            check(path, entry, path.name)
            return Obtained(path.resolve(), marks, own=False)
        except MatrixFileError as error:
            refused.add(f"staged {error}", marks)
    return None


def _kept(entry: MatrixEntry, unpacked: Path) -> Obtained | None:
    """The file of an earlier run; one that will not do is deleted."""
    if not unpacked.exists():
        return None
    try:
        check(unpacked, entry, unpacked.name)
        return Obtained(unpacked, {}, own=True)
    except MatrixFileError:
        unpacked.unlink()
        return None


def _downloaded(
    entry: MatrixEntry,
    source: Source,
    resources: Path,
    unpacked: Path,
    refused: Refused,
    progress: Progress,
) -> Obtained:
    if entry.group is None or not source.enabled:
        why = "it has no group to download from" if source.enabled else "downloads are off"
        raise refused.add(f"not staged, and {why}").error()
    archive = unpacked.with_name(f"{entry.name}.tar.gz")
    for url, base in source.urls(entry).items():
        host = Host(resources, base)
        with host.turn():
            if (reason := host.dead()) is not None:
                refused.add(reason)
                continue
            try:
                mark = fetch(url, archive, source, progress)
            except Unreachable as error:
                host.give_up(f"{base} cannot be reached: {str(error).removeprefix(url + ': ')}")
                refused.add(host.dead() or str(error))
                continue
            except DownloadError as error:
                refused.add(str(error))
                continue
        try:
            unpack(archive, entry, unpacked)
            return Obtained(unpacked, {url: mark}, own=True)
        except MatrixFileError as error:
            refused.add(f"downloaded {error}", {url: mark})
        finally:
            archive.unlink(missing_ok=True)
    raise refused.error()


def obtain(
    entry: MatrixEntry,
    staging: list[str],
    source: Source,
    resources: Path,
    refused: Refused,
    progress: Progress = lambda *_: None,
) -> Obtained:
    """The matrix's .mtx or .mtx.gz: staged, from an earlier run, or downloaded now. Raises
    Unavailable."""
    unpacked = resources / (entry.group or "staged") / f"{entry.name}.mtx"
    return (
        _staged(entry, staging, unpacked, refused)
        or _kept(entry, unpacked)
        or _downloaded(entry, source, resources, unpacked, refused, progress)
    )


def describe(matrix_info: str, source: str, name: str) -> dict[str, Any]:
    """matrix_info's JSON. Raises MatrixFileError with its message when it refuses the matrix."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "info.json"
        command = [matrix_info, source, "--matrix-name", name, "--json", str(out)]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            preexec_fn=program.ending_with_us(),
        )
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"matrix_info exits {done.returncode}"]
            raise MatrixFileError(lines[-1])
        info: dict[str, Any] = json.loads(out.read_text())
        return info


def resolve(
    entry: MatrixEntry, matrix_info: str, staging: list[str], source: Source, resources: Path
) -> dict[str, Any]:
    """The description of the matrix, or of why there is none. A file of ours that matrix_info
    refuses is deleted, and the next one is tried, down to the server's."""
    if entry.spec:
        return describe(matrix_info, entry.spec, entry.id) | {"path": None}
    refused = Refused()
    try:
        while True:
            found = obtain(entry, staging, source, resources, refused)
            try:
                info = describe(matrix_info, str(found.path), entry.id)
                try:
                    credit = read_credit(found.path)
                except FileNotFoundError:  # gone since: the jobs that read it will say so
                    credit = None
                return info | {"path": str(found.path)} | ({"credit": credit} if credit else {})
            except MatrixFileError as error:
                if "memory" in str(error):  # the file may be right
                    raise refused.add(str(error)).error() from None
                if found.own:
                    found.path.unlink(missing_ok=True)
                refused.add(str(error), found.marks)
                if found.marks.keys() & source.urls(entry).keys():
                    raise refused.error() from None
    except Unavailable as error:
        return {
            "name": entry.id,
            "unavailable": str(error),
            "rejected": error.rejected,
            "expected_sha256": entry.sha256,
        }


def write_atomically(path: Path, value: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part{os.getpid()}")
    partial.write_text(json.dumps(value, indent=1) + "\n")
    partial.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--definition", required=True, help="entry of the matrix list as JSON")
    parser.add_argument(
        "--access", required=True, help="JSON with staging, download, strict, sha256 and size"
    )
    parser.add_argument("--matrix-info", required=True, help="executable of that name")
    parser.add_argument("--resources", type=Path, required=True, help="folder of downloads")
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write")
    options = parser.parse_args()
    access = json.loads(options.access)
    definition = json.loads(options.definition) | {k: access[k] for k in ("sha256", "size")}
    entry = MatrixEntry.from_definition(definition)
    try:
        result = resolve(
            entry,
            options.matrix_info,
            access["staging"],
            Source(**access["download"]),
            options.resources,
        )
    except MatrixFileError as error:
        print(f"matrix {entry.id} ({entry.spec}): {error}", file=sys.stderr)
        return 1
    if reason := result.get("unavailable"):
        print(f"matrix {entry.id} is unavailable: {reason}", file=sys.stderr)
        if access["strict"]:
            return 1
    write_atomically(options.output, result)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
