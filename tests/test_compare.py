"""`sparserepro compare`: joining, verdicts, environments, exit codes."""

from pathlib import Path

import pytest

from compared_cells import record
from sparserepro import cli


def repeated(algorithm, seconds, **more):
    """Three runs of a cell that differ by 1 %."""
    return [
        record(algorithm, seconds * factor, repeat=number, run=f"run-{number}", **more)
        for number, factor in enumerate((1.0, 1.01, 0.99))
    ]


def line_of(text, word):
    """Of the summary by algorithm."""
    summary = text.partition("by algorithm")[2].partition("by class")[0]
    (found,) = [line for line in summary.splitlines() if line.split()[:1] == [word]]
    return found.split()


def test_means_by_class_of_matrix(compared):
    def cells(factor, matrix):
        return repeated("omp_a", factor, matrix=matrix)

    before = [*cells(1.0, "cant"), *cells(1.0, "cnr-2000"), *cells(1.0, "mine")]
    after = [*cells(0.5, "cant"), *cells(2.0, "cnr-2000"), *cells(1.0, "mine")]
    _, text, _ = compared(before, after)
    lines = text.partition("by class")[2].splitlines()
    shown = {line.split()[0]: line.split()[1:] for line in lines if len(line.split()) == 7}
    assert shown["fem"] == ["1", "2.000", "1", "0", "0", "0"]
    assert shown["web"] == ["1", "0.500", "0", "1", "0", "0"]
    assert shown["unlisted"][:2] == ["1", "1.000"]


def test_a_path_by_an_older_name_or_not_yet_a_parameter_is_auto(compared):
    def cells(factor, algorithm, **path):
        return [record(algorithm, factor) | {"parameters": path}]

    before = [*cells(1.0, "cuda_adaptive", path="by_survey"), *cells(1.0, "omp_adaptive")]
    before += cells(1.0, "cuda_partition", levels="auto")
    after = [
        *cells(0.5, "cuda_partition", path="auto"),
        *cells(0.5, "cuda_adaptive", path="auto"),
        *cells(0.5, "omp_adaptive", path="auto"),
        *cells(9.0, "omp_adaptive", path="low"),
    ]
    code, text, _ = compared(before, after)
    assert code == 0
    for name in ("cuda_adaptive", "cuda_partition", "omp_adaptive"):
        assert line_of(text, name)[1] == "1"


def test_verdicts_and_means_by_algorithm(compared):
    before = [*repeated("omp_a", 1.0), *repeated("omp_b", 1.0), *repeated("omp_c", 1.0)]
    after = [*repeated("omp_a", 0.5), *repeated("omp_b", 2.0), *repeated("omp_c", 1.01)]
    code, text, _ = compared(before, after)

    assert code == 0
    assert line_of(text, "omp_a")[1:] == ["1", "2.000", "1", "0", "0", "0"]
    assert line_of(text, "omp_b")[1:] == ["1", "0.500", "0", "1", "0", "0"]
    # 1 % and the spread between runs of 1 %: neither a change nor surely none.
    assert line_of(text, "omp_c")[-1] == "1"
    assert line_of(text, "spmm")[1:3] == ["3", "0.997"]
    assert "Without repeated runs" not in text
    assert "nothing that is recorded" in text
    assert [line.split()[0] for line in text.splitlines()[-2:]] == ["SLOWER", "FASTER"]


def test_a_regression_fails_where_it_is_asked_for(compared):
    before, after = repeated("omp_a", 1.0), repeated("omp_a", 2.0)
    assert compared(before, after)[0] == 0
    assert compared(before, after, "--fail-on-slower")[0] == 1
    assert compared(after, before, "--fail-on-slower")[0] == 0
    assert compared(before, after, "--fail-on-slower", "--least", "150")[0] == 0


def samples(seconds):
    """A cell whose samples are these."""
    return record("omp_a", 1.0, timing__kernel_s=seconds)


