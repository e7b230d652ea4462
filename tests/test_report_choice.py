"""Reports worked out by hand: what chooses and what is reported, bounds, work."""

import math

import pytest

import hand_made
from hand_made import around, only_row
from sparserepro.plots import measured as figures_measured
from sparserepro.render import latex
from sparserepro.stats import Summary
from sparserepro.text import macros
from sparserepro.views import end_to_end, measured, spmm_k, times
from sparserepro.views.sections import section


def test_the_samples_that_choose_are_not_reported(tmp_path):
    # 12 samples, even ones (first, third, ...) choose: block 32 is lucky there and slow after.
    lucky = [1.0, 9.0] * 6
    steady = [2.0, 3.0] * 6
    report = hand_made.report(
        tmp_path,
        hand_made.record("spmm", "omp_csr", lucky, parameters={"chunk": 32}),
        hand_made.record("spmm", "omp_csr", steady, parameters={"chunk": 64}),
        hand_made.record("spmm", "serial_csr", [8.0, 10.0] * 6, backend="serial"),
    )
    row = only_row(report)
    best = report.best(row, "omp_csr")

    assert dict(best.params)["chunk"] == 32
    assert best.kernel == Summary(6, 9.0, 9.0, 9.0)
    assert report.best(row, "serial_csr").kernel.n == 12  # no choice: all samples
    assert report.speedup(row, "omp_csr").value == pytest.approx(9.0 / 9.0)


def test_parameters_are_chosen_anew_for_each_number_of_calls(tmp_path):
    report = hand_made.report(
        tmp_path,
        hand_made.record("spmm", "omp_csr", [2.0] * 12, parameters={"plan": 0}),
        hand_made.record(
            "spmm", "omp_csr", [1.0] * 12, parameters={"plan": 1}, preprocess_s=[50.0] * 12
        ),
    )
    row = only_row(report)

    def plan(calls):
        return dict(report.best(row, "omp_csr", calls=calls).params)["plan"]

    assert [plan(n) for n in (1, 10, 100, math.inf)] == [0, 0, 1, 1]  # 50 + n < 2 n from 51 on
    assert plan(None) == 1


def test_cells_are_selected_by_machine_and_problem(tmp_path):
    wanted = {("gpu-box", "spmm"): 2, ("gpu-box", "triangles"): 1, ("desk-1", "spmm"): 1}
    name = {"spmm": "omp_csr", "triangles": "omp_forward"}
    records = [
        hand_made.record(
            problem, name[problem], [1.0] * 12, machine=machine, matrix=f"m{i}",
            parameters={"threads": 1},
        )
        for (machine, problem), count in wanted.items()
        for i in range(count)
    ]  # fmt: skip
    report = hand_made.report(tmp_path, *records)
    for (machine, problem), count in wanted.items():
        cells = report.select(machine=machine, problem=problem)
        assert [(c.row.machine, c.row.problem) for c in cells] == [(machine, problem)] * count
    assert len(report.select(machine="gpu-box")) == 3
    assert len(report.select(problem="spmm")) == 3


def test_the_headline_of_triangles_is_one_preparation_and_one_execution(tmp_path):
    report = hand_made.report(
        tmp_path,
        hand_made.record("triangles", "serial", [30.0] * 10, backend="serial"),
        hand_made.record(
            "triangles", "omp_forward", around(2.0, 0.1), preprocess_s=around(4.0, 0.5)
        ),
        hand_made.record(
            "triangles", "cuda_block_per_row", [5.0] * 10, backend="cuda", preprocess_s=[1.0] * 3
        ),
    )
    row = only_row(report)
    best = report.best(row, "omp_forward")

    # Ten samples have the ranks 2 and 9: 2 +- 0.3 and 4 +- 1.5.
    assert best.kernel == Summary(10, 6.0, pytest.approx(4.2), pytest.approx(7.8))
    assert report.speedup(row, "omp_forward").value == 5.0
    without = report.best(row, "cuda_block_per_row")
    assert without.seconds == 6.0
    assert not without.kernel.has_interval  # three samples of the preparation have none


def test_the_figure_of_times_says_that_triangles_hold_a_preparation(tmp_path):
    def caption(problem, *records):
        part = section(hand_made.report(tmp_path, *records), "gpu-box", problem)
        return figures_measured.times(part)[0][1]

    serial = hand_made.record("triangles", "serial", [30.0] * 10, backend="serial")
    forward = hand_made.record("triangles", "omp_forward", [2.0] * 10, preprocess_s=[4.0] * 10)
    product = hand_made.record("spmm", "omp_csr", [2.0] * 10, preprocess_s=[4.0] * 10)

    assert "time of one execution with one preparation, each" in caption(
        "triangles", serial, forward
    )
    assert "time of one execution without preparation, each" in caption("spmm", product)
    assert "time of one execution, each" in caption("triangles", serial)


