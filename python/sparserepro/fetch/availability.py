"""Unavailable matrices: which of them are worth another try, and how to name them."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.download import Source, Unreachable, probe
from sparserepro.fetch.matrix_file import staged_files
from sparserepro.fetch.resolve import file_mark

_PROBE_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class Missing:
    """A matrix whose description says that it is unavailable."""

    entry: MatrixEntry
    reason: str
    rejected: dict[str, str]


def described(path: Path) -> dict[str, Any]:
    """What a description tells; nothing of one that is damaged."""
    try:
        told = program.read_json(path)
    except program.FileError:
        return {}
    return told if isinstance(told, dict) else {}


def missing_matrices(entries: list[MatrixEntry], folder: Path) -> list[Missing]:
    """Of those that were tried, the unavailable ones."""
    missing = []
    for entry in entries:
        path = folder / f"{entry.id}.json"
        if path.exists():
            result = described(path)
            if "unavailable" in result:
                missing.append(Missing(entry, result["unavailable"], result["rejected"]))
    return missing


def lost_matrices(entries: list[MatrixEntry], folder: Path, records: Path) -> list[MatrixEntry]:
    """Matrices whose file has been moved or deleted since it was described, whose description is
    damaged, and those that have records but no description any more (resolution failed in strict
    mode)."""
    found = []
    for entry in entries:
        path = folder / f"{entry.id}.json"
        if path.exists():
            told = described(path)
            file = told.get("path")
            if not told or (file is not None and not Path(file).exists()):
                found.append(entry)
        elif any(records.glob(f"*/{entry.id}/*.jsonl")):
            found.append(entry)
    return found


def with_another_checksum(entries: list[MatrixEntry], folder: Path) -> list[MatrixEntry]:
    """Matrices whose checksum in the list is not that of the file, or not the one by which the
    file was refused."""
    found = []
    for entry in entries:
        path = folder / f"{entry.id}.json"
        told = described(path) if path.exists() else {}
        if "unavailable" in told:
            other = told.get("expected_sha256") != entry.sha256
        else:
            known = entry.sha256 is not None and told.get("path") is not None
            other = known and told.get("sha256") != entry.sha256
        if other:
            found.append(entry)
    return found


def worth_another_try(missing: list[Missing], staging: list[str], source: Source) -> list[Missing]:
    """Those that a staging folder or the server has now, in another form than was rejected.

    Cheap: one request for each matrix, three seconds at most, and none after a dead host.
    """
    again: list[Missing] = []
    dead: set[str] = set()
    for matrix in missing:
        staged = staged_files(matrix.entry, staging)
        new = any(matrix.rejected.get(str(path)) != file_mark(path) for path in staged)
        asked = source.enabled and matrix.entry.group is not None
        if new or (asked and _served(matrix, source, dead)):
            again.append(matrix)
    return again


def _served(matrix: Missing, source: Source, dead: set[str]) -> bool:
    """Whether an address has the matrix in another form than was rejected; has addresses whose
    host is dead added to `dead`."""
    for url, base in source.urls(matrix.entry).items():
        if base in dead:
            continue
        try:
            mark = probe(url, min(_PROBE_TIMEOUT_S, source.timeout_s))
        except Unreachable:
            dead.add(base)
            continue
        if mark is not None and mark != matrix.rejected.get(url):
            return True
    return False


def try_again(entry: MatrixEntry, tries: Path) -> None:
    """Renews the file that the rule which resolves the matrix depends on once there is one."""
    tries.mkdir(parents=True, exist_ok=True)
    (tries / entry.id).write_text(f"{time.time_ns()}\n")


def summary(missing: list[Missing], lead: str) -> str:
    """One line for each matrix under a heading, or the empty string."""
    if not missing:
        return ""
    width = max(len(matrix.entry.id) for matrix in missing)
    lines = [f"  {matrix.entry.id:<{width}}  {matrix.reason}" for matrix in missing]
    return "\n".join([f"{lead} ({len(missing)}):", *lines])
