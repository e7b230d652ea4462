"""Matrices that nobody has seen: their generators' parameters are drawn from a seed.

A kind is a structure, with a range for each of its parameters. The number of entries is drawn
first, its logarithm uniform between the bounds of the configuration. Repeated edges, rims of grids
and powers of two make it less in some kinds. config/README.md lists the kinds and their ranges.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sparserepro.config.draws import Draws, rounded


@dataclass(frozen=True)
class Kind:
    """`spec` makes the generator's spec of so many entries and of draws, without its seed."""

    cls: str
    spec: Callable[[int, Draws], str]


@dataclass(frozen=True)
class Drawn:
    """A matrix of a set."""

    id: str
    cls: str
    spec: str
    of: str
    """The set."""


def _text(family: str, **keys: int | Decimal) -> str:
    return f"{family}:" + ",".join(f"{key}={value}" for key, value in keys.items())


def _hundredths(value: int) -> Decimal:
    return Decimal(value) / 100


def _uniform(entries: int, draws: Draws) -> str:
    per_row = draws.size("per_row", 2, 64)
    rows = max(entries // per_row, math.isqrt(2 * entries) + 1)
    return _text("uniform", rows=rounded(rows), cols=rounded(rows), nnz=entries)


def _oblong(entries: int, draws: Draws) -> tuple[int, int]:
    """The long side and the short one, a quarter of it at most."""
    per_line = draws.size("per_line", 2, min(24, math.isqrt(math.isqrt(entries))))
    long = entries // per_line
    return long, max(2 * per_line, min(draws.size("short", 500, 20000), long // 4))


def _tall(entries: int, draws: Draws) -> str:
    long, short = _oblong(entries, draws)
    return _text("uniform", rows=long, cols=short, nnz=entries)


def _wide(entries: int, draws: Draws) -> str:
    long, short = _oblong(entries, draws)
    return _text("uniform", rows=short, cols=long, nnz=entries)


def _few_columns(entries: int, draws: Draws) -> str:
    cols = draws.size("cols", 8, 300)
    rows = entries // draws.size("per_row", 1, cols // 4)
    return _text("uniform", rows=rows, cols=cols, nnz=entries)


def _rmat(entries: int, draws: Draws, permute: int, symmetric: int) -> str:
    drawn = entries // (1 + symmetric)
    scale = max(1, (drawn // draws.size("edge_factor", 4, 24)).bit_length() - 1)
    factor = max(1, (drawn + (1 << scale - 1)) >> scale)
    a = draws.integer("a", 45, 65)
    side = _hundredths((95 - a) // 2)
    return _text(
        "rmat", scale=scale, edge_factor=factor, a=_hundredths(a), b=side, c=side,
        permute=permute, symmetric=symmetric,
    )  # fmt: skip


def _web(entries: int, draws: Draws) -> str:
    return _rmat(entries, draws, permute=0, symmetric=0)


def _permuted_web(entries: int, draws: Draws) -> str:
    return _rmat(entries, draws, permute=1, symmetric=0)


def _social(entries: int, draws: Draws) -> str:
    return _rmat(entries, draws, permute=draws.integer("permute", 0, 1), symmetric=1)


def _mean_row(low: int, high: int, quarters: int) -> float:
    """Of row lengths k in [low, high] with probability proportional to k^-(quarters / 4). Roots,
    products and quotients are rounded alike by every machine, and so are exact sums."""
    whole, rest = divmod(quarters, 4)
    weights = []
    for k in range(low, high + 1):
        half = math.sqrt(k)
        power = (1.0, math.sqrt(half), half, half * math.sqrt(half))[rest]
        weights.append(1 / (power * k**whole))
    lengths = range(low, high + 1)
    return math.fsum(k * w for k, w in zip(lengths, weights, strict=True)) / math.fsum(weights)


def _long_rows(entries: int, draws: Draws) -> str:
    quarters = draws.integer("exponent", 6, 11)
    low, high = draws.integer("min_row", 1, 4), draws.size("max_row", 100, 50000)
    rows = int(entries / _mean_row(low, high, quarters))
    while 2 * high > rows:
        high = high // 2
        rows = int(entries / _mean_row(low, high, quarters))
    exponent = Decimal(quarters) / 4
    rows = rounded(rows)
    return _text(
        "powerlaw", rows=rows, cols=rows, exponent=exponent, min_row=low, max_row=high, skew=1
    )


def _hot_columns(entries: int, draws: Draws) -> str:
    low = draws.integer("min_row", 2, 16)
    high = low + draws.integer("more", 0, 8)
    rows = max(int(entries / _mean_row(low, high, 4)), 2 * high)
    skew = draws.integer("skew", 2, 5)
    return _text("powerlaw", rows=rows, cols=rows, exponent=1, min_row=low, max_row=high, skew=skew)


def _banded(entries: int, draws: Draws) -> str:
    side = draws.size("side", 1, min(40, math.isqrt(entries) // 2))
    fill = draws.integer("fill", 30, 100)
    rows = entries * 100 // (100 + 2 * side * fill)
    far = draws.size("half_bandwidth", side, rows // 4) if draws.integer("apart", 0, 1) else 0
    return _text(
        "banded", rows=rounded(rows), diagonals=2 * side + 1, half_bandwidth=far,
        fill=_hundredths(fill),
    )  # fmt: skip


def _plane(nodes: int, draws: Draws) -> tuple[int, int]:
    edge = math.isqrt(nodes)
    along = draws.size("nx", max(1, edge // 4), max(1, 4 * edge))
    return along, max(1, nodes // along)


def _space(nodes: int, draws: Draws) -> tuple[int, int, int]:
    edge = next(e for e in itertools.count(1) if (e + 1) ** 3 > nodes)
    nx, ny = (draws.size(name, max(2, edge // 2), 2 * edge) for name in ("nx", "ny"))
    return nx, ny, max(1, nodes // (nx * ny))


def _grid(entries: int, draws: Draws, dofs: int) -> str:
    stencil = draws.choice("stencil", (5, 9, 27))
    nodes = max(1, entries // (stencil * dofs * dofs))
    nx, ny, nz = _space(nodes, draws) if stencil == 27 else (*_plane(nodes, draws), 1)
    return _text("fem", stencil=stencil, nx=nx, ny=ny, nz=nz, dofs=dofs)


def _stencil(entries: int, draws: Draws) -> str:
    return _grid(entries, draws, dofs=1)


def _fem(entries: int, draws: Draws) -> str:
    return _grid(entries, draws, dofs=draws.integer("dofs", 2, 6))


def _with_dense_lines(
    entries: int, draws: Draws, per_row: int, dense_rows: int, dense_cols: int, thousandths: int
) -> str:
    """Dense lines of this share of the rows."""
    rows = entries * 1000 // (1000 * per_row + (dense_rows + dense_cols) * thousandths)
    return _text(
        "circuit", rows=rows, per_row=per_row, spread=draws.size("spread", 10, rows // 4),
        dense_rows=min(dense_rows, rows), dense_cols=min(dense_cols, rows),
        dense_length=rows * thousandths // 1000,
    )  # fmt: skip


def _circuit(entries: int, draws: Draws) -> str:
    return _with_dense_lines(
        entries, draws, draws.integer("per_row", 3, 9), draws.integer("dense_rows", 1, 8),
        draws.integer("dense_cols", 1, 8), draws.size("share", 10, 200),
    )  # fmt: skip


def _hub_columns(entries: int, draws: Draws) -> str:
    return _with_dense_lines(
        entries, draws, draws.integer("per_row", 2, 5), 0, draws.integer("dense_cols", 8, 64),
        draws.size("share", 20, 300),
    )  # fmt: skip


def _empty_rows(entries: int, draws: Draws) -> str:
    empty, per_row = draws.integer("empty", 10, 90), draws.size("per_row", 2, 16)
    rows = entries * 100 // ((100 - empty) * per_row)
    cols = draws.size("cols", rows // 4 + 1, 2 * rows)
    return _text("empty_rows", rows=rows, cols=cols, nnz=entries, empty=_hundredths(empty))


def _short_rows(entries: int, draws: Draws) -> str:
    per_row = draws.integer("per_row", 1, 4)
    rows = entries // per_row
    cols = draws.size("cols", rows // 8 + 1, 2 * rows)
    return _text("short_rows", rows=rows, cols=cols, per_row=per_row)


def _road(entries: int, draws: Draws) -> str:
    density, diagonals = draws.integer("density", 45, 80), draws.integer("diagonals", 1, 10)
    width, height = _plane(entries * 100 // (4 * density + 2 * diagonals), draws)
    return _text(
        "road", width=width, height=height, density=_hundredths(density),
        diagonals=_hundredths(diagonals), permute=draws.integer("permute", 0, 1),
    )  # fmt: skip


def _mesh(entries: int, draws: Draws) -> str:
    width, height = _plane(entries // 6, draws)
    return _text("mesh", width=width, height=height, permute=draws.integer("permute", 0, 1))


KINDS = {
    "uniform": Kind("uniform", _uniform),
    "tall": Kind("rectangular", _tall),
    "wide": Kind("rectangular", _wide),
    "few-cols": Kind("rectangular", _few_columns),
    "web": Kind("web", _web),
    "web-perm": Kind("web", _permuted_web),
    "long-rows": Kind("power-law", _long_rows),
    "hot-cols": Kind("power-law", _hot_columns),
    "banded": Kind("banded", _banded),
    "stencil": Kind("mesh", _stencil),
    "fem": Kind("fem", _fem),
    "circuit": Kind("circuit", _circuit),
    "hub-cols": Kind("circuit", _hub_columns),
    "empty": Kind("empty-rows", _empty_rows),
    "short": Kind("short-rows", _short_rows),
    "road": Kind("road", _road),
    "mesh": Kind("mesh", _mesh),
    "social": Kind("social", _social),
}

_ID = re.compile(rf"unseen-\d+-[a-z0-9]+-({'|'.join(KINDS)})(-\d+)?")


def class_of(id_: str) -> str | None:
    """The class of a drawn matrix, which its id tells; None for another matrix."""
    found = _ID.fullmatch(id_)
    return KINDS[found[1]].cls if found else None


def drawn(seed: int, sets: dict[str, dict[str, Any]]) -> Iterator[Drawn]:
    """The matrices of the sets of a configuration (`unseen`), in its order."""
    for name, asked in sets.items():
        for kind in asked["kinds"]:
            for number in range(1, asked["of_each"] + 1):
                more = f"-{number}" if asked["of_each"] > 1 else ""
                id_ = f"unseen-{seed}-{name}-{kind}{more}"
                draws = Draws(seed, f"{name}/{kind}/{number}")
                spec = KINDS[kind].spec(draws.size("entries", *asked["entries"]), draws)
                spec += f",seed={draws.integer('seed', 1, 999_999)}"
                yield Drawn(id_, KINDS[kind].cls, spec, name)
