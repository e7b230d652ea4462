"""Hashes of files of records: a job's file has its own beside it, NAME.sha256, and a measurement
set has those of all its files in SHA256SUMS. Both are what `sha256sum --check` reads.

As a program it writes SHA256SUMS of sets anew, or compares:

    python -m sparserepro.data.digests report/measurements/*
    python -m sparserepro.data.digests --check report/measurements/*
"""

import argparse
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from sparserepro import program
from sparserepro.offline.packing import sha256_of

SUMS = "SHA256SUMS"
SUFFIX = ".sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


class Altered(Exception):
    """Files are not as their hashes say, one a line, or the hashes are not there."""


def beside(path: Path) -> Path:
    """Where the hash of a file lies."""
    return path.with_name(path.name + SUFFIX)


def line(name: str, digest: str) -> str:
    return f"{digest}  {name}\n"


def write_beside(path: Path, content: Path | None = None) -> None:
    """Writes the hash of a file; of `content`, if that is about to take the file's place."""
    beside(path).write_text(line(path.name, sha256_of(content or path)))


def listed(file: Path) -> dict[str, str]:
    """Names and hashes. Raises Altered."""
    found = {}
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Altered(f"{file}: cannot be read: {error}") from None
    for number, written in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(written)
        if match is None:
            raise Altered(f"{file}:{number}: no SHA-256 and name of a file")
        found[match[2]] = match[1]
    return found


def check_beside(paths: Iterable[Path]) -> None:
    """Raises Altered with a line for each file that is not as its job wrote it."""
    wrong = []
    for path in paths:
        file = beside(path)
        if not path.exists():
            wrong.append(f"{path} is gone")
        elif not file.exists():
            wrong.append(f"{path} has no hash beside it ({file.name})")
        elif listed(file) != {path.name: sha256_of(path)}:
            wrong.append(f"{path} is not what its job wrote: see {file.name}")
    if wrong:
        raise Altered("\n".join([*wrong, "Delete such a file to have its job measured again."]))


def sources_of(made: Path) -> Path:
    """Where the hashes of the files lie that a file was made of, by their ways from its folder."""
    return made.with_name("sources" + SUFFIX)


def write_sources(made: Path, paths: Iterable[Path]) -> None:
    lines = [line(os.path.relpath(path, made.parent), sha256_of(path)) for path in paths]
    sources_of(made).write_text("".join(lines))


def lost(made: Path, paths: Iterable[str]) -> list[str]:
    """Those of `paths` that `made` was made of, and that are not there any more."""
    if not made.exists() or not sources_of(made).exists():
        return []
    known = listed(sources_of(made))
    return [p for p in paths if os.path.relpath(p, made.parent) in known and not Path(p).exists()]


def members(folder: Path) -> list[Path]:
    """The files of a set that its hashes are of."""
    found = [path for kind in ("*.jsonl", "*/*.json") for path in folder.glob(kind)]
    return sorted(found)


def write_set(folder: Path) -> None:
    lines = [line(path.relative_to(folder).as_posix(), sha256_of(path)) for path in members(folder)]
    partial = folder / f"{SUMS}.part"
    try:
        partial.write_text("".join(lines), encoding="utf-8")
        partial.replace(folder / SUMS)
    finally:
        partial.unlink(missing_ok=True)


def differing(folder: Path) -> list[str]:
    """What of a set is not as its hashes say, in a few words each. Raises Altered."""
    known = listed(folder / SUMS)
    there = {path.relative_to(folder).as_posix(): path for path in members(folder)}
    return [
        *(f"{folder / name} is gone" for name in sorted(known.keys() - there.keys())),
        *(f"{folder / name} is not in {SUMS}" for name in sorted(there.keys() - known.keys())),
        *(
            f"{folder / name} is not what was archived"
            for name in sorted(known.keys() & there.keys())
            if sha256_of(there[name]) != known[name]
        ),
    ]


def check_set(folder: Path) -> None:
    """Raises Altered unless the files of a set are those that were archived."""
    if not (folder / SUMS).exists():
        raise Altered(
            f"{folder} has no {SUMS}: python -m sparserepro.data.digests {folder} writes it"
        )
    if wrong := differing(folder):
        raise Altered("\n".join(wrong))


def check_known(paths: Iterable[Path]) -> None:
    """Raises Altered for files that are not as the hashes beside them say, where there are
    such: of a job, or of the set that they lie in."""
    paths = list(paths)
    check_beside(path for path in paths if beside(path).exists())
    for folder in dict.fromkeys(path.parent for path in paths):
        if (folder / SUMS).exists():
            check_set(folder)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", type=Path, nargs="+", help="folders")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    try:
        for folder in filter(Path.is_dir, options.sets):
            check_set(folder) if options.check else write_set(folder)
    except (OSError, Altered) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
