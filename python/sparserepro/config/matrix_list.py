"""The matrices of config/matrices.yaml and their selection by id, "@class" or "@set".

The hashes and sizes of config/matrices.lock are added to the entries. A configuration adds the
matrices that it draws.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparserepro.config import lock, unseen
from sparserepro.config.check import ConfigError, nearest, validate
from sparserepro.config.file import load_config_file

COLLECTION = "suitesparse"
"""Selects all matrices of the collection, as if it were their class."""


@dataclass(frozen=True)
class MatrixEntry:
    """One matrix: `spec` for a generated one, `group` and `name` for one of SuiteSparse.

    A name without a group is a file of the user's, which only staging folders can bring.
    """

    id: str
    cls: str = ""
    spec: str | None = None
    group: str | None = None
    name: str | None = None
    sha256: str | None = None
    size: int | None = None
    rows: int | None = None
    cols: int | None = None
    entries: int | None = None
    stored: int | None = None
    why: str = ""

    def definition(self) -> dict[str, Any]:
        """What makes it another matrix; JSON-ready. The class only groups tables; checksum and
        size only confirm the file."""
        fields = {"id": self.id}
        for key in ("spec", "group", "name", "rows", "cols", "entries", "stored"):
            if getattr(self, key) is not None:
                fields[key] = getattr(self, key)
        return fields

    @classmethod
    def from_definition(cls, fields: dict[str, Any]) -> "MatrixEntry":
        return cls(**{("cls" if key == "class" else key): value for key, value in fields.items()})


class MatrixList:
    """All entries by id, the classes, and the named sets."""

    def __init__(self, entries: dict[str, MatrixEntry], sets: dict[str, list[str]]):
        self.entries = entries
        self.sets = sets
        self.classes: dict[str, list[str]] = {
            COLLECTION: [entry.id for entry in entries.values() if entry.group]
        }
        for entry in entries.values():
            self.classes.setdefault(entry.cls, []).append(entry.id)

    def select(self, names: list[str], where: str) -> list[str]:
        """Ids in the order of `names`, each once. Raises ConfigError for an unknown name."""
        selected: dict[str, None] = {}
        for name in names:
            if name.startswith("@"):
                groups = self.classes | self.sets
                if name[1:] not in groups:
                    hint = nearest(name, ["@" + group for group in groups])
                    known = ", ".join("@" + group for group in sorted(groups))
                    raise ConfigError(f'{where}: no class or set "{name}"{hint} (known: {known})')
                selected.update(dict.fromkeys(groups[name[1:]]))
            elif name in self.entries:
                selected[name] = None
            else:
                hint = nearest(name, self.entries)
                raise ConfigError(
                    f'{where}: no matrix "{name}"{hint} (config/matrices.yaml lists all)'
                )
        return list(selected)


def _locked(entries: dict[str, MatrixEntry], path: Path) -> dict[str, MatrixEntry]:
    """The entries with the hashes and sizes of the lock beside the list. Raises ConfigError."""
    locked = dict(entries)
    for id_, (sha256, size) in lock.load(path.with_suffix(".lock")).items():
        if (entry := entries.get(id_)) is None:
            continue
        if entry.sha256 not in (None, sha256):
            raise ConfigError(
                f"{id_}: {path.name} has sha256 {entry.sha256}, {path.stem}.lock has {sha256}"
            )
        locked[id_] = replace(entry, sha256=sha256, size=size)
    return locked


def load_matrix_list(path: Path) -> MatrixList:
    """Reads and checks the list and its lock. Raises ConfigError."""
    checked = validate(load_config_file(path), "matrices.schema.yaml", path.name)
    entries = {}
    for id_, fields in checked["matrices"].items():
        if "spec" in fields and (extra := set(fields) - {"class", "spec"}):
            raise ConfigError(
                f"{path.name}: {id_} is generated, so it cannot have {', '.join(sorted(extra))}"
            )
        if "spec" not in fields:
            if "group" not in fields and "name" not in fields:
                raise ConfigError(f"{path.name}: {id_} needs a spec, a group or a name")
            fields.setdefault("name", id_)
            if "rows" in fields:
                fields.setdefault("cols", fields["rows"])
        entries[id_] = MatrixEntry.from_definition({"id": id_, **fields})
    matrices = MatrixList(_locked(entries, path), checked["sets"])
    for name, ids in checked["sets"].items():
        if name in matrices.classes:
            raise ConfigError(f'{path.name}: the set "{name}" has the name of a class')
        matrices.select(ids, f"{path.name}: set {name}")
    return matrices


def matrices_of(config: dict[str, Any], path: Path) -> MatrixList:
    """The list, and the matrices that a configuration which `check_config` has completed draws, in
    the sets that it names. Raises ConfigError."""
    listed = load_matrix_list(path)
    if not config["unseen"]:
        return listed
    entries, sets = dict(listed.entries), {name: list(ids) for name, ids in listed.sets.items()}
    for name in config["unseen"]:
        if name in listed.classes or name in sets:
            raise ConfigError(f'unseen.{name}: {path.name} has a class or a set "{name}" already')
        sets[name] = []
    for matrix in unseen.drawn(config["seed"], config["unseen"]):
        entries[matrix.id] = MatrixEntry(matrix.id, cls=matrix.cls, spec=matrix.spec)
        sets[matrix.of].append(matrix.id)
    return MatrixList(entries, sets)


def class_of(listed: dict[str, str], id_: str) -> str | None:
    """The class of a matrix by its id: a listed one's, or a drawn one's."""
    return listed.get(id_) or unseen.class_of(id_)
