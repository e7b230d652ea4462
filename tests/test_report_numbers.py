"""A tiny report worked out by hand: choice and report, bounds, work, runs, versions, captions."""

import math

import pytest

import captions
import comparisons
import figures_measured
import hand_made
import latex
import libraries
import loading
import macros
import sampling
import tables_calls
import tables_library
import tables_measured
import tables_peers
import tables_published
import tables_special
from sections import section
from sparserepro.stats import Spread, Summary, Verdict, verdict

OLD, NEW = "cuSPARSE 12.6.3", "cuSPARSE 12.9.4"


def only_row(report):
    (row,) = {cell.row for cell in report.cells}
    return row


def around(middle, step=0.0):
    """Ten samples whose middle two are `middle`, with steps to both sides."""
    return [middle + step * k for k in (-4, -3, -2, -1, 0, 0, 1, 2, 3, 4)]


# --- choice and report -------------------------------------------------------------------------


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
    table, *_ = tables_measured.end_to_end(part)
    lines = {line[0].latex_text: line[1] for line in table.body}

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
    (table,) = tables_special.k_sweep(hand_made.report(tmp_path, *records))

    assert [cell.text for cell in table.body[0][2:]] == ["0.444", "0.444"]  # 4 Gflop in 9 s


# --- bounds, work ------------------------------------------------------------------------------


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
    (table,) = tables_measured.second_bound(part)
    assert [value.text for value in table.body[0][-2:]] == ["25.0", "75.0"]
    assert "two passes over the entries" in table.caption
    assert r"\code{docs/bounds.md}" in table.caption
    text = macros.closest_to_bound(part)
    assert text == r"\qtyrange{25.0}{25.0}{\percent} of it on the host"


def test_the_time_of_gathers_is_not_called_a_bound(tmp_path):
    bounds = {"copy_s": 2e-3, "second": {"name": "gather", "seconds": 6e-3}}
    record = hand_made.record("spmm", "serial_csr", [4e-3] * 10, backend="serial", bounds=bounds)
    part = section(hand_made.report(tmp_path, record), "gpu-box", "spmm")

    (table,) = tables_measured.second_bound(part)
    assert [value.text for value in table.body[0][-2:]] == ["50.0", "150"]
    assert "share of the time of gathers" in table.caption
    assert "second bound" not in table.caption


def test_there_is_no_table_of_a_second_bound_that_nothing_has(tmp_path):
    record = hand_made.record("spmm", "serial_csr", [1.0] * 10, backend="serial")
    part = section(hand_made.report(tmp_path, record), "gpu-box", "spmm")

    assert tables_measured.second_bound(part) == []


def test_work_is_of_stored_entries_edges_and_flops(tmp_path):
    def work(problem, algorithm, **others):
        record = hand_made.record(problem, algorithm, [1.0] * 10, backend="serial", **others)
        (cell,) = hand_made.report(tmp_path, record).cells
        return cell.work

    assert work("transpose", "serial") == (100.0, "entry")  # of 80 that are not zero
    assert work("triangles", "serial", measures={"edges": 45}) == (45, "edge")
    assert work("spmm", "serial_csr", model__flops=600.0) == (600.0, "flop")


# --- runs --------------------------------------------------------------------------------------


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

    assert (ratio.low, ratio.high) == pytest.approx((3.97 / 2.03, 4.03 / 1.97))
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
    (table,) = tables_measured.speedups(part)

    assert table.body[0][-1] == latex.Number("2.00", mark=r"{\across}")
    assert any(note.startswith(r"\across~") for note in table.notes)


# --- libraries ---------------------------------------------------------------------------------


def cusparse(seconds, library=NEW, preprocess=0.0, **parameters):
    return hand_made.record(
        "spmm", "cusparse_csr", [seconds] * 12, backend="cuda", library=library,
        parameters={"k": 8} | parameters, preprocess_s=[preprocess] * 12 if preprocess else [],
    )  # fmt: skip


