"""Reports worked out by hand: runs and the spread between them."""

import math

import pytest

import hand_made
from hand_made import around, only_row
from sparserepro.render import tabular
from sparserepro.stats import Spread, Verdict, verdict
from sparserepro.text import sampling
from sparserepro.views import captions, times
from sparserepro.views.sections import section


def pair_of_runs(tmp_path, *repeats, runs=("first", "second")):
    return hand_made.report(
        tmp_path,
        hand_made.record("spmm", "serial_csr", around(4.0, 0.01), backend="serial", run=runs[0]),
        hand_made.record("spmm", "omp_csr", around(2.0, 0.01), run=runs[1]),
        *repeats,
    )


def repeats_of(*factors):
    """Both cells again in as many runs, so many times as slow."""
    return [
        hand_made.record(
            "spmm", name, [seconds * factor] * 10, backend=backend, run=f"again-{n}", repeat=n
        )
        for n, factor in enumerate(factors, start=1)
        for name, backend, seconds in (("serial_csr", "serial", 4.0), ("omp_csr", "omp", 2.0))
    ]


def test_cells_of_one_run_are_compared_as_they_are(tmp_path):
    report = pair_of_runs(tmp_path, runs=("first", "first"))
    ratio = report.speedup(only_row(report), "omp_csr")

    # Of the quotients of the rounds, the second and the last but one of ten.
    assert (ratio.low, ratio.high) == pytest.approx((4.03 / 2.03, 3.97 / 1.97))
    assert not ratio.across_runs
    assert captions.ratio_mark(ratio) == ""
    assert captions.across_notes(report, "gpu-box", "spmm", [ratio]) == []


def test_cells_of_different_runs_have_no_verdict_without_repeats(tmp_path):
    report = pair_of_runs(tmp_path)
    ratio = report.speedup(only_row(report), "omp_csr")

    assert ratio.value == 2.0
    assert verdict(ratio) is Verdict.unclear
    assert captions.ratio_mark(ratio) == r"{\unclear\across}"
    (note,) = captions.across_notes(report, "gpu-box", "spmm", [ratio])
    assert "nothing is decided" in note
    assert "unknown" in sampling.spreads(report)


def test_repeats_tell_the_spread_and_nothing_else(tmp_path):
    report = pair_of_runs(tmp_path, *repeats_of(1.1, 1.1), runs=("first", "first"))
    apart = pair_of_runs(tmp_path, *repeats_of(1.1, 1.1))
    row = only_row(report)
    # Each cell has the logs 0, l, l: squares 2/3 l^2 for two degrees. The runs are the same for
    # both cells, so that they count once.
    spread = Spread(pytest.approx(math.log(1.1) / math.sqrt(3)), 2)

    assert len(report.cells) == 2 and len(report.repeats) == 4
    assert report.best(row, "omp_csr").kernel.n == 10
    assert report.spread("gpu-box", "host", "spmm") == spread
    assert report.spread("gpu-box", "device", "spmm") is None
    # The two first runs make two jobs of the cells, each of three runs.
    assert apart.spread("gpu-box", "host", "spmm").freedom == 4
    ratio = apart.speedup(row, "omp_csr")
    factor = math.exp(2.7764 * math.sqrt(2) * math.log(1.1) / math.sqrt(3))
    assert ratio.low == pytest.approx(3.97 / 2.03 / factor, rel=1e-4)
    assert ratio.high == pytest.approx(4.03 / 1.97 * factor, rel=1e-4)
    assert verdict(ratio) is Verdict.faster
    assert captions.ratio_mark(ratio) == r"{\across}"
    (note,) = captions.across_notes(apart, "gpu-box", "spmm", [ratio])
    assert r"\qty{15}{\percent} on the host" in note
    assert r"\qty{15}{\percent} (\num{4} degrees of freedom) for SpMM" in sampling.spreads(apart)


def test_the_spread_is_of_the_problem_where_its_own_jobs_were_repeated(tmp_path):
    def again(problem, name, *seconds):
        return [
            hand_made.record(problem, name, [s] * 10, run=f"{problem}-{n}", repeat=n)
            for n, s in enumerate(seconds)
        ]

    quiet = again("transpose", "omp_scantrans", 1.0, 1.01)
    noisy = again("spmm", "omp_csr", 1.0, 1.2, 1.2)
    alone = again("triangles", "omp_forward", 1.0)
    report = hand_made.report(tmp_path, *quiet, *noisy, *alone)

    def spread(problem):
        return report.spread("gpu-box", "host", problem)

    assert spread("transpose") == Spread(pytest.approx(math.log(1.01) / math.sqrt(2)), 1)
    assert spread("spmm") == Spread(pytest.approx(math.log(1.2) / math.sqrt(3)), 2)
    assert spread("triangles") is None


def test_the_spread_of_triangles_holds_their_preparation(tmp_path):
    runs = [
        hand_made.record(
            "triangles", "omp_forward", [1.0] * 10, preprocess_s=[before] * 10, run=f"{n}", repeat=n
        )
        for n, before in enumerate((1.0, 3.0))
    ]
    report = hand_made.report(tmp_path, *runs)

    # Two seconds, and four.
    assert report.spread("gpu-box", "host", "triangles").deviation == pytest.approx(
        math.log(2) / math.sqrt(2)
    )


def test_the_note_of_ratios_across_runs_names_the_sides_that_were_measured(tmp_path):
    def note(*records):
        made = pair_of_runs(tmp_path, *repeats_of(1.1, 1.1), *records)
        ratio = made.speedup(only_row(made), "omp_csr")
        return captions.across_notes(made, "gpu-box", "spmm", [ratio])[0]

    device = [
        hand_made.record(
            "spmm", "cuda_csr_scalar_v3", [s] * 10, backend="cuda", run=run, repeat=repeat
        )
        for s, run, repeat in ((1.0, "first", 0), (1.1, "third", 1))
    ]
    assert "device" not in note()
    assert "of the device no run was repeated" in note(device[0])
    assert "percent} on the device" in note(*device)


def test_a_spread_wider_than_the_lead_leaves_it_open(tmp_path):
    report = pair_of_runs(tmp_path, *repeats_of(1.6, 1.6))

    assert verdict(report.speedup(only_row(report), "omp_csr")) is Verdict.unclear


def test_the_spread_of_the_host_says_nothing_of_the_device(tmp_path):
    device = hand_made.record("spmm", "cuda_csr_scalar_v3", [1.0] * 10, backend="cuda", run="gpu")
    report = pair_of_runs(tmp_path, *repeats_of(1.1, 1.1), device)
    ratio = report.speedup(only_row(report), "cuda_csr_scalar_v3")

    assert ratio.across_runs
    assert ratio.low is None


def test_the_table_of_speedups_marks_ratios_across_runs(tmp_path):
    part = section(pair_of_runs(tmp_path, *repeats_of(1.1, 1.1)), "gpu-box", "spmm")
    (table,) = times.times(part)
    speedup = [column.head for column in table.columns].index("speedup")

    assert tabular.Number("2.00", mark=r"{\across}") in [line[speedup] for line in table.body]
    assert any(note.startswith(r"\across~") for note in table.notes)
