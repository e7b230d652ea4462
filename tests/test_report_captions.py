"""Reports worked out by hand: captions, and the numbers of the method."""

import hand_made
from hand_made import around, only_row
from sparserepro.data.cell import cell_of
from sparserepro.data.lines import of_record
from sparserepro.render import latex
from sparserepro.text import macros, sampling
from sparserepro.views import captions, end_to_end, primitives_blocks, samples, times
from sparserepro.views.sections import section


def cell(**others):
    record = hand_made.record("spmm", "omp_csr", [1.0] * 10, **others)
    return cell_of(of_record(record, ("k",)))


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


def bold(table):
    """Whether the time of each line is."""
    (at,) = [i for i, column in enumerate(table.columns) if "time" in column.head]
    return [line[at].bold for line in table.body]


def test_only_a_clear_winner_is_bold(tmp_path):
    def winner(first, second):
        report = hand_made.report(
            tmp_path,
            hand_made.record("spmm", "serial_csr", first, backend="serial"),
            hand_made.record("spmm", "omp_csr", second),
        )
        part = section(report, "gpu-box", "spmm")
        (table,) = times.times(part)
        return captions.clear_winner(report, only_row(report), part.algorithms), bold(table)

    assert winner(around(4.0, 0.01), around(2.0, 0.01)) == ("omp_csr", [False, True])
    # 2.0 (1.4 to 2.6) beside 2.2 (1.6 to 2.8): the faster by 10 %, and not decided.
    assert winner(around(2.2, 0.2), around(2.0, 0.2)) == (None, [False, False])
    # 2 % apart with narrow intervals: below the smallest effect.
    assert winner(around(2.04, 0.001), around(2.0, 0.001)) == (None, [False, False])


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
    (table,) = times.times(section(report, "gpu-box", "convert"))

    assert bold(table) == [False, True, False, True]
    assert sampling.verdicts(report) == (4, 0)  # two speedups and two leads


def test_the_method_names_algorithms_whose_samples_were_not_queued(tmp_path):
    report = hand_made.report(
        tmp_path,
        hand_made.record(
            "spmm",
            "cusparse_csr",
            [1.0] * 12,
            backend="cuda",
            library=hand_made.NEW,
            timing__queued=False,
        ),
        hand_made.record(
            "spmm", "cuda_csr_balanced", [1.0] * 12, backend="cuda", timing__queued=True
        ),
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
    assert both["trace/record"] == latex.code("results/NAME/records/spmm/m/")


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
            machine__huge_pages=huge,
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
    assert values["huge-pages"] == (
        rf"on {desk} (system's mode: \code{{never}}) they lie on pages of the ordinary size unless "
        rf"the system gives huge ones itself; on {box} (system's mode: \code{{always}}) they lie "
        "on huge pages"
    )


def disturbed(waited, attempts=(0.0,)):
    return {
        "waited": waited,
        "disturbed": sum(share is not None and share > 0.05 for share in waited),
        "attempts": list(attempts),
        "others": 0.25, "stolen": 0.0, "quota": None, "cpu_mhz": None, "device_processes": None,
    }  # fmt: skip


def test_the_method_tells_disturbed_samples_where_records_do(tmp_path):
    quiet = disturbed([0.0] * 11 + [0.5])
    busy = disturbed([0.5] * 8 + [0.0] * 2, attempts=(0.9, 0.8))
    unknown = disturbed([None] * 10)
    report = hand_made.report(
        tmp_path,
        hand_made.record("spmm", "omp_csr", [1.0] * 12, timing__disturbance=quiet),
        hand_made.record("spmm", "serial_csr", [1.0] * 10, backend="serial", run="other",
                         timing__disturbance=busy),
        hand_made.record("spmm", "eigen_csr", [1.0] * 10, timing__disturbance=unknown),
        hand_made.record("spmm", "omp_csr", [1.0] * 10, machine="desk-1",
                         parameters={"threads": 2}),
    )  # fmt: skip
    values = sampling.values(report)
    box = latex.code("gpu-box")
    assert values["samples-disturbed"] == rf"\num{{9}} of \num{{22}} samples on {box}"
    assert values["jobs-again"] == r"\num{1} job of \num{2}"
    [table] = samples.samples(report)
    shares = [line[-1].latex_text for line in table.body]
    assert sorted(shares) == ["--", "--", "8.3", "80.0"]

    old = hand_made.report(tmp_path, hand_made.record("spmm", "omp_csr", [1.0] * 10))
    assert sampling.values(old)["samples-disturbed"] == "the records do not tell how many"


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
    (whole, parts) = end_to_end.whole_and_parts(part)
    lines = [[getattr(v, "text", None) or v.latex_text for v in line[1:]] for line in parts.body]

    assert report.cells[0].summary("end_to_end_s").median == 10.0
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
    (table,) = primitives_blocks.block_sizes(report)
    lines = [line for line in table.body if line[1].latex_text == latex.code("merge")]

    assert [line[-1].text for line in lines if line[3].latex_text == "256"] == ["2.00"]


def test_captions_name_every_machine():
    both = captions.provenance([cell(), cell(machine__id="desk-1")])
    assert f"; machines {latex.code('desk-1')} and {latex.code('gpu-box')}; commit" in both


def test_shared_parameters_are_those_that_do_not_vary(tmp_path):
    given = ({"k": 8, "value_type": "fp64"}, {"k": 4, "value_type": "fp64"})
    records = [hand_made.record("spmm", "omp_csr", [1.0] * 10, parameters=p) for p in given]
    rows = [cell_of(of_record(r, ("k", "value_type"))).row for r in records]
    assert captions.instance_columns(rows) == ["k"]
    assert captions.instance_text(rows) == rf"{latex.code('value_type')} = {latex.code('fp64')}"
