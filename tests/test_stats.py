"""Statistics against values worked out by hand."""

import bisect
import math
import random

import pytest

from sparserepro.ranks import mean_ranks, performance_profile, rank_correlation
from sparserepro.stats import (
    SMALLEST_EFFECT,
    Ratio,
    Spread,
    Summary,
    Verdict,
    added,
    between_runs,
    divided,
    geometric_mean,
    interval_ranks,
    median,
    speedup,
    spread_between_runs,
    student_quantile,
    summarise,
    verdict,
)


@pytest.mark.parametrize(
    ("n", "ranks"),
    [
        (6, (1, 6)), (7, (1, 7)), (10, (2, 9)), (11, (2, 10)), (15, (4, 12)), (20, (6, 15)),
        (25, (8, 18)), (30, (10, 21)), (50, (18, 33)), (100, (40, 61)),
    ],
)  # fmt: skip
def test_ranks_of_the_median_interval_are_the_tabulated_ones(n, ranks):
    assert interval_ranks(n) == ranks


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_five_samples_give_no_interval(n):
    assert interval_ranks(n) is None
    assert not summarise([1.0] * n).has_interval


@pytest.mark.parametrize("n", range(6, 120))
def test_interval_covers_enough_and_the_next_narrower_one_does_not(n):
    lower, upper = interval_ranks(n)

    def coverage(rank):
        return 1 - 2 * sum(math.comb(n, i) for i in range(rank)) / 2**n

    assert lower + upper == n + 1
    assert coverage(lower) >= 0.95
    assert coverage(lower + 1) < 0.95


def lower_ranks(last):
    """(n, largest l with P(B < l) <= 1/40) for n from 1 on, by fractions of 2^256."""
    limit = 2**256 // 40
    lower, below, term = 0, 2**255, 2**255  # P(B < lower + 1) and P(B = lower) of n = 1
    for n in range(1, last + 1):
        while below <= limit:
            lower += 1
            term = term * (n - lower + 1) // lower
            below += term
        yield n, lower
        below -= term // 2
        term = term * (n + 1) // (2 * (n + 1 - lower))


def test_ranks_of_every_number_of_samples_are_the_exact_ones():
    found = {n: interval_ranks(n) for n in range(1, 3001)}
    assert found == {n: (lower, n + 1 - lower) if lower else None for n, lower in lower_ranks(3000)}


# tests/test_statistics.cpp holds the drivers to the same ranks.
@pytest.mark.parametrize(
    ("n", "lower"),
    [
        (1000, 469), (1001, 470), (1023, 480), (1024, 481), (3000, 1446),
        (16500, 8124), (20_000, 9861), (1_000_000, 499_020),
    ],
)  # fmt: skip
def test_ranks_of_many_samples(n, lower):
    assert interval_ranks(n) == (lower, n + 1 - lower)
    if n < 10**6:
        assert dict(lower_ranks(n))[n] == lower


def test_many_samples_have_a_narrow_interval():
    summary = summarise([float(i) for i in range(1, 20_001)])
    assert summary.ends == (9861.0, 10_140.0)


def test_median_of_odd_and_even_counts():
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 2, 3]) == 2.5
    with pytest.raises(ValueError, match="no samples"):
        median([])


def test_summary_takes_the_order_statistics():
    samples = [10, 1, 9, 2, 8, 3, 7, 4, 6, 5]  # n = 10: ranks 2 and 9

    assert summarise(samples) == Summary(10, 5.5, 2, 9)


def test_speedup_takes_opposite_ends():
    base = Summary(10, 8.0, 6.0, 9.0)
    other = Summary(10, 2.0, 1.5, 3.0)

    assert speedup(base, other) == Ratio(4.0, 2.0, 6.0)


