"""Samples of the matrix expression, by the rules of the drivers' bench loop: verified, then warm
samples side by side until the stop rule holds, verified again, then whole cycles.

A sample is one evaluation: that of the empty graph takes 60 us, a thousand times the clock's
resolution.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

from sparserepro.run import untimed
from sparserepro.run.expression.tools import Expression
from sparserepro.stats import summarise

Start = Callable[[], Expression]


class WrongCount(Exception):
    """An evaluation differs from the count of the driver's reference."""


@dataclass(frozen=True)
class Settings:
    """The drivers' options of the same names, with their defaults."""

    warmup: int = 2
    repetitions: int = 25
    min_repetitions: int = 10
    max_repetitions: int = 100
    precision: float = 0.02
    time_cap_s: float = 5.0
    end_to_end: int = 5
    seed: int = 1


RANGES: dict[str, tuple[float, float]] = {
    "warmup": (0, 1000),
    "repetitions": (1, 1_000_000),
    "min_repetitions": (1, 1_000_000),
    "max_repetitions": (1, 1_000_000),
    "precision": (0, 1),
    "time_cap_s": (0, 1e6),
    "end_to_end": (0, 1_000_000),
    "seed": (0, 2**53),
}
"""What the drivers take (drivers/common/cli.cpp)."""


@dataclass
class Samples:
    """Seconds of one tool."""

    warmup_s: list[float] = field(default_factory=list)
    kernel_s: list[float] = field(default_factory=list)
    cycles: list[tuple[float, float]] = field(default_factory=list)
    """Of a cycle: until the tool holds the graph, and of its evaluation."""
    stop: str = ""

    def to_json(self, settings: Settings) -> dict[str, Any]:
        """The record's `timing`."""
        starts, kernels = ([cycle[part] for cycle in self.cycles] for part in (0, 1))
        cycles = {
            "transfers": "none",
            "total_s": [sum(cycle) for cycle in self.cycles],
            "allocation_s": starts,
            "transfer_s": [0.0] * len(self.cycles),
            "kernel_s": kernels,
        }
        return {
            "clock": "steady_clock",
            "cache": "warm",
            "warmup": settings.warmup,
            "batch": 1,
            "kernel_s": self.kernel_s,
            "warmup_s": self.warmup_s,
            "preprocess_s": [],
            "queued": None,
            "clock_mhz": [],
            "throttled": 0,
            "end_to_end": [cycles] if self.cycles else [],
            "stop": self.stop,
            "seed": settings.seed,
        }


def seconds_of(action: Callable[[], object]) -> float:
    """By the clock that the drivers use on the host."""
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    action()
    return (time.clock_gettime_ns(time.CLOCK_MONOTONIC) - begin) * 1e-9


def stop_reason(samples: Samples, settings: Settings) -> str:
    """ "" while the tool needs more samples, else what ended it."""
    taken = samples.kernel_s
    if len(taken) >= settings.repetitions:
        found = summarise(taken)
        low, high = found.ends
        if found.has_interval and (high - low) / 2 <= settings.precision * found.median:
            return "precision"
    if len(taken) >= settings.min_repetitions and sum(taken) >= settings.time_cap_s:
        return "time_cap"
    return "repetitions" if len(taken) >= settings.max_repetitions else ""


def warm_up(expression: Expression) -> None:
    """The untimed executions before a sample."""
    spent, executions = 0.0, 0
    while executions < untimed.ON_HOST and spent < untimed.CAP_S:
        spent += seconds_of(expression.evaluate)
        executions += 1


def verify(tool: str, expression: Expression, want: int, which: str) -> None:
    """Raises WrongCount."""
    if (got := expression.evaluate()) != want:
        raise WrongCount(
            f"matrix_expression (tool={tool}): wrong answer in {which}: "
            f"counted {got:.17g} triangles, expected {want}"
        )


def cycles(start: Start, settings: Settings) -> list[tuple[float, float]]:
    """Whole cycles, the tool started anew, up to the time cap. A first one is not kept."""
    found: list[tuple[float, float]] = []
    spent = 0.0
    for cycle in range(settings.end_to_end + 1 if settings.end_to_end else 0):
        with ExitStack() as stack:
            begin = time.monotonic()
            expression = stack.enter_context(closing(start()))
            started = time.monotonic() - begin
            kernel = seconds_of(expression.evaluate)
        if cycle > 0:
            found.append((started, kernel))
        spent += started + kernel
        if found and spent > settings.time_cap_s:
            break
    return found


def measure(starts: dict[str, Start], want: int, settings: Settings) -> dict[str, Samples]:
    """Times the tools side by side. Raises WrongCount where one does not count `want`."""
    found = {tool: Samples() for tool in starts}
    with ExitStack() as stack:
        running = {tool: stack.enter_context(closing(start())) for tool, start in starts.items()}
        for tool, expression in running.items():
            for execution in (1, 2):
                verify(tool, expression, want, f"execution {execution}")
        for tool, expression in running.items():
            warm = (seconds_of(expression.evaluate) for _ in range(settings.warmup))
            found[tool].warmup_s = list(warm)
        order, active = random.Random(settings.seed), list(running)
        while active:
            order.shuffle(active)
            for tool in active:
                warm_up(running[tool])
                found[tool].kernel_s.append(seconds_of(running[tool].evaluate))
                found[tool].stop = stop_reason(found[tool], settings)
            active = [tool for tool in active if not found[tool].stop]
        for tool, expression in running.items():
            verify(tool, expression, want, "the execution after the last sample")
    for tool, start in starts.items():
        found[tool].cycles = cycles(start, settings)
    return found
