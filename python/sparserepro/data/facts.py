"""What is known of matrices beside the cells: their facts, and their classes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.config.matrix_list import class_of, load_matrix_list
from sparserepro.paths import MATRIX_LIST


@cache
def listed_classes() -> dict[str, str]:
    """The class that the list of matrices gives each of its matrices today; none where the package
    is installed without the checkout, which has the list."""
    if not MATRIX_LIST.is_file():
        return {}
    return {id_: entry.cls for id_, entry in load_matrix_list(MATRIX_LIST).entries.items()}


def matrix_facts(
    files: Iterable[Path], named: set[str], classes: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """What the files say of the named matrices, and of those that were unavailable."""
    found: dict[str, dict[str, Any]] = {}
    for path in files:
        fact = program.read_json(path)
        name = fact["name"]
        if name in named or "unavailable" in fact:
            # A matrix that is not here may be known from another machine.
            listed = {"class": cls} if (cls := class_of(classes, name)) else {}
            found[name] = fact | found.get(name, {}) | listed
    return found
