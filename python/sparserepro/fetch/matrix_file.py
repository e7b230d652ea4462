"""Finding, unpacking and checking the .mtx file of a SuiteSparse matrix."""

import gzip
import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from sparserepro.config.matrix_list import MatrixEntry

SUFFIXES = (".mtx", ".mtx.gz", ".tar.gz")
_LINE, _COMMENTS = 200, 1 << 26
"""Bytes that an entry and all comments of a file take at most."""
_DAMAGED = (OSError, EOFError, zlib.error, tarfile.TarError)


class MatrixFileError(Exception):
    """The file is not the matrix that was asked for; the message says why."""


def staged_files(entry: MatrixEntry, folders: list[str]) -> Iterator[Path]:
    """Files of the matrix in the staging folders, or below them by group, best form first."""
    for folder in map(Path, folders):
        for place in (folder, folder / entry.group) if entry.group else (folder,):
            for suffix in SUFFIXES:
                path = place / f"{entry.name}{suffix}"
                if path.is_file():
                    yield path


def open_text(path: Path) -> BufferedIOBase:
    """The uncompressed bytes of a .mtx or .mtx.gz."""
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def unpack(archive: Path, entry: MatrixEntry, target: Path) -> None:
    """Writes the archive's member Name/Name.mtx to `target`, which appears only when it is whole.

    Archives hold further .mtx files (right-hand sides, coordinates), so only that member will do.
    Reading goes on to the archive's end: that is where gzip's checksum shows a truncated file.
    """
    wanted = f"{entry.name}/{entry.name}.mtx"
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.part{os.getpid()}")
    names = []
    try:
        with gzip.open(archive, "rb") as plain:
            with tarfile.open(fileobj=plain, mode="r|") as members:
                for member in members:
                    names.append(member.name)
                    if member.name.removeprefix("./") != wanted or not member.isfile():
                        continue
                    _refuse_huge(member, entry, archive.name, target)
                    source = members.extractfile(member)
                    if source is not None:  # never for a file
                        with source, partial.open("wb") as out:
                            shutil.copyfileobj(source, out, 1 << 20)
            while plain.read(1 << 20):
                pass
        if not partial.exists():
            held = ", ".join(names[:4]) or "nothing"
            raise MatrixFileError(f"{archive.name} has no member {wanted} (it holds {held})")
        check(partial, entry, archive.name)
        partial.replace(target)
    except _DAMAGED as error:
        raise MatrixFileError(f"{archive.name} is damaged: {error}") from None
    finally:
        partial.unlink(missing_ok=True)


def _refuse_huge(member: tarfile.TarInfo, entry: MatrixEntry, shown: str, target: Path) -> None:
    """Raises MatrixFileError for a member that is too large for its matrix or for the disk."""
    if entry.entries is not None and member.size > _COMMENTS + _LINE * entry.entries:
        raise MatrixFileError(
            f"{shown} holds {member.size} bytes for a matrix of {entry.entries} entries"
        )
    free = shutil.disk_usage(target.parent).free
    if member.size > free:
        raise MatrixFileError(f"{shown} holds {member.size} bytes, {free} are free on the disk")


def check(path: Path, entry: MatrixEntry, shown: str) -> None:
    """Raises MatrixFileError unless size line and checksum are those of the entry."""
    try:
        with open_text(path) as text:
            size = _size_line(text, shown)
        expected = (entry.rows, entry.cols, entry.entries)
        for what, got, want in zip(("rows", "columns", "entries"), size, expected, strict=True):
            if want is not None and got != want:
                raise MatrixFileError(f"{shown} has {got} {what}, expected {want}")
        if entry.sha256 is not None and (digest := sha256_of(path)) != entry.sha256:
            raise MatrixFileError(
                f"{shown} has sha256 {digest[:12]}..., expected {entry.sha256[:12]}..."
            )
    except _DAMAGED as error:
        raise MatrixFileError(f"{shown} is damaged: {error}") from None


def _size_line(text: BufferedIOBase, shown: str) -> tuple[int, int, int]:
    if not text.readline(200).lower().startswith(b"%%matrixmarket"):
        raise MatrixFileError(f"{shown} does not begin as a Matrix Market file")
    for line in text:
        if line.strip() and not line.startswith(b"%"):
            numbers = line.split()
            if len(numbers) != 3 or not all(number.isdigit() for number in numbers):
                break
            return int(numbers[0]), int(numbers[1]), int(numbers[2])
    raise MatrixFileError(f"{shown} has no size line of three numbers")


def sha256_of(path: Path) -> str:
    """Of the uncompressed bytes."""
    digest = hashlib.sha256()
    with open_text(path) as text:
        while block := text.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