def own(seconds, preprocess=0.0):
    return hand_made.record(
        "spmm", "cuda_csr_scalar_v3", [seconds] * 12, backend="cuda", parameters={"k": 8},
        preprocess_s=[preprocess] * 12 if preprocess else [],
    )  # fmt: skip


def test_repeats_and_older_versions_are_no_cells_of_the_grid(tmp_path):
    again = own(1.0) | {"run": {"id": "again", "repeat": 1}}
    report = hand_made.report(tmp_path, own(1.0), cusparse(3.0), cusparse(2.0, OLD), again)
    values = macros.general(report)

    assert values["cells"] == r"\num{2} cells"
    assert (values["cells-measured"], values["cells-skipped"]) == (r"\num{2}", r"\num{0}")
    assert values["cells-again"] == r"\num{2} cells"


def test_the_newest_version_of_a_library_is_the_peer(tmp_path):
    report = hand_made.report(tmp_path, own(1.0), cusparse(3.0), cusparse(2.0, OLD))
    row = only_row(report)

    assert report.best(row, "cusparse_csr").library == NEW
    assert report.best(row, "cusparse_csr").seconds == 3.0
    assert [cell.library for cell in report.older] == [OLD]
    assert len(report.every) == 3
    (gain,) = tables_library.gains(report, "spmm")
    assert [cell.text for cell in gain.body[-1][1:]] == ["0.667", "0.667"]  # K = 8, all
    assert "between 12.6.3 and 12.9.4" in gain.caption


def test_an_algorithm_of_an_older_version_alone_is_no_peer_beside_a_newer_one(tmp_path):
    bsr = cusparse(2.0, OLD) | {"algorithm": "cusparse_bsr"}
    absent = cusparse(1.0, OLD, alg="b") | {
        "status": "skipped", "reason": "of no use", "timing": None, "check": None,
    }  # fmt: skip
    report = hand_made.report(tmp_path, own(1.0), cusparse(3.0), cusparse(4.0, OLD), bsr, absent)
    (pair,) = comparisons.compared(report, "gpu-box", "spmm", "device")
    (gain,) = tables_library.gains(report, "spmm")

    assert (pair.peer().library, pair.peer().seconds) == (NEW, 3.0)
    assert [cell.library for cell in report.older] == [OLD] * 3
    assert gain.body[-1][-1].text == "0.667"  # the best of the old, 2.0, over the best of the new


def test_a_version_that_is_alone_on_a_row_is_the_peer_there(tmp_path):
    def on(matrix, library, seconds):
        return cusparse(seconds, library) | {"matrix": own(1.0)["matrix"] | {"name": matrix}}

    middle = "cuSPARSE 12.8.0"
    records = [on("a", OLD, 3.0), on("a", middle, 2.0), on("a", NEW, 1.0)]
    records += [on("b", OLD, 3.0), on("b", middle, 2.0)]
    report = hand_made.report(tmp_path, *records)
    gains = tables_library.gains(report, "spmm")

    assert sorted(cell.library for cell in report.cells) == [middle, NEW]
    assert len({table.label for table in gains}) == 3
    assert all("On these rows the newer version is the peer" in t.caption for t in gains)


def test_versions_are_numbers_not_letters():
    assert loading.version_of("cuSPARSE 12.10.1") > loading.version_of(NEW)
    assert loading.version_of("SuiteSparse:GraphBLAS 10.5.1") == (10, 5, 1)
    assert loading.version_of("Eigen") == ()


def test_what_a_library_gained_is_of_the_best_settings_of_both(tmp_path):
    report = hand_made.report(
        tmp_path, cusparse(2.0, OLD, alg="a"), cusparse(6.0, OLD, alg="b"), cusparse(1.0, alg="a")
    )
    (gain,) = tables_library.gains(report, "spmm")

    assert gain.body[-1][-1].text == "2.00"
    alone = hand_made.report(tmp_path, cusparse(1.0))
    assert tables_library.gains(alone, "spmm") == []


