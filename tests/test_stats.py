"""Statistics against values worked out by hand."""

import math

import pytest

from stats import (
    Ratio,
    Summary,
    Verdict,
    geometric_mean,
    interval_ranks,
    median,
    performance_profile,
    speedup,
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
