"""`sparserepro lock`: keeps hashes and sizes of the files that a configuration measures."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from sparserepro.config import lock
from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.credit import read_credit
from sparserepro.fetch.download import Source
from sparserepro.fetch.fetching import present
from sparserepro.fetch.matrix_file import open_text, sha256_of
from sparserepro.fetch.wanted import planned
from sparserepro.paths import MATRIX_LIST


def _size_of(path: Path) -> int:
    """Of the uncompressed bytes."""
    if path.suffix != ".gz":
        return path.stat().st_size
    with open_text(path) as text:
        return sum(map(len, iter(lambda: text.read(1 << 20), b"")))


def own_file(entry: MatrixEntry, path: Path) -> bool:
    """Whether the head of the file says that the collection wrote it for this matrix."""
    return read_credit(path).get("name") == f"{entry.group}/{entry.name}"


def command(options: argparse.Namespace) -> int:
    """Raises ConfigError."""
    plan = planned(options.configfile, seed=options.seed)
    source = Source(**plan.config["download"])
    staging = [*options.staging, *plan.config["staging"]]
    path = MATRIX_LIST.with_suffix(".lock")
    locked = lock.load(path)
    added = absent = 0
    other, converted = [], []
    for entry in (entry for entry in plan.files if entry.group):
        found = present(replace(entry, sha256=None, size=None), staging, source)
        if found is None:
            absent += 1
            continue
        if not own_file(entry, found.path):
            converted.append(entry.id)
            continue
        now = (sha256_of(found.path), _size_of(found.path))
        before = locked.get(entry.id)
        if before not in (None, now):
            other.append(
                f"  {entry.id}: locked sha256 {before[0]} ({before[1]} bytes), "
                f"{found.path} has {now[0]} ({now[1]} bytes)"
            )
            if not options.replace:
                continue
        added += before != now
        locked[entry.id] = now
    lock.write(path, locked)
    print(f"{path.name}: {added} written, {len(locked)} in all; {absent} files are not here")
    if converted:
        print(f"  not the collection's own files, so not locked: {', '.join(converted)}")
    if other:
        said = "Replaced" if options.replace else "Other files than were locked (--replace)"
        print("\n".join([f"{said}:", *other]), file=sys.stderr)
    return 1 if other and not options.replace else 0