def test_the_best_library_setting_differs_by_calls(tmp_path):
    # n calls: ours 6 + 2 n; the library 4 n, or 20 + n with analysis.
    report = hand_made.report(
        tmp_path, own(2.0, 6.0), cusparse(4.0, alg="plain"), cusparse(1.0, preprocess=20.0, alg="p")
    )
    (peers,) = tables_peers.against_peers(report, "spmm")
    line = [getattr(cell, "text", None) or cell.latex_text for cell in peers.body[0]]

    assert line[1:4] == ["2.00", "1.00", NEW]  # seconds of ours and of the library, which
    # Infinitely many calls: 1 / 2. 100: 120 / 206. 10: 30 / 26. 1: 4 / 8.
    assert line[4:] == ["0.500", "0.583", "1.15", "0.500", "4 to 13"]
    (by_calls,) = tables_calls.by_calls(report, "spmm")
    everything = by_calls.body[-1]
    assert [cell.text for cell in everything[3:7]] == ["0.500", "1.15", "0.583", "0.500"]
    # For 4 to 13 calls alone: no number from which on, one row of few calls, none without any.
    assert [cell.latex_text for cell in everything[7:]] == ["--", *map(latex.integer, (1, 0))]
    sentence = macros.against_libraries(section(report, "gpu-box", "spmm"))[0]
    assert "less from no number of calls on, in the median over the rows, and for few" in sentence
    assert NEW in by_calls.caption and NEW in peers.caption


def test_means_over_rows_are_geometric_by_columns_and_by_class(tmp_path):
    def on(matrix, k, ours, theirs, preprocess):
        parameters = {"k": k}
        return [
            hand_made.record(
                "spmm", "cuda_csr_scalar_v3", [ours] * 12, backend="cuda", matrix=matrix,
                parameters=parameters, preprocess_s=[preprocess] * 12,
            ),
            hand_made.record(
                "spmm", "cusparse_csr", [theirs] * 12, backend="cuda", matrix=matrix,
                parameters=parameters, library=NEW,
            ),
        ]  # fmt: skip

    records = [*on("a", 1, 1.0, 2.0, 5.5), *on("b", 1, 1.0, 8.0, 5.5), *on("a", 4, 2.0, 1.0, 1.0)]
    report = hand_made.report(tmp_path, *records)
    (table,) = tables_calls.by_calls(report, "spmm")
    (peers,) = tables_peers.against_peers(report, "spmm")
    lines = {
        (line[0].latex_text, line[1].latex_text): [
            getattr(cell, "text", None) or cell.latex_text for cell in line[2:]
        ]
        for line in table.body
    }

    # K = 1, one call: 2 / 6.5 and 8 / 6.5; infinitely many: 2 and 8. 5.5 + n < 2 n from 6 on, and
    # 5.5 + n < 8 n from 1 on: the lower of the two in the middle.
    one = lines["K", latex.code("1")]
    assert one[:5] == [latex.integer(2), "0.615", "2.58", "3.79", "4.00"]
    assert one[5:] == [latex.integer(1), latex.integer(0), latex.integer(0)]
    # K = 4: for no number, 1 / (1 + 2) for one call and 1 / 2 for infinitely many.
    four = lines["K", latex.code("4")]
    assert (four[1], four[4], four[5], four[7]) == ("0.333", "0.500", "--", latex.integer(1))
    everything = lines["all", ""]
    assert everything[0] == latex.integer(3)
    assert everything[4] == "2.00"  # of 2, 8 and 1/2
    assert everything[5:] == [latex.integer(6), latex.integer(0), latex.integer(1)]
    means = [cell.text for cell in peers.body[-1] if isinstance(cell, latex.Number)]
    assert (means[0], means[-1]) == ("2.00", "0.502")  # (2/6.5 x 8/6.5 x 1/3)^(1/3)


