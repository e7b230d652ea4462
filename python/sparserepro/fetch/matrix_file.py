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
from typing import BinaryIO, cast

from sparserepro.config.matrix_list import MatrixEntry

SUFFIXES = (".mtx", ".mtx.gz", ".tar.gz")
_LINE, _COMMENTS = 200, 1 << 26
"""Bytes that an entry and all comments of a file take at most."""
_OTHER_MEMBERS = 4
"""An archive holds at most so many times what its matrix may."""
_HEADER = 1 << 20
"""Bytes of an archive before a member's content at most."""
_DAMAGED = (OSError, EOFError, ValueError, OverflowError, zlib.error, tarfile.TarError)


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


class _Bounded:
    """Reads a stream that may give no more than it was allowed to: an archive that unpacks without
    end, or whose headers do, is refused where it begins to."""

    def __init__(self, plain: BufferedIOBase, most: int, shown: str):
        self._plain, self._most, self._shown = plain, most, shown
        self._allowed, self._read = _HEADER, 0

    def allow(self, size: int) -> None:
        self._allowed += size + _HEADER

    def read(self, size: int) -> bytes:
        block = self._plain.read(size)
        self._read += len(block)
        if self._read > min(self._allowed, self._most):
            raise MatrixFileError(f"{self._shown} unpacks to more than its matrix needs")
        return block


def _printable(name: str) -> str:
    """A member's name as part of one line."""
    text = name if name.isprintable() else ascii(name)[1:-1]
    return text if len(text) <= 60 else text[:57] + "..."


def unpack(archive: Path, entry: MatrixEntry, target: Path) -> None:
    """Writes the archive's member Name/Name.mtx to `target`, which appears only when it is whole.

    Archives hold further .mtx files (right-hand sides, coordinates), so only that member will do.
    Reading goes on to the archive's end: that is where gzip's checksum shows a truncated file.
    """
    wanted = f"{entry.name}/{entry.name}.mtx"
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.part{os.getpid()}")
    names: list[str] = []
    try:
        with gzip.open(archive, "rb") as stream:
            plain = _Bounded(stream, _OTHER_MEMBERS * _most_bytes(entry), archive.name)
            # Of a stream tarfile needs no more than read().
            with tarfile.open(fileobj=cast(BinaryIO, plain), mode="r|") as members:
                for member in members:
                    plain.allow(member.size)
                    if len(names) < 4:
                        names.append(_printable(member.name))
                    if member.name.removeprefix("./") != wanted:
                        continue
                    if not member.isfile() or member.issparse():
                        raise MatrixFileError(f"in {archive.name} {wanted} is no plain file")
                    if partial.exists():
                        raise MatrixFileError(f"{archive.name} has {wanted} twice")
                    _refuse_huge(member, entry, archive.name, target)
                    source = members.extractfile(member)
                    if source is not None:  # never for a file
                        with source, partial.open("wb") as out:
                            shutil.copyfileobj(source, out, 1 << 20)
            while plain.read(1 << 20):
                pass
        if not partial.exists():
            held = ", ".join(names) or "nothing"
            raise MatrixFileError(f"{archive.name} has no member {wanted} (it holds {held})")
        check(partial, entry, archive.name)
        partial.replace(target)
    except _DAMAGED as error:
        raise MatrixFileError(f"{archive.name} is damaged: {error}") from None
    finally:
        partial.unlink(missing_ok=True)


def _refuse_huge(member: tarfile.TarInfo, entry: MatrixEntry, shown: str, target: Path) -> None:
    """Raises MatrixFileError for a member that is too large for its matrix or for the disk."""
    if entry.size is not None and member.size != entry.size:
        raise MatrixFileError(f"{shown} holds {member.size} bytes, expected {entry.size}")
    if member.size > _most_bytes(entry):
        raise MatrixFileError(
            f"{shown} holds {member.size} bytes for a matrix of {_known_entries(entry)} entries"
        )
    free = shutil.disk_usage(target.parent).free
    if member.size > free:
        raise MatrixFileError(f"{shown} holds {member.size} bytes, {free} are free on the disk")


def _known_entries(entry: MatrixEntry) -> int:
    """Entries of the file at most; those of a matrix without a size are beyond any file."""
    known = entry.entries if entry.entries is not None else entry.stored
    return 1 << 40 if known is None else known


def _most_bytes(entry: MatrixEntry) -> int:
    return _COMMENTS + _LINE * _known_entries(entry)


def fits(stored: int, symmetry: str, rows: int, entries: int) -> bool:
    """Whether a file of so many entries can be of a matrix with `stored` ones. A symmetric file has
    each pair once, and none to `rows` entries of the diagonal."""
    if symmetry == "general":
        return entries == stored
    return stored <= 2 * entries <= stored + (0 if symmetry == "skew-symmetric" else rows)


def check(path: Path, entry: MatrixEntry, shown: str) -> None:
    """Raises MatrixFileError unless size line, size and checksum are those of the entry."""
    try:
        with open_text(path) as text:
            symmetry, size = _size_line(text, shown)
        expected = (entry.rows, entry.cols, entry.entries)
        for what, got, want in zip(("rows", "columns", "entries"), size, expected, strict=True):
            if want is not None and got != want:
                raise MatrixFileError(f"{shown} has {got} {what}, expected {want}")
        if entry.stored is not None and not fits(entry.stored, symmetry, size[0], size[2]):
            raise MatrixFileError(
                f"{shown} has {size[2]} entries ({symmetry}), expected a matrix of {entry.stored}"
            )
        if entry.sha256 is not None and (digest := sha256_of(path)) != entry.sha256:
            raise MatrixFileError(f"{shown} has sha256 {digest}, expected {entry.sha256}")
    except _DAMAGED as error:
        raise MatrixFileError(f"{shown} is damaged: {error}") from None


def _size_line(text: BufferedIOBase, shown: str) -> tuple[str, tuple[int, int, int]]:
    """The symmetry, and rows, columns and entries of the file."""
    banner = text.readline(200).lower().split()
    if not banner or banner[0] != b"%%matrixmarket":
        raise MatrixFileError(f"{shown} does not begin as a Matrix Market file")
    for line in text:
        if line.strip() and not line.startswith(b"%"):
            numbers = line.split()
            if len(numbers) != 3 or not all(number.isdigit() for number in numbers):
                break
            symmetry = banner[4].decode("ascii", "replace") if len(banner) > 4 else "general"
            return symmetry, (int(numbers[0]), int(numbers[1]), int(numbers[2]))
    raise MatrixFileError(f"{shown} has no size line of three numbers")


def sha256_of(path: Path) -> str:
    """Of the uncompressed bytes."""
    digest = hashlib.sha256()
    with open_text(path) as text:
        while block := text.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
