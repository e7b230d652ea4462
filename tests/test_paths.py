"""Checkouts and folders of results whose names have spaces and letters beyond ASCII."""

import shutil
import sys
from pathlib import Path

import matplotlib.figure
import pandas as pd
import pytest

from sparserepro.data import digests
from sparserepro.render import pdf
from test_workflow import CONFIG

NAMES = ("some path's", "spärse repo 稀")


def test_a_run_in_folders_with_spaces_and_other_letters(pretended, tmp_path, monkeypatch):
    place = tmp_path.joinpath(*NAMES)
    place.parent.mkdir()
    pretended.path = pretended.path.rename(place)
    problems = {"transpose": {}, "primitives": {}}
    config = CONFIG | {"problems": problems, "report": {"sets": ["h200"]}}
    # Snakemake's own interpreter lies in the checkout, as bootstrap puts it there.
    (place / ".venv").symlink_to(Path(sys.prefix).resolve(), target_is_directory=True)
    monkeypatch.setattr(sys, "executable", str(place / ".venv/bin/python"))
    arguments = [
        "results/test/cells.csv", "--directory", "../resulting ö",
        "--configfile", pretended.write_config(**config),
    ]  # fmt: skip
    for big in (place / "report/measurements/h200").glob("*.jsonl"):
        big.write_text(big.read_text().partition("\n")[0] + "\n")
    digests.write_set(place / "report/measurements/h200")
    done = pretended.snakemake(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    cells = pd.read_csv(place.parent / "resulting ö/results/test/cells.csv")
    assert set(cells["machine"]) == {"test-machine", "h200"}


DOCUMENT = r"""\documentclass{article}
\usepackage{graphicx}
\begin{document}
\input{macros}\word~\cite{known}
\includegraphics[width=2cm]{figures/drawn.pdf}
\bibliographystyle{plain}
\bibliography{refs}
\end{document}
"""


@pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not installed")
def test_a_document_in_folders_with_spaces_and_other_letters(tmp_path, monkeypatch):
    source, results = tmp_path / NAMES[0] / "report", tmp_path.joinpath(*NAMES)
    (results / "report/figures").mkdir(parents=True)
    source.mkdir()
    monkeypatch.setattr(pdf, "REPORT", source)
    (source / "report.tex").write_text(DOCUMENT)
    (source / "refs.bib").write_text("@misc{known, title={T}, author={A}, year=2000}\n")
    (results / "report/macros.tex").write_text(r"\newcommand{\word}{Word}")
    matplotlib.figure.Figure().savefig(results / "report/figures/drawn.pdf")
    cells = results / "cells.parquet"
    pd.DataFrame({"started_utc": ["2026-01-01T00:00:00Z"]}).to_parquet(cells)
    out = results / "report.pdf"
    assert pdf.build(cells, results / "report", out) == []
    assert out.read_bytes().startswith(b"%PDF")