def test_a_regression_of_too_few_samples_has_a_code_of_its_own(compared):
    before, after = [samples([1.0] * 5)], [samples([20.0] * 5)]
    code, text, _ = compared(before, after, "--fail-on-slower")
    assert code == 3
    assert "\nCells without an interval: 1 of 1. A side has fewer than 6 samples" in text
    assert "\nUNCLEAR cells that are more than 3 % slower by their medians: 1.\n" in text
    assert text.splitlines()[-1].split()[0] == "UNCLEAR"
    assert compared(before, after)[0] == 0
    assert compared(before, after, "--fail-on-slower", "--least", "999")[0] == 3
    assert compared(after, before, "--fail-on-slower")[0] == 0
    assert compared([samples([1.0] * 5)], [samples([1.02] * 5)], "--fail-on-slower")[0] == 0
    # A cell that is surely slower, or skipped, counts first.
    also = [*before, record("omp_b", 1.0)], [*after, record("omp_b", 2.0)]
    assert compared(*also, "--fail-on-slower")[0] == 1


def test_a_wide_interval_around_a_slower_median_has_that_code_too(compared):
    before, after = [samples([1.0, 9.0] * 5)], [samples([2.0, 18.0] * 5)]
    code, text, _ = compared(before, after, "--fail-on-slower")
    assert code == 3
    assert "without an interval" not in text


def skipped(algorithm, reason, **more):
    return record(algorithm, 1.0, **more) | {
        "status": "skipped", "reason": reason, "check": None, "timing": None, "model": None,
    }  # fmt: skip


def test_a_cell_that_is_skipped_after_fails_like_a_slower_one(compared):
    before = [record("omp_a", 1.0), record("omp_b", 1.0), skipped("omp_c", "no room")]
    after = [record("omp_a", 1.0), skipped("omp_b", "no memory"), record("omp_c", 1.0)]
    code, text, _ = compared(before, after, "--fail-on-slower")
    assert code == 1
    told = text.partition("Measured before and skipped after:\n")[2]
    assert told == "  spmm m omp_b k=8, threads=16: no memory\n"
    assert compared(before, after)[0] == 0
    assert compared(before, after, "--algorithm", "omp_a", "--fail-on-slower")[0] == 0
    assert compared(after, [*before, record("omp_c", 1.0, repeat=1)], "--fail-on-slower")[0] == 0


def listed(text):
    """The cells that changed most, by their K."""
    words = text.partition("changed most:")[2].split()
    return [int(word.rstrip(",").removeprefix("k=")) for word in words if word.startswith("k=")]


@pytest.mark.parametrize(
    ("top", "expected"),
    [("0", []), ("1", [1]), ("2", [1, 5]), ("3", [1, 2, 5]), ("5", [1, 2, 3, 4, 5])],
)
def test_the_number_of_listed_cells(compared, top, expected):
    def cells(seconds):
        return [record("omp_a", seconds(k), k=k) for k in range(1, 6)]

    # before/after: 1/9, 1/7, 1/5, 1/3 and 4
    before, after = cells(lambda k: 1.0), cells(lambda k: 11.0 - 2 * k if k < 5 else 0.25)
    assert listed(compared(before, after, "--top", top)[1]) == expected


@pytest.mark.parametrize("top", ["-1", "many", "1.5"])
def test_a_number_of_cells_that_is_none(compared, top, capsys):
    with pytest.raises(SystemExit):
        compared([record("omp_a", 1.0)], [record("omp_a", 2.0)], f"--top={top}")
    assert f"{top} is not a number of cells" in capsys.readouterr().err


def test_without_repeats_the_text_says_what_intervals_hold(compared):
    code, text, _ = compared([record("omp_a", 1.0)], [record("omp_a", 2.0)])
    assert code == 0
    assert "Without repeated runs on both sides: spmm on the host." in text


