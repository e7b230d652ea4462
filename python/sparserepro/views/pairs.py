"""Words and numbers of the tables that set this project's best algorithm beside the libraries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sparserepro.data.calls import Stretch
from sparserepro.data.comparisons import Pair
from sparserepro.render.latex import code, integer, listing, significant
from sparserepro.render.tabular import Number
from sparserepro.stats import geometric_mean


def own_names(pairs: Iterable[Pair]) -> str:
    """The own algorithms of these pairs, by the names of the catalogue."""
    return listing([code(n) for n in dict.fromkeys(p.own().name for p in pairs)])


def missing(pairs: list[Pair], side: str) -> int:
    """On how many rows libraries have times, and own algorithms, but not the one of these pairs."""
    at = pairs[0].row
    return len(pairs[0].report.contested(at.machine, at.problem, side)) - len(pairs)


def missing_words(pairs: list[Pair], side: str) -> str:
    """ " (on 2 more it has no time)", or nothing."""
    rows = missing(pairs, side)
    return f" (on {integer(rows)} more it has no time)" if rows else ""


def chosen_words(pairs: list[Pair]) -> str:
    """Which own algorithms these are."""
    each = " for each procedure" if pairs[0].row.problem == "primitives" else ""
    return (
        f"{own_names(pairs)}, of this project's algorithms with times on most "
        f"rows the one of least geometric mean{each}"
    )


def mean_speedup(pairs: list[Pair], calls: float) -> Number:
    """Geometric mean over the library for that many calls."""
    mean = geometric_mean([pair.speedup(calls) for pair in pairs])
    sources = tuple(cell for pair in pairs for cell in pair.cells(calls))
    return Number(significant(mean), sources=sources)


def calls_text(found: Sequence[Stretch]) -> str:
    """ "4" where it stays ahead from 4 on, "4 to 90" where a library with more preparation
    overtakes, "1 to 3, 50" with a gap, or "never"."""
    parts = [
        str(first) if last is None else f"{first} alone" if first == last else f"{first} to {last}"
        for first, last in found
    ]
    return ", ".join(parts) or "never"
