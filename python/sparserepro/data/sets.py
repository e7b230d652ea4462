"""Measurement sets: the folders of report/measurements/, one a machine.

A set holds records (`<problem>.jsonl`), the catalogue of each of their problems
(`catalogue/<problem>.json`) and the facts of each of their matrices (`matrices/<id>.json`), so that
a report can be made from it alone.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparserepro.config.check import ConfigError, nearest
from sparserepro.data.digests import SUMS

Record = dict[str, Any]


def chosen(root: Path, names: str | list[str]) -> list[Path]:
    """The folders with these names, or all that hold records or hashes of some. Raises ConfigError
    for a name that no folder has."""
    known = sorted({p.parent for name in ("*.jsonl", SUMS) for p in root.glob(f"*/{name}")})
    if names == "all":
        return known
    folders = {path.name: path for path in known}
    for name in names:
        if name not in folders:
            raise ConfigError(
                f'report.sets: no set "{name}" in {root}{nearest(name, folders)} '
                f"(known: {', '.join(folders) or 'none'})"
            )
    return [folders[name] for name in names]


def problems(folders: Iterable[Path]) -> list[str]:
    """The problems that the sets have records of."""
    return sorted({path.stem for folder in folders for path in folder.glob("*.jsonl")})


def records(folders: Iterable[Path], wanted: Iterable[str]) -> list[Path]:
    return [path for f in folders for p in wanted if (path := f / f"{p}.jsonl").exists()]


def sums(folders: Iterable[Path]) -> list[Path]:
    """The files of hashes. Raises ConfigError where a set has none."""
    for folder in folders:
        if not (folder / SUMS).exists():
            raise ConfigError(
                f"report.sets: {folder} has no {SUMS}, by which altered records are noticed; "
                f"python -m sparserepro.data.digests {folder} writes it"
            )
    return [folder / SUMS for folder in folders]


def catalogues(folders: Iterable[Path], wanted: Iterable[str]) -> list[Path]:
    return [path for f in folders for p in wanted if (path := f / f"catalogue/{p}.json").exists()]


def matrices(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.glob("matrices/*.json"))]


def lacking(found: Iterable[Record], catalogued: set[str], described: set[str]) -> list[str]:
    """What the records need beside them and do not have, each in a few words: catalogues of their
    problems, facts of their matrices. Generated arrays have none."""
    found = list(found)
    problems_without = {r["problem"] for r in found} - catalogued
    named = {r["matrix"]["name"] for r in found if r["matrix"]["origin"] != "array"}
    matrices_without = named - described
    return [
        f"no {what}: {', '.join(sorted(names))} (./measure --pack writes them)"
        for what, names in (
            ("catalogue of", problems_without),
            ("facts of", matrices_without),
        )
        if names
    ]


def lacking_in(folder: Path, found: Iterable[Record]) -> list[str]:
    """The same for the records of a set's folder."""
    return lacking(
        found,
        {path.stem for path in folder.glob("catalogue/*.json")},
        {path.stem for path in folder.glob("matrices/*.json")},
    )
