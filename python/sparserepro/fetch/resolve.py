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
from pathlib import Path
from typing import Any

from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.download import DownloadError, Host, Source, Unreachable, fetch
from sparserepro.fetch.matrix_file import MatrixFileError, check, staged_files, unpack


class Unavailable(Exception):
    """The matrix is unavailable; `rejected` marks files that were there and will not do."""

    def __init__(self, reason: str, rejected: dict[str, str]):
        super().__init__(reason)
        self.rejected = rejected


def file_mark(path: Path) -> str:
    """Tells one version of a local file from another."""
    status = path.stat()
    return f"{status.st_size}|{status.st_mtime_ns}"


def obtain(entry: MatrixEntry, staging: list[str], source: Source, resources: Path) -> Path:
    """The matrix's .mtx or .mtx.gz: staged, from an earlier run, or downloaded now."""
    unpacked = resources / (entry.group or "staged") / f"{entry.name}.mtx"
    reasons, rejected = [], {}
    for path in staged_files(entry, staging):
        try:
            if path.name.endswith(".tar.gz"):
                unpack(path, entry, unpacked)
                return unpacked
            check(path, entry, path.name)
            return path.resolve()
        except MatrixFileError as error:
            reasons.append(f"staged {error}")
            rejected[str(path)] = file_mark(path)
    if unpacked.exists():
        try:
            check(unpacked, entry, unpacked.name)
            return unpacked
        except MatrixFileError:
            unpacked.unlink()
    if entry.group is None or not source.enabled:
        why = "it has no group to download from" if source.enabled else "downloads are off"
        reasons.append(f"not staged, and {why}")
        raise Unavailable("; ".join(reasons), rejected)
    url = source.url(entry)
    host = Host(resources, source.base_url)
    archive = unpacked.with_name(f"{entry.name}.tar.gz")
    with host.turn():
        if (reason := host.dead()) is not None:
            raise Unavailable("; ".join([*reasons, reason]), rejected)
        try:
            mark = fetch(url, archive, source)
        except Unreachable as error:
            host.give_up(
                f"{source.base_url} cannot be reached: {str(error).removeprefix(url + ': ')}"
            )
            raise Unavailable("; ".join([*reasons, host.dead() or str(error)]), rejected) from None
        except DownloadError as error:
            raise Unavailable("; ".join([*reasons, str(error)]), rejected) from None
    try:
        unpack(archive, entry, unpacked)
        return unpacked
    except MatrixFileError as error:
        rejected[url] = mark
        raise Unavailable("; ".join([*reasons, f"downloaded {error}"]), rejected) from None
    finally:
        archive.unlink(missing_ok=True)


def describe(matrix_info: str, source: str, name: str) -> dict[str, Any]:
    """matrix_info's JSON. Raises MatrixFileError with its message when it refuses the matrix."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "info.json"
        command = [matrix_info, source, "--matrix-name", name, "--json", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"matrix_info exits {done.returncode}"]
            raise MatrixFileError(lines[-1])
        info: dict[str, Any] = json.loads(out.read_text())
        return info


def resolve(
    entry: MatrixEntry, matrix_info: str, staging: list[str], source: Source, resources: Path
) -> dict[str, Any]:
    """The description of the matrix, or of why there is none."""
    try:
        path = None if entry.spec else obtain(entry, staging, source, resources)
        try:
            info = describe(matrix_info, entry.spec or str(path), entry.id)
        except MatrixFileError as error:
            if path is None:
                raise
            raise Unavailable(str(error), {str(path): file_mark(path)}) from None
        return info | {"path": None if path is None else str(path)}
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
        "--access", required=True, help="JSON with staging, download, strict and sha256"
    )
    parser.add_argument("--matrix-info", required=True, help="executable of that name")
    parser.add_argument("--resources", type=Path, required=True, help="folder of downloads")
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write")
    options = parser.parse_args()
    access = json.loads(options.access)
    definition = json.loads(options.definition) | {"sha256": access["sha256"]}
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
    sys.exit(main())