def test_environments_come_first(compared):
    before = [record("cusparse_csr", 1.0, library="cuSPARSE 12.6.3")]
    after = [
        record("cusparse_csr", 1.0, library="cuSPARSE 12.9.4", build__commit="f" * 40),
        record("omp_a", 1.0),
    ]
    _, text, _ = compared(before, after)
    lines = text.splitlines()
    assert "  cuSPARSE: 12.6.3 -> 12.9.4" in lines
    assert any(line.startswith("  commit: ") and line.endswith("ffffffffff") for line in lines)
    assert any(line.startswith("1 cells are in ") and "after" in line for line in lines)


def test_of_two_versions_the_newest_stands(compared):
    old = record("cusparse_csr", 4.0, library="cuSPARSE 12.6.3", started_utc="2026-06-01T00:00:00Z")
    new = record("cusparse_csr", 1.0, library="cuSPARSE 12.10.0")
    _, text, _ = compared([new, old], [new])
    assert line_of(text, "spmm")[2] == "1.000"


def test_other_matrices_of_one_name_are_not_compared(compared):
    small = record("omp_a", 1.0, matrix="uniform", matrix__sha256="a" * 64)
    large = record("omp_a", 9.0, matrix="uniform", matrix__sha256="b" * 64, matrix__rows=99)
    both = record("omp_b", 1.0)
    code, text, _ = compared([small, both], [large, both], "--fail-on-slower")
    assert code == 0
    assert "Not compared, since other matrices have one name: uniform\n" in text
    assert line_of(text, "spmm")[1:3] == ["1", "1.000"]

    code, _, error = compared([small], [large])
    assert (code, error.count("\n")) == (2, 1)
    assert "no cell in common; other matrices have one name: uniform" in error


def test_a_matrix_without_a_hash_is_known_by_source_and_shape(compared):
    def cell(seconds, **changes):
        return record("omp_a", seconds, matrix__sha256=None, **changes)

    assert compared([cell(1.0)], [cell(1.0)])[0] == 0
    for name, value in (("matrix__rows", 99), ("matrix__stored", 99), ("matrix__source", "x")):
        assert compared([cell(1.0)], [cell(9.0, **{name: value})])[0] == 2


def test_several_matrices_of_one_name_are_cells_of_their_own(compared):
    both = [
        record("omp_a", seconds, matrix="rmat", matrix__sha256=letter * 64, matrix__rows=rows)
        for seconds, letter, rows in ((1.0, "a", 1000), (20.0, "b", 20_000))
    ]
    _, text, _ = compared(both, both, "--all")
    assert line_of(text, "spmm")[1] == "2"
    assert "rmat of 1000 x 10 omp_a" in text
    assert "rmat of 20000 x 10 omp_a" in text


def test_selection(compared):
    before = [record("omp_a", 1.0), record("omp_b", 1.0), record("omp_b", 1.0, k=4)]
    _, text, _ = compared(before, before, "--algorithm", "omp_b", "--all")
    assert "omp_a" not in text
    assert line_of(text, "omp_b")[1] == "2"
    assert sum(line.startswith("SAME") for line in text.splitlines()) == 2


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([record("omp_b", 1.0)], "no cell in common"),
        ([], "no measured cell"),
        ([record("omp_a", 1.0), record("omp_a", 1.0, machine__id="other")], "several machines"),
    ],
)
def test_what_cannot_be_compared_is_one_line(compared, after, words):
    code, _, error = compared([record("omp_a", 1.0)], after)
    assert code == 2
    assert words in error
    assert len(error.splitlines()) == 1


def test_a_place_without_records_names_the_sets(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(Path(__file__).resolve().parent.parent)
    assert cli.main(["compare", "nowhere", "h200"]) == 2
    assert "nowhere is neither a file or folder of records, nor a run (known: " in (
        capsys.readouterr().err
    )
    assert cli.main(["compare", "h200", "h200", "--problem", "triangles"]) == 0
    assert " 1.000 " in capsys.readouterr().out
