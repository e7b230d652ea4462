"""Views are found, and stand in the supplement; tables have their algorithms in rows."""

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import hand_made
from sparserepro import views as package
from sparserepro.data import traces
from sparserepro.render import latex
from sparserepro.render import pdf as build_report
from sparserepro.render.tabular import (
    UNBROKEN,
    WORDS,
    Column,
    Number,
    Table,
    Text,
    measured,
    names,
    number_format,
    render_table,
)
from sparserepro.stats import Summary
from sparserepro.views import tables
from sparserepro.views import times as tables_times
from sparserepro.views.sections import section

ROOT = Path(__file__).resolve().parents[1]
needs_latex = pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not installed")

NEW = """
from sparserepro.render.latex import code
from sparserepro.render.tabular import Column, Number, Table, Text
from sparserepro.views.view import View


def fastest(report):
    cell = min((c for c in report.cells if c.ok), key=lambda c: c.seconds)
    line = [Text(code(cell.name)), Number("1.5", sources=(cell,))]
    return [Table("tab:brand-new", "A brand new table.", [Column("", "l"), Column("s")], [line])]


VIEWS = (View("brand-new", "spmm", fastest),)
"""


def small(folder):
    return hand_made.report(
        folder,
        hand_made.record("spmm", "serial_csr", [8.0] * 12, backend="serial"),
        hand_made.record("spmm", "omp_csr", [2.0] * 12),
    )


@pytest.fixture
def one_more(tmp_path, monkeypatch):
    """The package of views with one file more."""
    (tmp_path / "views").mkdir()
    (tmp_path / "views" / "brand_new.py").write_text(NEW)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / "views")])


@needs_latex
def test_a_view_takes_one_file(one_more, tmp_path, monkeypatch):
    """It is in the supplement's section that it names, in the contents and in trace.json."""
    generated = tmp_path / "generated"
    tables.write(small(tmp_path), generated / "tables")
    assert "brand-new" in (generated / "tables" / "trace.json").read_text()
    text = (ROOT / "report" / "supplement.tex").read_text()
    preamble = text.partition(r"\title")[0]
    for line in (r"\input{macros}", r"\input{figures/refs}"):
        assert line in preamble
        preamble = preamble.replace(line, "")
    folder = tmp_path / "report"
    folder.mkdir()
    shutil.copy(ROOT / "report" / "macros-base.tex", folder)
    (folder / "out.tex").write_text(
        preamble + r"\begin{document}\tableofcontents\section{SpMM}"
        r"\fragment{spmm-times}\fragment{spmm-calls}\remaining{spmm}\end{document}"
    )
    made = tmp_path / "cells.parquet"
    pd.DataFrame({"started_utc": ["2026-01-01T00:00:00Z"]}).to_parquet(made)
    monkeypatch.setattr(build_report, "REPORT", folder)
    found = build_report.build(made, generated, tmp_path / "out.pdf")
    # Other tables refer to sections that this document has not.
    assert [line for line in found if "undefined" not in line] == []
    pdf = generated / "latex" / "out.pdf"
    line = ["pdftotext", "-layout", str(pdf), "-"]
    shown = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert len(re.findall(r"Table \d+ +A brand new table", shown)) == 1  # in the contents
    assert len(re.findall(r"Table \d+: A brand new table", shown)) == 1
    assert len(re.findall(r"Table \d+: SpMM: time of one", shown)) == 1  # placed by hand, once


def test_two_views_of_one_name_are_refused(one_more, tmp_path):
    (tmp_path / "views" / "again.py").write_text(NEW)
    with pytest.raises(ValueError, match="two views are named brand-new"):
        tables.views()


def test_every_view_has_a_section(tmp_path):
    sections = ROOT / "report" / "sections"
    for view in tables.views().values():
        assert rf"\remaining{{{view.section}}}" in (sections / f"{view.section}.tex").read_text()


