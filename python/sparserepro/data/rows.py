"""Problems, and the rows of their tables: what algorithms are compared on."""

from __future__ import annotations

from dataclasses import dataclass

PROBLEMS = ("primitives", "transpose", "convert", "spmm", "triangles")
PROBLEM_TITLES = {
    "primitives": "Primitives",
    "transpose": "Transposition",
    "convert": "Conversions",
    "spmm": "SpMM",
    "triangles": "Triangle counting",
}
PROCEDURES = ("scan", "segmented_sort", "merge", "index_to_pointers", "pointers_to_index")
GRID = "order-degree"
"""Class of the square uniform matrices over order and mean degree."""
Params = tuple[tuple[str, int | str], ...]


def column_name(problem: str, algorithm: str) -> str:
    """The name that heads an algorithm's column. Primitives have an algorithm for each procedure;
    those with one method share a column, named without the procedure: omp_scan -> omp."""
    if problem != "primitives":
        return algorithm
    for procedure in PROCEDURES:
        if procedure in algorithm:
            rest = algorithm.replace(procedure, "").replace("__", "_").strip("_")
            return rest or algorithm
    return algorithm


def params_text(params: Params) -> str:
    return ", ".join(f"{name}={value}" for name, value in params)


def params_of(text: str) -> Params:
    """What `params_text` was made from."""
    pairs = (part.partition("=") for part in text.split(", ") if part)
    return tuple((name, int(value) if value.isdigit() else value) for name, _, value in pairs)


@dataclass(frozen=True)
class Row:
    """One instance of a problem: what its algorithms are compared on."""

    machine: str
    problem: str
    matrix: str
    instance: Params

    def value(self, name: str) -> int | str | None:
        return dict(self.instance).get(name)

    @property
    def is_plain(self) -> bool:
        """Not a product with A^T or in another type than fp64, and not triangles at vertices or
        edges: records state `op` and `value_type` of SpMM and `output` of triangles only where
        they differ from the usual."""
        if self.problem == "triangles":
            return self.value("output") in (None, "total")
        return self.problem != "spmm" or (
            self.value("op") in (None, "none") and self.value("value_type") in (None, "fp64")
        )
