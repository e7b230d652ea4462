"""Numbers drawn from a seed, the same on every machine and in every version of Python.

A draw depends on the seed and on a name alone: bits of SHA-256 of both. So a further draw changes
no other one. Logarithms and exponentials are those of `decimal`, which rounds them correctly.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, TypeVar

T = TypeVar("T")

_BITS = 64
_CONTEXT = Context(prec=30)
_DRAWS = 1000
"""Of each of several sizes, before they count as all that there are."""
_DIGITS = 3
"""Digits that a size is rounded to, so that people can read it."""


def rounded(value: int) -> int:
    """To `_DIGITS` significant digits, halves up."""
    unit: int = 10 ** max(0, len(str(value)) - _DIGITS)
    return (value + unit // 2) // unit * unit


@dataclass(frozen=True)
class Draws:
    """The draws of one subject, as of a matrix, each by its own name."""

    seed: int
    subject: str

    def _bits(self, name: str) -> int:
        digest = hashlib.sha256(f"{self.seed}/{self.subject}/{name}".encode()).digest()
        return int.from_bytes(digest[: _BITS // 8], "big")

    def integer(self, name: str, low: int, high: int) -> int:
        """Of low, ..., high, each equally likely but for 2^-64 of the range."""
        return low + (self._bits(name) * (high - low + 1) >> _BITS)

    def choice(self, name: str, values: Sequence[T]) -> T:
        return values[self.integer(name, 0, len(values) - 1)]

    def size(self, name: str, low: int, high: int) -> int:
        """Of [low, high], its logarithm uniform, rounded; low where high < low. Needs 0 < low."""
        if high <= low:
            return low
        first, last = (_CONTEXT.ln(Decimal(end)) for end in (low, high))
        share = _CONTEXT.divide(Decimal(self._bits(name)), Decimal(1 << _BITS))
        exponent = _CONTEXT.fma(share, _CONTEXT.subtract(last, first), first)
        return min(max(rounded(int(_CONTEXT.exp(exponent))), low), high)

    def sizes(self, count: int, low: int, high: int) -> list[int]:
        """`count` different sizes in ascending order. Raises ValueError where so many draws as
        `_DRAWS` of each find no more."""
        found: dict[int, None] = {}
        for number in range(_DRAWS * count):
            found[self.size(f"{number}", low, high)] = None
            if len(found) == count:
                return sorted(found)
        raise ValueError(f"{count} values are to be drawn, and there are {len(found)}")

    def some(self, name: str, count: int, values: Sequence[T]) -> list[T]:
        """`count` of the values, in their order; every subset of that size is equally likely."""
        order = sorted(range(len(values)), key=lambda i: self._bits(f"{name}/{values[i]}"))
        return [values[i] for i in sorted(order[:count])]


def _grids(config: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Problem and grid of each list of instances of a configuration."""
    return [
        (problem, grid)
        for problem, parts in config["problems"].items()
        for part in (parts if isinstance(parts, list) else [parts])
        for grid in (
            part["instances"] if isinstance(part["instances"], list) else [part["instances"]]
        )
    ]


def asked(config: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The instances' values that are to be drawn, each with where it stands."""
    return [
        (f"problems.{problem}.instances.{name}", value)
        for problem, grid in _grids(config)
        for name, value in grid.items()
        if isinstance(value, dict)
    ]


def draws_anything(config: dict[str, Any]) -> bool:
    return bool(config["unseen"] or asked(config))


def with_drawn_values(config: dict[str, Any]) -> dict[str, Any]:
    """A copy with lists in place of the values that are to be drawn. A parameter of a problem has
    the same draw in all parts that ask for it alike. Raises ValueError for too narrow bounds."""
    drawn = copy.deepcopy(config)
    for problem, grid in _grids(drawn):
        for name, value in grid.items():
            if isinstance(value, dict):
                draws = Draws(drawn["seed"], f"{problem}.{name}")
                if "of" in value:
                    grid[name] = draws.some("of", value["draw"], value["of"])
                else:
                    try:
                        grid[name] = draws.sizes(value["draw"], *value["between"])
                    except ValueError as error:
                        where = f"problems.{problem}.instances.{name}.between"
                        raise ValueError(f"{where} is too narrow: {error}") from None
    return drawn
