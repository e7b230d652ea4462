"""The report's PDF, from invented records: LaTeX has nothing to say of it."""

import json
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import report_fixtures
import tabled
from sparserepro.render import pdf as build_report

ROOT = Path(__file__).resolve().parents[1]
needs_latex = pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not installed")


# What paths, reasons and names of hardware may bring.
STRANGE = " /data/数据/ä%$#{}~^\\&_\\end{document} é ™ \x01\n\n\t" + 90 * "w" + 60 * "&"


def test_log_complaints():
    log = (
        "LaTeX Warning: Reference `fig:x' on page 1 undefined on input line 3.\n"
        "LaTeX Warning: Label `tab:y' multiply defined.\n"
        "Overfull \\hbox (0.5pt too wide) in paragraph at lines 1--2\n"
        "Overfull \\hbox (9.5pt too wide) in paragraph at lines 3--4\n"
        "LaTeX Warning: Float too large for page by 12.0pt on input line 5.\n"
    )

    found = build_report.complaints(log)

    assert len(found) == 4
    for words in ("fig:x", "tab:y", "9.5pt", "12.0pt"):
        assert any(words in complaint for complaint in found)


@pytest.mark.slow
@needs_latex
def test_pdf_with_a_machine_beside_this_runs_own_is_clean(tmp_path):
    report_fixtures.write(tmp_path, machines=2, matrices=3)
    for path in tmp_path.glob("*/*.json*"):
        text = path.read_text()
        for own in (
            "this build has no CUDA",
            "cannot reach the collection",
            "Made-up CPU",
            "Linux",
        ):
            text = text.replace(own, json.dumps(own + STRANGE)[1:-1])
        path.write_text(text)
    beside, generated = tabled.made_up(tmp_path).machines[:1], tmp_path / "report"
    made = tabled.generate(generated, *tabled.inputs(tmp_path), sets=beside)
    for name in ("report.pdf", "supplement.pdf"):
        assert build_report.build(made, generated, tmp_path / name) == []


@pytest.mark.slow
@needs_latex
def test_pdfs_are_clean_and_the_same_twice(tmp_path):
    report_fixtures.write(tmp_path, machines=1, matrices=3)
    generated = tmp_path / "report"
    pdfs = [tmp_path / f"{name}.pdf" for name in ("report", "supplement")]
    made = []
    for _ in range(2):
        cells = tabled.generate(generated, *tabled.inputs(tmp_path))
        for pdf in pdfs:
            assert build_report.build(cells, generated, pdf) == []
        made.append([pdf.read_bytes() for pdf in pdfs])

    assert made[0] == made[1]
    for pdf in pdfs:
        line = ["pdftotext", str(pdf), "-"]
        text = subprocess.run(line, capture_output=True, text=True, check=True)
        assert "??" not in text.stdout


@needs_latex
def test_an_unknown_key_stops_latex(tmp_path, monkeypatch):
    folder = tmp_path / "report"
    folder.mkdir()
    base = ROOT / "report" / "macros-base.tex"
    (folder / "out.tex").write_text(
        r"\documentclass{article}\usepackage{etoolbox,siunitx,caption,longtable}"
        rf"\input{{{base}}}\begin{{document}}\res{{no/such/key}}\end{{document}}"
    )
    made = tmp_path / "cells.parquet"
    pd.DataFrame({"started_utc": ["2026-01-01T00:00:00Z"]}).to_parquet(made)
    monkeypatch.setattr(build_report, "REPORT", folder)

    found = build_report.build(made, tmp_path / "generated", tmp_path / "out.pdf")

    assert "no generated value `no/such/key'" in found[0]
    assert not (tmp_path / "out.pdf").exists()
