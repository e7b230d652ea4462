"""Reports worked out by hand: versions of libraries and comparisons with them."""

import pytest

import hand_made
from hand_made import NEW, OLD, cusparse, only_row, own
from sparserepro.data import comparisons, libraries, loading
from sparserepro.render import latex, tabular
from sparserepro.text import macros
from sparserepro.views import calls as tables_calls
from sparserepro.views import library as tables_library
from sparserepro.views import peers as tables_peers
from sparserepro.views import times as tables_times
from sparserepro.views.sections import section


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
    means = [cell.text for cell in peers.body[-1] if isinstance(cell, tabular.Number)]
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
        (table,) = tables_times.times(section(report, "gpu-box", "spmm"))
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