def test_prepared_algorithms_over_the_baseline_by_calls(tmp_path):
    serial = hand_made.record(
        "spmm", "serial_csr", [8.0] * 12, backend="serial", parameters={"k": 8}
    )
    report = hand_made.report(tmp_path, serial, own(2.0, 6.0))
    (table,) = tables_calls.by_calls(report, "spmm")
    (line,) = table.body

    assert line[2].text == "3.00"  # preparation over execution
    assert [cell.text for cell in line[3:]] == ["1.00", "3.08", "3.88", "4.00"]  # 8 n / (6 + 2 n)


def test_the_setting_of_a_baseline_is_chosen_for_each_number_of_calls(tmp_path):
    # The baseline takes 4 n, or 36 + n: for one call 4, for ten 40, for 100 136.
    baseline = [
        hand_made.record(
            "spmm", "serial_csr", [seconds] * 12, backend="serial", parameters={"k": 8, "plan": p},
            preprocess_s=[before] * 12 if before else [],
        )
        for p, (seconds, before) in enumerate(((4.0, 0.0), (1.0, 36.0)))
    ]  # fmt: skip
    report = hand_made.report(tmp_path, *baseline, own(1.0, 1.0))
    (table,) = tables_calls.by_calls(report, "spmm")
    (line,) = [row for row in table.body if row[0].latex_text == latex.code("cuda_csr_scalar_v3")]

    assert [cell.text for cell in line[3:]] == ["2.00", "3.64", "1.35", "1.00"]


def test_tables_of_calls_are_named_only_where_they_are(tmp_path):
    def captions_with(*records):
        report = hand_made.report(
            tmp_path, hand_made.record("spmm", "serial_csr", [8.0] * 12, backend="serial"), *records
        )
        (table,) = tables_measured.speedups(section(report, "gpu-box", "spmm"))
        return table.caption, [t.label for t in tables_calls.by_calls(report, "spmm")]

    plain = hand_made.record("spmm", "omp_csr", [2.0] * 12)
    label = "tab:spmm-calls-baseline-gpu-box"
    # An archived algorithm that the catalogue does not know has no baseline.
    gone = hand_made.record("spmm", "omp_gone", [2.0] * 12, preprocess_s=[4.0] * 12)
    caption, labels = captions_with(plain, gone)
    assert "for infinitely many calls" in caption
    assert label not in caption and labels == []
    known = hand_made.record("spmm", "omp_ellpack", [2.0] * 12, preprocess_s=[4.0] * 12)
    caption, labels = captions_with(plain, known)
    assert label in caption and labels == [label]


def test_an_algorithm_that_loses_in_the_end_pays_from_no_number(tmp_path):
    # 2 n against 10 + n: ahead up to 9 calls, behind for all others, on every row.
    records = [
        record | {"matrix": record["matrix"] | {"name": matrix}}
        for matrix in "abc"
        for record in (own(2.0), cusparse(1.0, preprocess=10.0))
    ]
    report = hand_made.report(tmp_path, *records)
    (by_calls,) = [t for t in tables_calls.by_calls(report, "spmm") if "device" in t.label]
    (peers,) = tables_peers.against_peers(report, "spmm")
    sentence = macros.against_libraries(section(report, "gpu-box", "spmm"))[0]

    assert [cell.latex_text for cell in by_calls.body[-1][7:]] == [
        "--", latex.integer(3), latex.integer(0),
    ]  # fmt: skip
    assert {line[-1].latex_text for line in peers.body[:-1]} == {"1 to 9"}
    assert r"from no number of calls on, in the median over the rows, and for few" in sentence
    assert sentence.endswith(r"on \num{3} of them.")


def test_an_algorithm_that_never_pays_is_told(tmp_path):
    report = hand_made.report(tmp_path, own(4.0, 6.0), cusparse(1.0))
    (peers,) = tables_peers.against_peers(report, "spmm")
    (by_calls,) = [t for t in tables_calls.by_calls(report, "spmm") if "device" in t.label]
    sentence = macros.against_libraries(section(report, "gpu-box", "spmm"))[0]

    assert peers.body[0][-1].latex_text == "never"
    assert by_calls.body[-1][7].latex_text == "--"
    assert f"fastest library of each row ({NEW}) takes" in sentence
    assert "ours takes less from no number of calls on, in the median over the rows." in sentence