def test_speedup_without_an_interval_has_none():
    assert speedup(Summary(3, 8.0, None, None), Summary(10, 2.0, 1.5, 3.0)) == Ratio(
        4.0, None, None
    )


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (Ratio(1.50, 1.40, 1.60), Verdict.faster),
        (Ratio(0.50, 0.40, 0.60), Verdict.slower),
        (Ratio(1.00, 0.98, 1.02), Verdict.same),
        (Ratio(1.02, 1.01, 1.029), Verdict.same),  # clear, but below the smallest effect
        (Ratio(1.02, 1.01, 1.20), Verdict.unclear),  # clear, but perhaps too small
        (Ratio(1.50, 0.90, 2.00), Verdict.unclear),
        (Ratio(0.80, 0.70, 1.10), Verdict.unclear),
        (Ratio(9.00, None, None), Verdict.unclear),
    ],
)
def test_verdicts(ratio, expected):
    assert verdict(ratio) is expected


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        # Same: from 1 / 1.03 = 0.97087 to 1.03, both included. 0.9705 is above 0.97 and outside.
        (Ratio(1.00, 1 / 1.03, 1.03), Verdict.same),
        (Ratio(1.00, 0.9705, 1.03), Verdict.unclear),
        (Ratio(1.00, 0.98, 1.0301), Verdict.unclear),
        # Faster: the interval above 1, and the ratio 1.03 or more.
        (Ratio(1.03, 1.001, 1.06), Verdict.faster),
        (Ratio(1.0299, 1.001, 1.06), Verdict.unclear),
        (Ratio(1.035, 1.001, 1.06), Verdict.faster),
        (Ratio(1.05, 1.0, 1.10), Verdict.unclear),
        # Slower: the interval below 1, and the ratio 1 / 1.03 = 0.97087 or less.
        (Ratio(0.9708, 0.94, 0.999), Verdict.slower),
        (Ratio(0.9709, 0.94, 0.999), Verdict.unclear),
        (Ratio(0.95, 0.90, 1.0), Verdict.unclear),
    ],
)
def test_verdicts_at_their_edges(ratio, expected):
    assert verdict(ratio) is expected


def test_the_smallest_effect_is_three_per_cent():
    assert SMALLEST_EFFECT == 0.03


@pytest.mark.parametrize(
    ("n", "choosing", "reporting"),
    [
        (1, [0], [0]),
        (2, [0], [1]),
        (5, [0, 2], [1, 3, 4]),
        (6, [0, 2, 4], [1, 3, 5]),
        (7, [0], [1, 2, 3, 4, 5, 6]),
        (10, [0, 2, 4, 6], [1, 3, 5, 7, 8, 9]),
        (12, [0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11]),
        (13, [0, 2, 4, 6, 8, 10, 12], [1, 3, 5, 7, 9, 11]),
    ],
)
def test_samples_are_divided_between_choice_and_report(n, choosing, reporting):
    assert divided(range(n)) == (choosing, reporting)


@pytest.mark.parametrize("n", range(7, 60))
def test_what_is_reported_has_an_interval_and_no_sample_that_chose(n):
    choosing, reporting = divided(range(n))

    assert sorted(choosing + reporting) == list(range(n))
    assert all(index % 2 == 0 for index in choosing)
    assert summarise(reporting).has_interval


def test_sums_of_medians_have_the_sums_of_the_ends():
    first, second = Summary(10, 2.0, 1.0, 4.0), Summary(12, 10.0, 9.0, 12.0)

    assert added(first, second) == Summary(10, 12.0, 10.0, 16.0)
    assert added(first, Summary(3, 10.0, None, None)) == Summary(3, 12.0, None, None)


def test_spread_between_runs_counts_runs_of_jobs_not_cells():
    # Logs 0, 2 (mean 1, squares 2, one degree) and 1, 5 (mean 3, squares 8): 10 over two cells is 5
    # for the job's one degree. The other job: 0, 0, 3 (mean 1, squares 6), 3 for each of two.
    first = [{"a": 1.0, "b": math.e**2}, {"a": math.e, "b": math.e**5}]
    second = [{"c": 1.0, "d": 1.0, "e": math.e**3}]

    assert spread_between_runs([first]) == Spread(pytest.approx(math.sqrt(5)), 1)
    assert spread_between_runs([first, second]) == Spread(pytest.approx(math.sqrt(11 / 3)), 3)
    with pytest.raises(ValueError, match="no repeated runs"):
        spread_between_runs([[{"a": 5.0}, {"a": 7.0}]])


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622), (30, 2.0423), (999, 1.9623)],
)
def test_students_quantiles_are_the_tabulated_ones(freedom, quantile):
    assert student_quantile(freedom) == pytest.approx(quantile, abs=5e-5)


