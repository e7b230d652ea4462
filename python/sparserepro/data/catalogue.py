"""The catalogues of the drivers: their algorithms, read from JSON and merged over machines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sparserepro import program


@dataclass(frozen=True)
class Algorithm:
    """An entry of a driver's catalogue."""

    problem: str
    name: str
    summary: str
    source: str
    backend: str
    peer: bool
    parameters: tuple[str, ...]
    baseline: str
    unavailable: str | None


@dataclass(frozen=True)
class Catalogue:
    problem: str
    instance_parameters: tuple[str, ...]
    fallbacks: dict[str, int | str]
    algorithms: tuple[Algorithm, ...]

    @property
    def baselines(self) -> dict[str, str]:
        """Full name of each algorithm's serial baseline."""
        return {a.name: a.baseline for a in self.algorithms}


def read_catalogue(path: Path) -> Catalogue:
    raw = program.read_json(path)
    return Catalogue(
        problem=raw["problem"],
        instance_parameters=tuple(p["name"] for p in raw["instance_parameters"]),
        fallbacks={p["name"]: p["fallback"] for p in raw["instance_parameters"]},
        algorithms=tuple(
            Algorithm(
                problem=raw["problem"],
                name=a["name"],
                summary=a["summary"],
                source=a["source"],
                backend=a["backend"],
                peer=a["peer"],
                parameters=tuple(p["name"] for p in a["parameters"]),
                baseline=a["baseline"],
                unavailable=a["unavailable"],
            )
            for a in raw["algorithms"]
        ),
    )


def merged(found: Iterable[Catalogue]) -> dict[str, Catalogue]:
    """One catalogue for each problem, of several machines: of each algorithm and parameter what
    the first says that has it."""
    books: dict[str, Catalogue] = {}
    for book in found:
        first = books.setdefault(book.problem, book)
        known = {a.name for a in first.algorithms}
        books[book.problem] = Catalogue(
            book.problem,
            tuple(dict.fromkeys((*first.instance_parameters, *book.instance_parameters))),
            book.fallbacks | first.fallbacks,
            (*first.algorithms, *(a for a in book.algorithms if a.name not in known)),
        )
    return books
