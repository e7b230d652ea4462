"""Verdicts by rounds: what disturbs a round as a whole disturbs both sides of a quotient, which
stays the same."""

import dataclasses
import math
import random

import pytest

import hand_made
from sparserepro.data import deciding
from sparserepro.data.cell import cell_of
from sparserepro.data.lines import of_record
from sparserepro.stats import (
    Ratio,
    Verdict,
    divided,
    held_out_rounds,
    in_rounds,
    speedup,
    summarise,
    verdict,
)


def disturbed(count: int, seed: int) -> list[float]:
    """What a busy host makes of rounds: times vary by half, from round to round."""
    noise = random.Random(seed)
    return [math.exp(noise.uniform(0, 0.7)) for _ in range(count)]


def apart(base: list[float], other: list[float]) -> Ratio:
    return speedup(summarise(base), summarise(other))


def together(base: list[float], other: list[float]) -> Ratio:
    return in_rounds(apart(base, other), dict(enumerate(base)), dict(enumerate(other)))


def test_a_difference_that_every_round_shows_is_decided():
    rounds = disturbed(15, seed=1)
    base, other = [1.15e-3 * r for r in rounds], [1e-3 * r for r in rounds]
    assert verdict(apart(base, other)) is Verdict.unclear
    found = together(base, other)
    assert (found.low, found.high) == (pytest.approx(1.15), pytest.approx(1.15))
    assert verdict(found) is Verdict.faster
    assert found.value == apart(base, other).value


def test_noise_of_its_own_on_each_side_decides_nothing():
    """Each side by its own noise, both alike: a verdict would be an error, of one in twenty."""
    wrong = 0
    for seed in range(400):
        found = together(disturbed(20, 2 * seed), disturbed(20, 2 * seed + 1))
        wrong += verdict(found) in (Verdict.faster, Verdict.slower)
    assert wrong <= 400 * 0.05


def test_the_interval_holds_the_ratio_that_the_report_states():
    base = [1.0, 1.0, 1.0, 5.0, 5.0, 5.0, 5.0]
    other = [1.0, 1.0, 1.0, 1.0, 4.9, 4.9, 4.9]
    found = together(base, other)
    assert found.low <= found.value <= found.high


def test_too_few_common_rounds_leave_the_ratio_as_it_is():
    ratio = apart([1.0] * 12, [2.0] * 12)
    assert in_rounds(ratio, dict.fromkeys(range(5), 1.0), dict.fromkeys(range(12), 2.0)) is ratio
    assert in_rounds(ratio, {}, dict.fromkeys(range(12), 2.0)) is ratio
    assert in_rounds(ratio, dict.fromkeys(range(0, 12, 2), 1.0), {1: 2.0, 3: 2.0}) is ratio


@pytest.mark.parametrize("count", range(31))
def test_the_rounds_that_report_are_those_of_the_samples_that_do(count):
    samples = [float(i) for i in range(count)]
    assert [samples[i] for i in held_out_rounds(count)] == divided(samples)[1]


def library_ratio(folder, **others):
    """Of omp_csr over the one setting of a library, each round of which a busy host disturbs."""
    rounds = disturbed(40, seed=3)
    own = hand_made.record("spmm", "omp_csr", [1.0e-3 * r for r in rounds], parameters={"k": 8})
    library = hand_made.record(
        "spmm", "eigen_csr", [1.15e-3 * r for r in rounds], library="Eigen 3.4.0",
        parameters={"k": 8}, **others,
    )  # fmt: skip
    report = hand_made.report(folder, own, library)
    cell = report.best(hand_made.only_row(report), "omp_csr")
    return cell.line


def test_the_table_of_cells_decides_by_rounds(tmp_path):
    line = library_ratio(tmp_path)
    assert line["library_verdict"] == "faster"
    assert line["library_ratio_low"] == pytest.approx(1.15)


def test_rounds_are_unknown_where_samples_were_dropped_or_runs_differ(tmp_path):
    assert library_ratio(tmp_path, timing__throttled=1)["library_verdict"] == "unclear"
    assert library_ratio(tmp_path, run="second")["library_verdict"] == "unclear"


def test_a_preparation_that_counts_has_no_rounds(tmp_path):
    rounds = disturbed(40, seed=3)
    prepared = {"preprocess_s": [1e-6] * 40, "parameters": {}}
    own = hand_made.record("triangles", "omp_forward", [1e-3 * r for r in rounds], **prepared)
    library = hand_made.record(
        "triangles", "graphblas_masked", [1.15e-3 * r for r in rounds], library="GraphBLAS 10.0.0",
        **prepared,
    )  # fmt: skip
    report = hand_made.report(tmp_path, own, library)
    cell = report.best(hand_made.only_row(report), "omp_forward")
    assert cell.line["library_verdict"] == "unclear"


def test_a_chosen_setting_is_paired_by_the_rounds_that_did_not_choose_it():
    samples = [float(n) for n in range(1, 13)]
    cell = cell_of(of_record(hand_made.record("spmm", "omp_csr", samples), ("k",)))
    assert deciding.reported(cell) == dict(enumerate(samples))
    chosen = dataclasses.replace(cell, held_out=True)
    assert deciding.reported(chosen) == {n: float(n + 1) for n in (1, 3, 5, 7, 9, 11)}


def test_the_interval_is_widened_to_the_ratio_of_the_medians():
    # Medians of 5 and 1; of the twelve quotients the third to the tenth are 1 to 1.02.
    base = [1.0] * 5 + [5.0] * 7
    other = [1.0] * 7 + [5.0 / 1.02] * 5
    found = together(base, other)
    assert found.value == pytest.approx(5.0)
    assert (found.low, found.high) == (pytest.approx(1.0), pytest.approx(5.0))