@pytest.mark.parametrize(
    ("library", "measured", "text"),
    [
        ("Eigen 3.4.0", "2023-08-01", "Eigen 3.4.0"),  # 24 months: not more than two years
        ("Eigen 3.4.0", "2023-09-01", "Eigen 3.4.0 (released 2021-08)"),
        (NEW, "2026-11-23", NEW),
        ("oneMKL 2026.2.1", "2026-11-23", "oneMKL 2026.2.1"),
        ("oneMKL 2026.2", "2028-12-31", "oneMKL 2026.2"),  # of the year alone: its December
        ("oneMKL 2026.2", "2029-01-01", "oneMKL 2026.2 (released 2026)"),
        ("NetworKit 11.0", "2026-11-23", "NetworKit 11.0 (release date unknown)"),
    ],
)
def test_old_and_unknown_versions_are_told(library, measured, text):
    assert libraries.dated(library, measured) == text


def test_old_peers_are_marked_in_tables(tmp_path):
    eigen = hand_made.record(
        "transpose", "eigen", [2.0] * 12, backend="serial", library="Eigen 3.4.0",
        started_utc="2026-11-23T00:00:00Z",
    )  # fmt: skip
    serial = hand_made.record("transpose", "serial", [1.0] * 12, backend="serial")
    (peers,) = tables_peers.against_peers(hand_made.report(tmp_path, eigen, serial), "transpose")

    assert peers.body[0][3].latex_text == r"Eigen 3.4.0\old"
    assert "(Eigen 3.4.0 (released 2021-08))" in peers.caption
    assert any("Older than two years" in note for note in peers.notes)


# --- captions ----------------------------------------------------------------------------------


def cell(**others):
    record = hand_made.record("spmm", "omp_csr", [1.0] * 10, **others)
    return loading.make_cell(record, ("k",))


def test_captions_name_every_commit_and_uncommitted_changes():
    cells = [
        cell(build__commit="a" * 40),
        cell(build__commit="b" * 40),
        cell(build__commit="b" * 40),
        cell(build__commit="c" * 40, build__dirty=True),
    ]

    assert captions.commits(cells[:1]) == rf"commit {latex.code('a' * 10)}"
    assert captions.commits(cells) == (
        rf"commits {latex.code('b' * 10)}, {latex.code('a' * 10)} and "
        rf"{latex.code('c' * 10)} with uncommitted changes"
    )


def test_captions_tell_caches_samples_and_warm_ups():
    cold = cell(timing__cache="flushed", timing__warmup=5, timing__kernel_s=[1.0] * 25)
    warm = cell(timing__warmup=2)

    assert "Median of 10 samples after 2 warm-up runs, caches warm;" in captions.provenance([warm])
    assert "after 5 warm-up runs, caches flushed;" in captions.provenance([cold])
    both = captions.provenance([warm, cold])
    assert "Median of 10 to 25 samples after 2 to 5 warm-up runs, caches warm and flushed;" in both


def test_only_a_clear_winner_is_bold(tmp_path):
    def winner(first, second):
        report = hand_made.report(
            tmp_path,
            hand_made.record("spmm", "serial_csr", first, backend="serial"),
            hand_made.record("spmm", "omp_csr", second),
        )
        part = section(report, "gpu-box", "spmm")
        (table,) = tables_measured.times(part)
        return captions.clear_winner(report, only_row(report), part.algorithms), [
            value.bold for value in table.body[0] if isinstance(value, latex.Number)
        ]

    assert winner(around(4.0, 0.01), around(2.0, 0.01)) == ("omp_csr", [False, True])
    # 2.0 (1.4 to 2.6) beside 2.2 (1.6 to 2.8): the faster by 10 %, and not decided.
    assert winner(around(2.2, 0.2), around(2.0, 0.2)) == (None, [False, False])
    # 2 % apart with narrow intervals: below the smallest effect.
    assert winner(around(2.04, 0.001), around(2.0, 0.001)) == (None, [False, False])