def test_the_preparation_is_that_of_the_setting_whose_time_is_shown(tmp_path):
    def on(matrix, plain):
        return [
            hand_made.record(
                "spmm", "omp_csr", [seconds] * 12, matrix=matrix, parameters={"plan": plan},
                preprocess_s=[7.0] * 12 if plan else [],
            )
            for plan, seconds in ((0, plain), (1, 2.0))
        ]  # fmt: skip

    report = hand_made.report(tmp_path, *on("a", 1.0), *on("b", 3.0))
    part = section(report, "gpu-box", "spmm")
    table, *_ = end_to_end.whole_and_parts(part)
    lines = {line[0].latex_text: line[2] for line in table.body}

    assert r"\gap" in lines[latex.code("a")].latex_text
    assert any("its fastest setting prepares nothing" in note for note in table.notes)
    assert lines[latex.code("b")].text.startswith("7.00")


def test_the_rate_by_columns_is_chosen_by_other_samples_than_it_is_reported_from(tmp_path):
    flops = 4e9
    lucky, steady = [1.0, 9.0] * 6, [2.0, 3.0] * 6  # even samples choose
    records = [
        hand_made.record(
            "spmm", name, samples, parameters={"k": k}, model={"bytes": 1.0, "flops": flops}
        )
        for k in (1, 4)
        for name, samples in (("omp_csr", lucky), ("omp_ellpack", steady))
    ]
    (table,) = spmm_k.k_sweep(hand_made.report(tmp_path, *records))

    assert [cell.text for cell in table.body[0][2:]] == ["0.444", "0.444"]  # 4 Gflop in 9 s


def test_shares_of_the_bounds_are_the_bounds_over_the_time(tmp_path):
    report = hand_made.report(
        tmp_path,
        hand_made.record(
            "transpose", "omp_scantrans", [8e-3] * 10,
            bounds={"copy_s": 2e-3, "second": {"name": "two_passes", "seconds": 6e-3}},
        ),
        hand_made.record(
            "transpose", "serial", [16e-3] * 10, backend="serial",
            bounds={"copy_s": 4e-3, "second": None},
        ),
    )  # fmt: skip
    row = only_row(report)
    cell = report.best(row, "omp_scantrans")

    assert cell.bound_seconds == 2e-3
    assert cell.fraction_of_bound == 0.25
    assert cell.second_bound == ("two_passes", 6e-3)
    part = section(report, "gpu-box", "transpose")
    (table,) = times.times(part)
    line = next(line for line in table.body if line[1].latex_text == latex.code("omp_scantrans"))
    assert [value.text for value in line[-2:]] == ["25.0", "75.0"]
    assert "two passes over the entries" in table.caption
    assert r"\code{docs/bounds.md}" in table.caption
    text = macros.closest_to_bound(part)
    assert text == r"\qtyrange{25.0}{25.0}{\percent} of the copy bound on the host"


def test_the_time_of_gathers_is_not_called_a_bound(tmp_path):
    bounds = {"copy_s": 2e-3, "second": {"name": "gather", "seconds": 6e-3}}
    record = hand_made.record("spmm", "serial_csr", [4e-3] * 10, backend="serial", bounds=bounds)
    part = section(hand_made.report(tmp_path, record), "gpu-box", "spmm")

    (table,) = times.times(part)
    assert [value.text for value in table.body[0][-2:]] == ["50.0", "150"]
    assert "share of the time of gathers" in table.caption
    assert "second bound" not in table.caption


def test_there_is_no_column_of_a_second_bound_that_nothing_has(tmp_path):
    record = hand_made.record("spmm", "serial_csr", [1.0] * 10, backend="serial")
    part = section(hand_made.report(tmp_path, record), "gpu-box", "spmm")

    assert measured.second_bound(part) is None
    (table,) = times.times(part)
    assert "bound" in table.columns[-1].head


def test_work_is_of_stored_entries_edges_and_flops(tmp_path):
    def work(problem, algorithm, **others):
        record = hand_made.record(problem, algorithm, [1.0] * 10, backend="serial", **others)
        (cell,) = hand_made.report(tmp_path, record).cells
        return cell.work

    assert work("transpose", "serial") == (100.0, "entry")  # of 80 that are not zero
    assert work("triangles", "serial", measures={"edges": 45}) == (45, "edge")
    assert work("spmm", "serial_csr", model__flops=600.0) == (600.0, "flop")