def test_a_ratio_across_runs_holds_the_spread_of_both():
    ratio = between_runs(Ratio(2.0, 1.5, 2.5), Spread(0.03, 2), Spread(0.04, 9))
    factor = math.exp(4.3027 * 0.05)

    assert ratio.value == 2.0
    assert ratio.low == pytest.approx(1.5 / factor, rel=1e-5)
    assert ratio.high == pytest.approx(2.5 * factor, rel=1e-5)
    assert ratio.across_runs
    equal = between_runs(Ratio(2.0, 1.0, 1.0), Spread(0.1, 4), Spread(0.1, 4))
    assert equal.high == pytest.approx(math.exp(2.7764 * math.sqrt(2) * 0.1), rel=1e-4)


def test_a_ratio_across_runs_of_unknown_spread_has_no_interval():
    unknown = between_runs(Ratio(2.0, 1.5, 2.5), None, Spread(0.1, 3))

    assert unknown == Ratio(2.0, None, None, across_runs=True)
    assert verdict(unknown) is Verdict.unclear


def test_equal_values_share_their_mean_rank():
    assert mean_ranks([10, 20, 20, 5]) == [2, 3.5, 3.5, 1]
    # Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: cross 4.5, spreads 4.5 and 5.
    assert rank_correlation([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))


@pytest.mark.parametrize(("first", "last"), [(10, 25), (12, 20), (25, 100)])
@pytest.mark.parametrize("sigma", [0.02, 0.04, 0.08])
def test_optional_stopping_costs_little_coverage(first, last, sigma):
    """As the drivers do: from `first` samples on, a cell ends when half the width of the interval
    is within 2 % of the median, at `last` samples anyway. Over all cells the interval holds the
    true median at least 92 times of 100."""
    rng = random.Random(17)
    held, cells = 0, 1000
    for _ in range(cells):
        samples = sorted(rng.gauss(0, sigma) for _ in range(first))
        while True:
            low, middle, high = (math.exp(x) for x in located(samples))
            if (high - low) / 2 <= 0.02 * middle or len(samples) == last:
                break
            bisect.insort(samples, rng.gauss(0, sigma))
        held += low <= 1 <= high
    assert held / cells >= 0.92


def located(ordered):
    """The ends of the interval around the median of samples in ascending order."""
    lower, upper = interval_ranks(len(ordered))
    return ordered[lower - 1], median(ordered), ordered[upper - 1]


def test_verdict_is_the_opposite_with_the_roles_exchanged():
    fast, slow = Summary(10, 1.0, 0.99, 1.01), Summary(10, 1.1, 1.09, 1.11)

    assert verdict(speedup(slow, fast)) is Verdict.faster
    assert verdict(speedup(fast, slow)) is Verdict.slower


def test_geometric_mean():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="no ratios"):
        geometric_mean([])


def test_performance_profile_by_hand():
    # Instance 0: a is best; 1: b is best, a takes twice as long; 2: only a; 3: nobody.
    profiles = performance_profile({"a": [1.0, 4.0, 5.0, None], "b": [3.0, 2.0, None, None]})

    assert profiles["a"] == [(1.0, pytest.approx(2 / 3)), (2.0, 1.0)]
    assert profiles["b"] == [(1.0, pytest.approx(1 / 3)), (3.0, pytest.approx(2 / 3))]


def test_performance_profile_wants_an_entry_for_every_instance():
    with pytest.raises(ValueError, match="one entry"):
        performance_profile({"a": [1.0], "b": []})


def test_the_reach_of_a_spread_is_that_of_its_degrees_of_freedom():
    assert Spread(0.1, 1).reach == pytest.approx(1.2706, abs=1e-4)
    assert Spread(0.1, 5).reach == pytest.approx(0.25706, abs=1e-4)
