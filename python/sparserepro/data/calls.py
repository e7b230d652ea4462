"""What n calls cost: one preparation and n executions; and from how many calls an algorithm pays.

The one definition of speedup in this project, in drivers and report alike, is

    speedup(n) = (P_base + n K_base) / (P + n K)

with K the median seconds of one execution and P those of the preparation (0 without one). With
infinitely many calls it is K_base / K.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CALLS: tuple[float, ...] = (1, 10, 100, math.inf)
"""Numbers of calls that tables show."""


@dataclass(frozen=True)
class Cost:
    """Median seconds of one preparation and of one execution."""

    preparation: float
    execution: float

    def of(self, calls: float) -> float:
        """Seconds of `calls` calls; of each call when they are infinitely many."""
        if math.isinf(calls):
            return self.execution
        return self.preparation + calls * self.execution


def speedup(base: Cost, other: Cost, calls: float) -> float:
    return base.of(calls) / other.of(calls)


def heading(calls: float) -> str:
    return r"$\infty$" if math.isinf(calls) else f"{calls:.0f}"


def calls_name(calls: float) -> str:
    """In names of columns."""
    return "inf" if math.isinf(calls) else f"{calls:.0f}"


@dataclass(frozen=True)
class Setting:
    """An algorithm with its parameters: the cost that chooses it, and the one that is reported."""

    choosing: Cost
    reported: Cost


Stretch = tuple[int, int | None]
"""The first and the last of some numbers of calls; the last is None where they have no end."""


def best(settings: Sequence[Setting], calls: float) -> Setting:
    return min(settings, key=lambda setting: setting.choosing.of(calls))


def changes(settings: Sequence[Setting]) -> set[int]:
    """Numbers of calls at which another setting may be the best: the first after each crossing of
    two of them."""
    found = set()
    for index, one in enumerate(settings):
        for other in settings[:index]:
            slope = one.choosing.execution - other.choosing.execution
            if slope:
                at = (other.choosing.preparation - one.choosing.preparation) / slope
                if at >= 1:
                    found |= {math.floor(at), math.floor(at) + 1}
    return found


def break_even(own: Sequence[Setting], peers: Sequence[Setting]) -> list[Stretch]:
    """The numbers of calls for which the best own setting takes less than the best of the peers',
    each chosen for that number; in ascending order, with gaps between them."""
    starts = sorted({1} | changes(own) | changes(peers))
    ends: list[float] = [*(start - 1 for start in starts[1:]), math.inf]
    found: list[Stretch] = []
    for start, end in zip(starts, ends, strict=True):
        inside = winning(best(own, start).reported, best(peers, start).reported, start, end)
        if inside is None:
            continue
        first, last = inside[0], None if math.isinf(inside[1]) else int(inside[1])
        if found and found[-1][1] == first - 1:
            first = found.pop()[0]
        found.append((first, last))
    return found


def pays_from(found: Sequence[Stretch]) -> float:
    """The number of calls from which an algorithm takes less and stays ahead; else infinite."""
    return found[-1][0] if found and found[-1][1] is None else math.inf


def winning(own: Cost, peer: Cost, start: int, end: float) -> tuple[int, float] | None:
    """The first and the last n of start, ..., end with P + n K < P' + n K'; None when there is
    none."""
    later = own.preparation - peer.preparation
    gain = peer.execution - own.execution  # wins where n gain > later
    if gain == 0:
        return (start, end) if later < 0 else None
    if gain > 0:
        first = max(start, math.floor(later / gain) + 1)
        return (first, end) if first <= end else None
    last = min(end, math.ceil(later / gain) - 1)
    return (start, last) if last >= start else None
