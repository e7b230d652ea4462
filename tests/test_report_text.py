"""How the report writes what it has: escapes, numbers, letters of gaps, names, command lines."""

import shutil

import pandas as pd
import pytest

from sparserepro.data import frames
from sparserepro.render import latex, pdf, tabular
from sparserepro.stats import Summary
from sparserepro.views import captions, runs


def test_escape_leaves_nothing_special():
    assert latex.escape("a_b & 50 % #1 {x} ~ ^ \\") == (
        r"a\_b \& 50 \% \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )


def test_one_is_not_a_plural():
    assert latex.count(1, "cell") == r"\num{1} cell"
    assert latex.count(0, "cell") == r"\num{0} cells"
    assert latex.count(2, "matrix", "matrices") == r"\num{2} matrices"


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (Summary(25, 12.3456, 12.30, 12.38), "12.35(5)"),
        (Summary(25, 12.3456, 12.3455, 12.3457), "12.35(1)"),  # at most four digits
        (Summary(25, 1234.0, 1180.0, 1280.0), "1230(60)"),
        (Summary(25, 0.012, 0.011, 0.014), "0.012(2)"),
        (Summary(5, 12.3456, None, None), "12.3"),
        (Summary(25, 12.3456, 4.0, 30000.0), "12"),  # wider than the median: marked, not written
        (Summary(25, 12.3456, 4.0, 14.0), "12(9)"),
    ],
)
def test_numbers_carry_half_their_interval(summary, text):
    assert latex.with_uncertainty(summary, 1.0) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.012345, "0.0123"), (9.999, "10.0"), (123.4, "123"), (12345.0, "12300"), (0, "0")],
)
def test_significant_digits(value, text):
    assert latex.significant(value) == text


def test_table_format_covers_all_numbers():
    assert tabular.number_format(["1.23(4)", "1234", "0.12345"]) == "4.5(1)"
    assert tabular.number_format(["7"]) == "1.0"


def test_letters_of_gaps_do_not_run_out():
    assert [captions.alphabetic(i) for i in (0, 25, 26, 701, 702)] == ["a", "z", "aa", "zz", "aaa"]


def test_primitives_share_columns_by_method():
    assert frames.column_name("primitives", "omp_scan") == "omp"
    assert frames.column_name("primitives", "omp_merge_splitters") == "omp_splitters"
    assert frames.column_name("spmm", "omp_csr") == "omp_csr"


def test_like_reasons_share_a_letter():
    gaps = captions.Gaps()
    first, second = gaps.skipped("needs 3 GB, the limit is 2 GB"), gaps.skipped("no CUDA device")

    assert gaps.skipped("needs 12.5 GB, the limit is 2 GB") == first != second
    assert gaps.notes() == [
        r"\gap{a}~for example, needs 12.5 GB, the limit is 2 GB.",
        r"\gap{b}~no CUDA device.",
    ]


def test_command_lines_are_told_by_option():
    argv = ["spmm", "cant.mtx", "--k", "1", "--quiet", "--threads", "1,2", "--json", "a.part"]

    assert runs.words_of(argv) == [
        "spmm", "cant.mtx", "--k 1", "--quiet", "--threads 1,2",
    ]  # fmt: skip


@pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not installed")
def test_any_text_is_set(tmp_path, monkeypatch):
    every = "".join(map(chr, [*range(0x180), *range(0x180, 0x3000, 37), 0x1F600, 0xDCFF]))
    words = [every[i : i + 8] for i in range(0, len(every), 8)]
    body = "\n\n".join(rf"\texttt{{{latex.escape(word)}}} {latex.prose(word)}" for word in words)
    text = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}\sloppy"
    (tmp_path / "all.tex").write_text(rf"{text}\begin{{document}}{body}\end{{document}}")
    cells = tmp_path / "cells.parquet"
    pd.DataFrame({"started_utc": ["2026-01-01T00:00:00Z"]}).to_parquet(cells)
    monkeypatch.setattr(pdf, "REPORT", tmp_path)
    assert pdf.build(cells, tmp_path / "generated", tmp_path / "all.pdf") == []
    assert latex.escape("/data/数据") == r"/data/[U+6570]\allowbreak{}[U+636E]\allowbreak{}"
    assert latex.escape("e\u0301") == "é"
    assert latex.escape(30 * "w") == r"wwwwwwwwwwww\allowbreak{}wwwwwwwwwwww\allowbreak{}wwwwww"
