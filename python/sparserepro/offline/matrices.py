"""Whether a record is of the matrix that a bundle lists under its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Matrix = dict[str, Any]
"""Of a record or of matrix_info."""
Listed = dict[str, Any]
"""What a list says: `spec` of a generated matrix; `rows`, `cols`, `stored` and `sha256` of a file,
as far as they are known."""


def _parts(spec: str) -> tuple[str, dict[str, str]]:
    """Family and parameters."""
    family, _, text = spec.partition(":")
    parts = (part.partition("=") for part in text.split(",") if part)
    return family, {key: value for key, _, value in parts}


def _same(one: str, other: str | None) -> bool:
    """Texts of one number, or the same text."""
    try:
        return one == other or (other is not None and float(one) == float(other))
    except ValueError:
        return False


def is_of_spec(source: str, spec: str) -> bool:
    """Whether the source has the family and all parameters of the spec: drivers add those that it
    leaves out."""
    family, given = _parts(spec)
    found_family, found = _parts(source)
    return family == found_family and all(_same(v, found.get(k)) for k, v in given.items())


def differences(matrix: Matrix, listed: Listed) -> list[str]:
    """What of the matrix is not as listed. What a record does not know is left out."""
    if listed.get("spec") is not None:
        fits = is_of_spec(str(matrix["source"]), listed["spec"])
        return [] if fits else [f"source {matrix['source']}, expected {listed['spec']}"]
    return [
        f"{key} {matrix[key]}, expected {wanted}"
        for key in ("rows", "cols", "stored", "sha256")
        if (wanted := listed.get(key)) is not None and matrix.get(key) not in (None, wanted)
    ]


def mixed(matrices: Iterable[Matrix]) -> list[str]:
    """The files of one name that differ."""
    first: dict[str, Matrix] = {}
    lines: dict[str, None] = {}
    for matrix in matrices:
        if matrix["origin"] == "file":
            one = first.setdefault(matrix["name"], matrix)
            for key in ("sha256", "rows", "cols", "stored"):
                values = one.get(key), matrix.get(key)
                if None not in values and values[0] != values[1]:
                    lines[f"{matrix['name']}: {key} {values[0]}, and {values[1]}"] = None
    return list(lines)
