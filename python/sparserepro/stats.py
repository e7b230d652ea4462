"""Statistics of run times, in one place: medians, exact intervals, ratios, verdicts.

No distribution is assumed. The interval of a median is the pair of order statistics whose coverage
follows from the binomial distribution (Hoefler and Belli, SC'15, rule 6; Le Boudec 2010, ch. 2).
Only the spread between runs of a driver is a standard deviation, of the logarithms of medians.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

CONFIDENCE = 0.95
SMALLEST_EFFECT = 0.03
"""Relative difference below which two times count as the same."""
EXACT_SAMPLES = 1000
"""Up to so many samples the ranks of an interval come from integers."""
FEWEST_HELD_OUT = 6
"""Fewest samples that give an interval of 95 %; so many are held out where a cell has more."""


@dataclass(frozen=True)
class Summary:
    """Median of `n` samples; `low` and `high` bound it, or are None when n gives no interval."""

    n: int
    median: float
    low: float | None
    high: float | None

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval; the median twice when there is none."""
        if self.low is None or self.high is None:
            return self.median, self.median
        return self.low, self.high


@cache
def interval_ranks(n: int, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """1-based ranks (l, u) of the narrowest symmetric interval [x_(l), x_(u)] of the median.

    Coverage is P(l <= B < u) for B ~ binomial(n, 1/2), which with u = n + 1 - l is
    1 - 2 P(B < l). None when even (1, n) does not reach `confidence` (n <= 5 for 95 %).
    kernels/harness/statistics.cpp has the same rule for the drivers.
    """
    if n > EXACT_SAMPLES:
        lower = _rank_from_the_middle(n, confidence)
        return lower, n + 1 - lower
    best = None
    below = 0  # 2^n P(B < l)
    for lower in range(1, n // 2 + 1):
        below += math.comb(n, lower - 1)
        if 2 * below > (1 - confidence) * 2**n:
            break
        best = (lower, n + 1 - lower)
    return best


def _rank_from_the_middle(n: int, confidence: float) -> int:
    """The largest l with 2 P(B < l) <= 1 - confidence, for large n.

    P(B < l) is known at the middle by symmetry, and loses P(B = l) with each step down, about
    sqrt(n) of them. The middle term is Stirling's series of binomial(2m, m) / 4^m, whose relative
    error is below 1e-15 from m = 500 on.
    """
    m = (n + 1) // 2
    series = 1 - 1 / (8 * m) + 1 / (128 * m**2) + 5 / (1024 * m**3) - 21 / (32768 * m**4)
    term = series / math.sqrt(math.pi * m)
    lower = n // 2
    below = 0.5 - term if n % 2 else (1 - term) / 2  # P(B < lower); term is P(B = lower)
    while 2 * below > 1 - confidence:
        term *= lower / (n - lower + 1)
        lower -= 1
        below -= term
    return lower


def median(samples: Sequence[float]) -> float:
    """Middle order statistic, or the mean of the two middle ones."""
    if not samples:
        raise ValueError("the median of no samples")
    ordered = sorted(samples)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def summarise(samples: Sequence[float], confidence: float = CONFIDENCE) -> Summary:
    """Median of the samples with its exact interval."""
    ordered = sorted(samples)
    ranks = interval_ranks(len(ordered), confidence)
    if ranks is None:
        return Summary(len(ordered), median(ordered), None, None)
    lower, upper = ranks
    return Summary(len(ordered), median(ordered), ordered[lower - 1], ordered[upper - 1])


def added(first: Summary, second: Summary) -> Summary:
    """The sum of two medians, with the sums of the ends of their intervals; none unless both have
    one. Both medians lie in theirs with probability >= 2 confidence - 1."""
    low = high = None
    if first.has_interval and second.has_interval:
        low, high = (a + b for a, b in zip(first.ends, second.ends, strict=True))
    return Summary(min(first.n, second.n), first.median + second.median, low, high)


def divided(samples: Sequence[float]) -> tuple[list[float], list[float]]:
    """The samples that choose parameters, and those held out for the time that is reported.

    Samples with an even index choose and the others report; of fewer than twice FEWEST_HELD_OUT
    samples the last even ones report too, so that the reported time keeps an interval where it can
    (10 samples: 4 choose, 6 report). A single sample has to do both.
    """
    if len(samples) < 2:
        return list(samples), list(samples)
    held_out = set(held_out_rounds(len(samples)))
    parts: tuple[list[float], list[float]] = ([], [])
    for index, sample in enumerate(samples):
        parts[index in held_out].append(sample)
    return parts


def held_out_rounds(n: int) -> list[int]:
    """The indices of the samples that report, of n where others choose."""
    if n < 2:
        return list(range(n))
    choosers = min((n + 1) // 2, max(1, n - FEWEST_HELD_OUT))
    if n <= FEWEST_HELD_OUT:
        choosers = n // 2
    chosen = set(range(0, n, 2)[:choosers])
    return [index for index in range(n) if index not in chosen]


@dataclass(frozen=True)
class Ratio:
    """base / other: how many times faster `other` is; ends None without both intervals."""

    value: float
    low: float | None
    high: float | None
    across_runs: bool = False
    """The two were measured in different runs of a driver."""


def speedup(base: Summary, other: Summary) -> Ratio:
    """Ratio of medians; its interval is the ratio of the opposite ends of the two intervals.

    Both medians lie in their intervals with probability >= 2 confidence - 1 whatever the
    dependence between the samples, so the interval is conservative.
    """
    value = base.median / other.median
    if not (base.has_interval and other.has_interval):
        return Ratio(value, None, None)
    base_low, base_high = base.ends
    other_low, other_high = other.ends
    return Ratio(value, base_low / other_high, base_high / other_low)


def in_rounds(ratio: Ratio, base: Mapping[int, float], other: Mapping[int, float]) -> Ratio:
    """The ratio of medians with the interval of the median quotient base / other of a round, where
    both have samples by round; it is widened to hold the ratio.

    What disturbs a whole round disturbs both samples of it and leaves their quotient alone. The
    interval is exact for independent quotients of any distribution. None of fewer than
    FEWEST_HELD_OUT common rounds: then the ratio is returned as it is.
    """
    quotients = summarise([base[i] / other[i] for i in base.keys() & other.keys()] or [ratio.value])
    if not quotients.has_interval:
        return ratio
    low, high = quotients.ends
    return replace(ratio, low=min(low, ratio.value), high=max(high, ratio.value))


def within_student(t: float, freedom: int) -> float:
    """P(-t <= T <= t) for Student's T (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle, odd = math.atan(t / math.sqrt(freedom)), freedom % 2
    term, total = math.cos(angle) if odd else 1.0, 0.0
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= math.cos(angle) ** 2 * step / (step + 1)
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total


@cache
def student_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """The t with P(-t <= T <= t) = confidence, by bisection."""
    low, high = 0.0, 1.0
    while within_student(high, freedom) < confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if within_student(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True)
class Spread:
    """Standard deviation of the logarithm of a median from run to run, and how well it is known."""

    deviation: float
    freedom: int

    @property
    def reach(self) -> float:
        """What a logarithm stays within, with 95 % confidence."""
        return student_quantile(self.freedom) * self.deviation


def spread_between_runs(jobs: Iterable[Sequence[Mapping[str, float]]]) -> Spread:
    """The spread over repeated jobs, each a list of its cells, each with its medians by run.

    In a job the squares of the logarithms' distances from their cell's mean are pooled over the
    cells. A job of m runs counts with its m - 1 degrees of freedom. Raises ValueError when no cell
    has two runs.
    """
    squares, freedom = 0.0, 0
    for cells in jobs:
        sum_, within, runs = 0.0, 0, set()
        for cell in cells:
            logs = [math.log(value) for value in cell.values()]
            mean = math.fsum(logs) / len(logs)
            sum_ += math.fsum((x - mean) ** 2 for x in logs)
            within += len(logs) - 1
            runs |= set(cell)
        if within:
            squares += (len(runs) - 1) * sum_ / within
            freedom += len(runs) - 1
    if not freedom:
        raise ValueError("the spread of no repeated runs")
    return Spread(math.sqrt(squares / freedom), freedom)


def between_runs(ratio: Ratio, base: Spread | None, other: Spread | None) -> Ratio:
    """The ratio of two medians of different runs: its interval widened by the factor
    exp(t sqrt(s^2 + s'^2)) at both ends, for deviations s and s' between runs and Student's t for
    the smaller of their degrees of freedom. Without a spread it has no interval, so no verdict."""
    if base is None or other is None or ratio.low is None or ratio.high is None:
        return Ratio(ratio.value, None, None, across_runs=True)
    quantile = student_quantile(min(base.freedom, other.freedom))
    factor = math.exp(quantile * math.hypot(base.deviation, other.deviation))
    return replace(ratio, low=ratio.low / factor, high=ratio.high * factor, across_runs=True)


class Verdict(StrEnum):
    faster = "faster"
    slower = "slower"
    same = "same"
    unclear = "unclear"


def verdict(ratio: Ratio, effect: float = SMALLEST_EFFECT) -> Verdict:
    """What an interval of speedups allows to say, with an indifference zone of `effect`.

    Faster (slower) when the whole interval lies on that side of 1 and the ratio differs from 1 by
    at least `effect`; same when the whole interval lies within `effect` of 1; else unclear.
    """
    if ratio.low is None or ratio.high is None:
        return Verdict.unclear
    if 1 / (1 + effect) <= ratio.low and ratio.high <= 1 + effect:
        return Verdict.same
    if ratio.low > 1 and ratio.value >= 1 + effect:
        return Verdict.faster
    if ratio.high < 1 and ratio.value <= 1 / (1 + effect):
        return Verdict.slower
    return Verdict.unclear


def geometric_mean(ratios: Sequence[float]) -> float:
    """Mean of ratios (never of times or rates)."""
    if not ratios:
        raise ValueError("the geometric mean of no ratios")
    return math.exp(math.fsum(math.log(ratio) for ratio in ratios) / len(ratios))