def test_algorithms_are_rows_and_instances_are_groups(tmp_path):
    report = hand_made.report(
        tmp_path,
        *[
            hand_made.record("spmm", name, [seconds] * 12, matrix=matrix, backend=backend)
            for matrix in ("a", "b")
            for name, seconds, backend in (("serial_csr", 8.0, "serial"), ("omp_csr", 2.0, "omp"))
        ],
    )
    (table,) = tables_times.times(section(report, "gpu-box", "spmm"))
    text = render_table(table)
    assert text.count(r"\multicolumn{5}{@{}l}{\code{a}}\\*") == 1
    lines = [line for line in text.splitlines() if line.startswith(latex.code("omp_csr"))]
    assert [line.split(" & ")[2] for line in lines] == ["4.00", "4.00"]
    assert "rotatebox" not in text
    told = traces.of_table(table, traces.Ledger())
    assert told["rows"] == ["a k=8", "b k=8"] or told["rows"] == ["a", "b"]
    assert told["cells"][told["rows"][0]]["omp_csr: speedup"]["shown"] == "4.00"
    assert told["columns"][0] == "serial_csr"


def test_no_head_of_a_table_is_turned_and_no_table_is_in_parts(tmp_path):
    tables.write(small(tmp_path), tmp_path / "tables")
    text = "".join(path.read_text() for path in (tmp_path / "tables").glob("*.tex"))
    assert "rotatebox" not in text and "Part 1 of" not in text


def groups_of(*sizes, wraps=False):
    body = [
        [Text(f"g{group}"), Text(f"a{row}"), Number("1")]
        for group, size in enumerate(sizes)
        for row in range(size)
    ]
    columns = [Column("group", "l"), Column("", WORDS if wraps else "l"), Column("s")]
    return Table("tab:x", "X.", columns, body, grouped=1)


def kept(table):
    """Which lines stay on the page of the next."""
    return [row.endswith(r"\\*") for row in table.rows()]


def test_a_small_group_stays_on_a_page():
    assert kept(groups_of(2, 3)) == [False, False, True, True, False]
    # Nothing before the first group can be broken: its page must have room for it.
    assert groups_of(9, 3).room - groups_of(2, 3).room == 7
    assert not any(kept(groups_of(2, UNBROKEN + 1)))
    assert not any(kept(groups_of(2, 3, wraps=True)))
    assert groups_of(500).room < 20


def test_words_share_the_width_that_other_columns_leave():
    table = groups_of(2, wraps=True)
    text = render_table(table)
    assert r"\sharewidth{1}{@{\quad}S[table-format=1.0]@{}}{%" in text
    assert r"p{\wrapwidth}" in table.specification()
    assert "sharewidth" not in render_table(groups_of(2))


def test_a_long_name_may_break():
    assert names("n", [Text(latex.code("omp_csr"))]).kind == "l"
    assert names("n", [Text(latex.code("coo_to_ellpack_no_zero_padding_serial"))]).kind == WORDS


@pytest.mark.parametrize(
    ("caption", "title"),
    [
        ("Times, in ms; of all.", "Times"),
        (r"Rate (GPU, host) of \code{a, b}; more. Median.", r"Rate (GPU, host) of \code{a, b}"),
        (r"As printed \cite{one}, in \cref{tab:x}.", "As printed"),
        (r"Speedup (named in \cref{tab:x}) over all.", "Speedup over all"),
        ("No full stop", "No full stop"),
    ],
)
def test_a_title_is_what_a_caption_begins_with(caption, title):
    assert latex.title(caption) == title


def test_a_command_line_breaks_between_words_and_after_commas():
    words = latex.command(["spmm m.mtx", "--k 1,8", "--min-repetitions 3"])
    assert words == (r"\code{spmm m.mtx -{}-{}k 1,\allowbreak{}8 -{}-{}min-{}repetitions 3}")


def test_a_column_is_as_wide_as_its_widest_number_and_shows_its_marks():
    assert number_format(["1.25", "13", "2.5(13)", "7"]) == "2.2(2)"
    assert Number("1.25", bold=True, mark=r"{\wide}").latex() == r"\bfseries 1.25{\wide}"
    assert measured(Summary(12, 1.0, 0.9, 2.5), 1.0).mark == r"{\wide}"
    assert measured(Summary(12, 1.0, 0.9, 1.5), 1.0).mark == ""