# --- numbers of the method ---------------------------------------------------------------------


def test_verdicts_are_counted_with_the_errors_that_they_allow(tmp_path):
    report = hand_made.report(
        tmp_path,
        hand_made.record("spmm", "serial_csr", around(4.0, 0.01), backend="serial"),
        hand_made.record("spmm", "omp_csr", around(2.0, 0.01)),
        hand_made.record("spmm", "omp_ellpack", around(2.0, 0.4)),
    )

    # Both speedups over the baseline are decided (3.97 over 2.03 and over 3.2 at least); which of
    # the two is the fastest of the row is not.
    assert sampling.verdicts(report) == (2, 1)
    values = sampling.values(report)
    assert values["verdicts"] == latex.integer(3)
    assert values["verdicts-decided"] == latex.integer(2)
    assert values["verdicts-wrong"] == latex.integer(0)
    assert values["ratio-confidence"] == r"\qty{90}{\percent}"


def test_a_tie_of_the_fastest_is_decided_as_any_other(tmp_path):
    report = hand_made.report(
        tmp_path,
        hand_made.record("spmm", "serial_csr", around(4.0, 0.01), backend="serial"),
        hand_made.record("spmm", "omp_csr", around(2.0, 0.001)),
        hand_made.record("spmm", "omp_ellpack", around(2.0, 0.001)),
    )
    part = section(report, "gpu-box", "spmm")

    assert sampling.verdicts(report) == (3, 0)
    assert macros.winners(part, part.algorithms).startswith("no algorithm is clearly the fastest")


def test_conversions_to_other_formats_do_not_compete(tmp_path):
    seconds = {
        "coo_to_csr_serial": 4.0, "coo_to_csr_linear": 1.0,
        "coo_to_ellpack_serial": 9.0, "coo_to_ellpack_parallel": 5.0,
    }  # fmt: skip
    records = [hand_made.record("convert", n, around(s, 0.001)) for n, s in seconds.items()]
    report = hand_made.report(tmp_path, *records)
    (table,) = tables_measured.times(section(report, "gpu-box", "convert"))
    bold = [v.bold for v in table.body[0] if isinstance(v, latex.Number)]

    assert bold == [False, True, False, True]
    assert sampling.verdicts(report) == (4, 0)  # two speedups and two leads


def test_comparisons_with_cusparse_are_counted_once(tmp_path):
    balanced = own(2.0) | {"algorithm": "cuda_csr_balanced"}
    same = hand_made.report(tmp_path, balanced, cusparse(4.0))
    # The table of libraries takes the other kernel, that of cuSPARSE this one.
    other = hand_made.report(tmp_path, balanced, own(1.0), cusparse(4.0))

    assert len(sampling.over_libraries(same, "gpu-box", "spmm")) == 1
    assert len(sampling.over_libraries(other, "gpu-box", "spmm")) == 2


def test_the_method_names_algorithms_whose_samples_were_not_queued(tmp_path):
    report = hand_made.report(
        tmp_path,
        hand_made.record("spmm", "cusparse_csr", [1.0] * 12, backend="cuda", timing__queued=False),
        hand_made.record("spmm", "cuda_csr_balanced", [1.0] * 12, timing__queued=True),
    )
    name = latex.code("cusparse_csr")
    assert sampling.values(report)["samples-unqueued"] == rf"\num{{1}} cell of {name}"


