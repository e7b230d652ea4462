"""Reads a file of results, and takes nothing from it that its manifest does not vouch for."""

import shutil
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from sparserepro import program
from sparserepro.bundle.errors import BundleError
from sparserepro.config.check import ConfigError, validate
from sparserepro.offline.packing import MANIFEST, differing

_DAMAGED = (OSError, EOFError, zlib.error, tarfile.TarError)


def place_of(info: tarfile.TarInfo) -> PurePosixPath:
    """Where a member lies below the archive's one folder. Raises BundleError for an unsafe one."""
    path = PurePosixPath(info.name)
    if not info.isreg():
        raise BundleError(f"{info.name} is not a regular file")
    if path.is_absolute() or ".." in path.parts:
        raise BundleError(f"{info.name} lies outside of the archive")
    if len(path.parts) < 2:
        raise BundleError(f"{info.name} lies in no folder")
    return PurePosixPath(*path.parts[1:])


def members(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, PurePosixPath]]:
    """All members, each with its place. Raises BundleError."""
    tops, seen = set(), set()
    for info in archive:
        place = place_of(info)
        tops.add(PurePosixPath(info.name).parts[0])
        if place in seen or len(tops) > 1:
            raise BundleError(f"{info.name} occurs twice, or lies in a second folder")
        seen.add(place)
        yield info, place


def unpack(path: Path, folder: Path) -> dict[str, Any]:
    """Writes the files into the folder; the manifest. Raises BundleError unless the files are those
    of the manifest, with the hashes that it says."""
    try:
        with tarfile.open(path) as archive:
            for info, place in members(archive):
                target = folder / place
                target.parent.mkdir(parents=True, exist_ok=True)
                content = archive.extractfile(info)
                if content is not None:  # never for a regular file
                    with content, target.open("xb") as out:
                        shutil.copyfileobj(content, out, 1 << 20)
    except BundleError as error:
        raise BundleError(f"{path}: {error}") from None
    except _DAMAGED as error:
        raise BundleError(f"{path} cannot be read: {_reason(error)}") from None
    return checked(path, folder)


def _reason(error: Exception) -> str:
    """In a line, without the path."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    # Of what no kind of compression opens, tarfile has a line for each kind.
    return "it is no archive of tar" if "\n" in str(error) else str(error)


def checked(path: Path, folder: Path) -> dict[str, Any]:
    """The manifest in the folder, to which `path` was unpacked. Raises BundleError."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        manifest: dict[str, Any] = validate(program.json_of(text), "results.schema.yaml", path.name)
    except (OSError, ValueError):
        raise BundleError(f"{path} has no manifest: `./measure` of a bundle writes one") from None
    except ConfigError as error:
        raise BundleError(str(error)) from None
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    strange = sorted(there - {MANIFEST} - manifest["files"].keys())
    wrong = [
        *differing(folder, manifest["files"]),
        *(f"{name}: not in the manifest" for name in strange),
    ]
    if wrong:
        lines = "\n".join(f"  {line}" for line in wrong[:10])
        raise BundleError(f"{path} was changed after the measurement:\n{lines}")
    return manifest
