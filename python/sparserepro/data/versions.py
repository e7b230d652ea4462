"""Names of libraries with their versions, as records have them."""

from __future__ import annotations

import re


def version_of(library: str) -> tuple[int, ...]:
    """The numbers of the last word: "cuSPARSE 12.9.4" -> (12, 9, 4)."""
    return tuple(int(part) for part in re.findall(r"\d+", library.rpartition(" ")[2]))


def name_of(library: str) -> str:
    """Without its version: "cuSPARSE 12.9.4" -> "cuSPARSE"."""
    return library.rpartition(" ")[0] or library