def test_the_example_is_of_this_run_where_it_measured_anything(tmp_path, monkeypatch):
    monkeypatch.setattr(macros, "MEASUREMENTS", tmp_path)
    (tmp_path / "gpu-box").mkdir()
    argv = ["transpose", "m", "--json", "/somewhere/m.part"]
    kept = hand_made.record("transpose", "serial", [1.0] * 10, backend="serial", argv=argv)
    here = hand_made.record("spmm", "serial_csr", [1.0] * 10, backend="serial", machine="desk-1")
    values = macros.commands(hand_made.report(tmp_path, kept))

    assert values["trace/command"] == latex.code("build/bin/transpose m")
    assert values["trace/record"] == latex.code("report/measurements/gpu-box/")
    both = macros.commands(hand_made.report(tmp_path, kept, here))
    assert both["trace/record"] == latex.code("results/records/spmm/m/")


def test_the_method_tells_samples_throttling_pages_and_checks(tmp_path):
    huge = {"mode": "always", "operands": True}
    small = {"mode": "never", "operands": False}
    report = hand_made.report(
        tmp_path,
        hand_made.record(
            "spmm", "omp_csr", [1.0] * 25, timing__throttled=3, machine__huge_pages=huge
        ),
        hand_made.record(
            "spmm", "serial_csr", [1.0] * 12, backend="serial", timing__throttled=1,
            machine__huge_pages=huge, check__verified_after=False,
        ),
        hand_made.record(
            "spmm", "omp_csr", [1.0] * 11, machine="desk-1", parameters={"threads": 2},
            machine__huge_pages=small,
        ),
    )  # fmt: skip
    values = sampling.values(report)

    desk, box = latex.code("desk-1"), latex.code("gpu-box")
    assert values["samples-fewest"] == rf"\num{{11}} on {desk} and \num{{12}} on {box}"
    assert values["samples-throttled"] == r"\num{4} samples"
    assert values["samples-unqueued"] == "none"
    assert values["verified-after"] == r"\num{2} of the cells"
    assert values["huge-pages"] == (
        rf"on {desk} (system's mode: \code{{never}}) they lie on pages of the ordinary size unless "
        rf"the system gives huge ones itself; on {box} (system's mode: \code{{always}}) they lie "
        "on huge pages"
    )


def test_the_end_to_end_time_is_divided_into_its_parts(tmp_path):
    cycles = [
        {"transfers": "pageable", "total_s": [10.0] * 5, "allocation_s": [2.0] * 5,
         "transfer_s": [7.0] * 5, "kernel_s": [1.0] * 5},
        {"transfers": "pinned", "total_s": [5.0] * 5, "allocation_s": [2.0] * 5,
         "transfer_s": [2.0] * 5, "kernel_s": [1.0] * 5},
    ]  # fmt: skip
    record = hand_made.record(
        "spmm", "cuda_csr_scalar_v3", [0.5] * 10, backend="cuda", timing__end_to_end=cycles
    )
    report = hand_made.report(tmp_path, record)
    part = section(report, "gpu-box", "spmm")
    (whole, parts) = tables_measured.end_to_end(part)
    lines = [[getattr(v, "text", None) or v.latex_text for v in line[1:]] for line in parts.body]

    assert report.cells[0].samples("end_to_end_s") == [10.0] * 5
    assert whole.body[0][-1].text == "10.0"
    assert lines == [
        ["pageable", latex.integer(1), "20.0", "70.0", "10.0", "20.0"],
        ["pinned", latex.integer(1), "40.0", "40.0", "20.0", "10.0"],
    ]


def test_the_seeds_merge_is_that_between_splitters(tmp_path):
    instance = {"procedure": "merge", "length": 20000000, "block_size": 256}
    seconds = {"cuda_merge": 3e-3, "cuda_merge_splitters": 2e-3, "cuda_merge_path": 1e-3}
    report = hand_made.report(
        tmp_path,
        *[
            hand_made.record("primitives", name, [each] * 10, backend="cuda", parameters=instance)
            for name, each in seconds.items()
        ],
    )
    (table,) = tables_published.block_sizes(report)
    lines = [line for line in table.body if line[1].latex_text == latex.code("merge")]

    assert [line[-1].text for line in lines if line[3].latex_text == "256"] == ["2.00"]
