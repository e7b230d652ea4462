"""The files of the matrices of a bundle, as far as they are here or can be downloaded."""

import os
from pathlib import Path
from typing import Any

from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.download import Source
from sparserepro.fetch.resolve import Refused, Unavailable, obtain
from sparserepro.offline.packing import Member


def members(
    entries: list[MatrixEntry], config: dict[str, Any], staging: list[str], resources: Path
) -> tuple[list[Member], dict[str, str]]:
    """The files, and why others are unavailable, by id. Generated matrices need none."""
    os.environ.setdefault("SPARSEREPRO_RUN", f"export-{os.getpid()}")  # a dead host is asked once
    source = Source(**config["download"])
    found: dict[str, Member] = {}
    unavailable = {}
    for entry in entries:
        try:
            path = obtain(entry, [*staging, *config["staging"]], source, resources, Refused()).path
        except Unavailable as error:
            unavailable[entry.id] = str(error)
            continue
        suffix = ".mtx.gz" if path.name.endswith(".gz") else ".mtx"
        group = f"{entry.group}/" if entry.group else ""
        name = f"matrices/{group}{entry.name}{suffix}"
        found[name] = Member(name, path)
    return list(found.values()), unavailable
