"""Orders over many instances: performance profiles of solvers, and the correlation of ranks."""

import math
from collections.abc import Mapping, Sequence


def performance_profile(
    times: Mapping[str, Sequence[float | None]],
) -> dict[str, list[tuple[float, float]]]:
    """Dolan and More's profiles: rho_s(tau) = share of instances with t_s <= tau min_s t_s.

    `times[s][p]` is the time of solver s on instance p, None when it has none; such an instance
    counts for no tau. Returns for each solver the steps (tau, rho) with tau ascending; instances
    that no solver has solved are left out.
    """
    count = {len(column) for column in times.values()}
    if len(count) != 1:
        raise ValueError("every solver needs one entry per instance")
    best: dict[int, float] = {}
    for instance in range(count.pop()):
        solved = [column[instance] for column in times.values()]
        known = [value for value in solved if value is not None]
        if known:
            best[instance] = min(known)
    profiles: dict[str, list[tuple[float, float]]] = {}
    for solver, column in times.items():
        ratios = sorted(
            value / best[p] for p, value in enumerate(column) if value is not None and p in best
        )
        steps: list[tuple[float, float]] = []
        for rank, tau in enumerate(ratios, start=1):
            if steps and steps[-1][0] == tau:
                steps.pop()
            steps.append((tau, rank / len(best)))
        profiles[solver] = steps
    return profiles


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's: Pearson's correlation of the ranks, equal values sharing their mean rank."""
    if len(x) != len(y) or len(x) < 2:
        raise ValueError("a correlation needs two or more pairs")
    ranks = [mean_ranks(x), mean_ranks(y)]
    middle = (len(x) + 1) / 2
    cross = sum((a - middle) * (b - middle) for a, b in zip(*ranks, strict=True))
    spread = [sum((r - middle) ** 2 for r in each) for each in ranks]
    return float(cross / math.sqrt(spread[0] * spread[1]))


def mean_ranks(values: Sequence[float]) -> list[float]:
    """1-based ranks in ascending order."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]
