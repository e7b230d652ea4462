"""Speedups for n calls and break-even counts against values worked out by hand."""

import math

import pytest

from sparserepro.data.calls import Cost, Setting, break_even, heading, pays_from, speedup


def plain(*costs):
    """Settings that are chosen and reported by the same costs (preparation, execution)."""
    return [Setting(Cost(*cost), Cost(*cost)) for cost in costs]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        (1, (6 + 1 * 4) / (30 + 1 * 2)),
        (10, (6 + 10 * 4) / (30 + 10 * 2)),
        (100, (6 + 100 * 4) / (30 + 100 * 2)),
        (math.inf, 4 / 2),
    ],
)
def test_speedup_counts_one_preparation_and_n_executions(calls, expected):
    assert speedup(Cost(6, 4), Cost(30, 2), calls) == pytest.approx(expected)


def test_headings():
    assert [heading(n) for n in (1, 100, math.inf)] == ["1", "100", r"$\infty$"]


@pytest.mark.parametrize(
    ("own", "peers", "expected"),
    [
        # 10 + n < 3 n from n = 6 on (16 < 18; at 5 both take 15, which is not less).
        ([(10, 1)], [(0, 3)], [(6, None)]),
        ([(0, 1)], [(0, 3)], [(1, None)]),
        ([(10, 3)], [(0, 1)], []),
        ([(1, 1)], [(1, 1)], []),
        ([(0, 1)], [(1, 1)], [(1, None)]),
        # A peer with more preparation and a faster kernel: 2 n < 10 + n up to n = 9.
        ([(0, 2)], [(10, 1)], [(1, 9)]),
        # Two settings of the library: 4 n without preparation, 20 + n with. Ours, 6 + 2 n, beats
        # the first from n = 4 (14 < 16) and loses against the second from n = 14 (34 = 34) on.
        ([(6, 2)], [(0, 4), (20, 1)], [(4, 13)]),
        # The library changes to its second setting, 3 + n, at n = 2; ours, 4 + n, never wins.
        ([(4, 1)], [(0, 2), (3, 1)], []),
        # Our own setting changes: 3 n never beats 2 n, 50 + n does from n = 51 on.
        ([(0, 3), (50, 1)], [(0, 2)], [(51, None)]),
        # 3 n beats 2 + 2 n for one call, 50 + n does from n = 49 on (99 < 100), nothing between.
        ([(0, 3), (50, 1)], [(2, 2)], [(1, 1), (49, None)]),
        # The own setting changes at n = 4 from 2 n to 4 + n, both below 3 n: no gap.
        ([(0, 2), (4, 1)], [(0, 3)], [(1, None)]),
    ],
)
def test_break_even(own, peers, expected):
    assert break_even(plain(*own), plain(*peers)) == expected


def test_break_even_is_where_the_times_say_so():
    own, peers = plain((37, 1.5), (5, 2.75)), plain((0, 4), (11, 2.5), (90, 1.75))
    found = break_even(own, peers)

    def wins(n):
        ours, theirs = (min(s.reported.of(n) for s in side) for side in (own, peers))
        return ours < theirs

    def inside(n):
        return any(first <= n and (last is None or n <= last) for first, last in found)

    assert [inside(n) for n in range(1, 1000)] == [wins(n) for n in range(1, 1000)]
    assert found[-1][1] is None
    assert wins(10**6)


def test_an_algorithm_pays_from_where_it_stays_ahead():
    assert pays_from([(4, None)]) == 4
    assert pays_from([(1, 1), (49, None)]) == 49
    assert math.isinf(pays_from([(1, 9)]))
    assert math.isinf(pays_from([]))


def test_settings_are_chosen_by_one_part_of_the_samples_and_compared_by_the_other():
    # The second setting of the library is chosen (2 < 3), and takes 5 when reported.
    lucky = [Setting(Cost(0, 3), Cost(0, 3)), Setting(Cost(0, 2), Cost(0, 5))]

    assert break_even(plain((0, 4)), lucky) == [(1, None)]
    assert break_even(plain((0, 4)), lucky[:1]) == []
