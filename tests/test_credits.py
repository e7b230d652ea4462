"""Authors of the matrices: their table in the supplement, and matrices.bib."""

import json
import random
import shutil
from pathlib import Path

import pandas as pd
import pytest

import hand_made
import report_fixture_matrices
import tabled
from sparserepro.render import pdf as build_report
from sparserepro.render.tabular import render_table
from sparserepro.views import credits, tables

ROOT = Path(__file__).resolve().parents[1]
CREDIT = {
    "name": "Williams/cant",
    "id": "2375",
    "title": "A title of 100 % & {odd} letters_",
    "date": "1997",
    "author": "A. Author, B. Müller and C. Third",
    "editor": "T. Davis",
    "kind": "2D/3D problem",
}


def report(folder, **credit):
    """Of a matrix of the collection, one that is generated, and one whose file says nothing."""
    records = [
        hand_made.record("spmm", "omp_csr", [2.0] * 12, matrix=name)
        for name in ("cant", "thermal2", "m")
    ]
    path, _, books = hand_made.files(folder, *records)
    facts = []
    for name in ("cant", "thermal2", "m"):
        told = report_fixture_matrices.matrix_facts(1, random.Random(1)) | {"name": name}
        told |= {"credit": CREDIT | credit} if name == "cant" else {}
        facts.append(folder / f"{name}.facts.json")
        facts[-1].write_text(json.dumps(told))
    return tabled.report(path, facts, books)


def test_the_table_has_each_matrix_of_the_collection(tmp_path):
    (table,) = credits.credits_(report(tmp_path))
    text = render_table(table)
    assert "CC-BY 4.0" in text
    assert [row[0].latex_text.partition("cite")[2] for row in table.body] == [
        "{matrix:cant}",
        "{matrix:thermal2}",
    ]
    first, second = ([cell.latex_text for cell in row[1:]] for row in table.body)
    assert first[:3] == ["2375", "1997", "A. Author, B. Müller and C. Third"]
    assert second == ["--"] * 5


def test_the_bibliography_has_authors_editor_and_licence(tmp_path):
    text = credits.bibliography(report(tmp_path))
    assert text.count("@misc{") == 2
    assert "author = {{A. Author} and {B. Müller} and {C. Third}}" in text
    assert "title = {{Williams/cant}: A title of 100 \\% \\& odd letters\\_}" in text
    assert "id 2375, edited by T. Davis, CC-BY 4.0" in text
    assert "url = {https://sparse.tamu.edu/Schmid/thermal2}" in text


@pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not installed")
def test_the_references_are_set(tmp_path, monkeypatch):
    generated = tmp_path / "generated"
    tables.write(report(tmp_path), generated / "tables")
    source = (ROOT / "report/supplement.tex").read_text()
    preamble = source.partition(r"\title")[0]
    for line in (r"\input{macros}", r"\input{figures/refs}"):
        preamble = preamble.replace(line, "")
    folder = tmp_path / "report"
    folder.mkdir()
    for name in ("macros-base.tex", "refs.bib"):
        shutil.copy(ROOT / "report" / name, folder)
    lists = source[source.index(r"\bibliographystyle") : source.index(r"\appendix")]
    (folder / "out.tex").write_text(
        preamble + r"\begin{document}\section{M}\fragment{credits}" + lists + r"\end{document}"
    )
    made = tmp_path / "cells.parquet"
    pd.DataFrame({"started_utc": ["2026-01-01T00:00:00Z"]}).to_parquet(made)
    monkeypatch.setattr(build_report, "REPORT", folder)
    assert build_report.build(made, generated, tmp_path / "out.pdf") == []
    listed = (generated / "latex/out.bbl").read_text()
    assert "Müller" in listed
    assert "Schmid/thermal2" in listed
