"""Archives whose bytes depend on the files in them alone, and the hashes that tell them apart."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Union

MANIFEST = "MANIFEST.json"
FORMAT = 1
"""Of the manifests of bundles and of results; another one is refused."""

TIME = 315532800
"""Of every file in an archive, in seconds: the first day of 1980, which all tools take."""

Entry = dict[str, Any]


class Member(NamedTuple):
    """A file of an archive: its name, its bytes or where they lie, or what it links to."""

    name: str
    content: Union[bytes, Path] = b""  # noqa: UP007  # read by Python 3.9
    executable: bool = False
    link: str = ""


def in_order(members: Iterable[Member]) -> list[Member]:
    return sorted(members, key=lambda member: member.name)


def sha256_of(content: bytes | Path) -> str:
    digest = hashlib.sha256()
    if isinstance(content, bytes):
        digest.update(content)
    else:
        with content.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def entry(member: Member) -> Entry:
    """What a manifest says of a file."""
    if member.link:
        return {"link": member.link}
    content = member.content
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    return {"sha256": sha256_of(content), "size": size}


def entries(members: Iterable[Member]) -> dict[str, Entry]:
    return {member.name: entry(member) for member in in_order(members)}


def differing(folder: Path, files: dict[str, Entry]) -> list[str]:
    """The files that are not as their manifest says, each with what is wrong."""
    found = []
    for name, told in files.items():
        path = folder / name
        if "link" in told:
            if not path.is_symlink() or str(path.readlink()) != told["link"]:
                found.append(f"{name}: no link to {told['link']}")
        elif not path.is_file():
            found.append(f"{name}: missing")
        elif path.stat().st_size != told["size"] or sha256_of(path) != told["sha256"]:
            found.append(f"{name}: other content")
    return found


def write_archive(output: Path, top: str, members: Iterable[Member]) -> None:
    """A tar file, compressed where its name ends with gz, with everything in the folder `top`.

    Order, owners and times are always the same. The file appears only when it is whole.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f"{output.name}.part{os.getpid()}")
    try:
        with partial.open("wb") as raw:
            if output.suffix in (".gz", ".tgz"):
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                    _write_members(packed, top, members)
            else:
                _write_members(raw, top, members)
        partial.replace(output)
    finally:
        if partial.exists():
            partial.unlink()


def _write_members(out: Any, top: str, members: Iterable[Member]) -> None:
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in in_order(members):
            header = tarfile.TarInfo(f"{top}/{member.name}")
            header.mode = 0o755 if member.executable else 0o644
            header.mtime = TIME
            if member.link:
                header.type, header.linkname = tarfile.SYMTYPE, member.link
                archive.addfile(header)
            elif isinstance(member.content, bytes):
                header.size = len(member.content)
                archive.addfile(header, io.BytesIO(member.content))
            else:
                header.size = member.content.stat().st_size
                with member.content.open("rb") as content:
                    archive.addfile(header, content)
