"""SpMM on a GPU in the report: both bounds, the seed's ranking, the own kernel beside cuSPARSE."""

import dataclasses
import math
import re

import pytest

import report_fixture_catalogue
import report_fixture_matrices
import report_fixtures
import tabled
from sparserepro.plots import spmm_cuda as figures_spmm_cuda
from sparserepro.plots import style
from sparserepro.plots import sweeps as figures_sweeps
from sparserepro.views import spmm_cuda as tables_spmm_cuda
from sparserepro.views import spmm_ranking


def made(tmp_path, monkeypatch, cost):
    """The report of invented records in which cuda_csr_balanced has this cost; cuSPARSE's is 3."""
    spmm = [
        *report_fixture_catalogue.ALGORITHMS["spmm"],
        ("cuda_csr_balanced", "cuda", False, cost),
    ]
    monkeypatch.setitem(report_fixture_catalogue.ALGORITHMS, "spmm", spmm)
    monkeypatch.setattr(report_fixture_matrices, "CLASSES", ("fem", "web"))
    report_fixtures.write(tmp_path, machines=2, matrices=3)
    return tabled.report(
        tmp_path / "collected" / "records.jsonl",
        (tmp_path / "matrices").glob("*.json"),
        (tmp_path / "catalogue").glob("*.json"),
    )


def test_every_loss_is_counted(tmp_path, monkeypatch):
    slow = tables_spmm_cuda.own_by_k(made(tmp_path, monkeypatch, 6.0))

    assert [t.label for t in slow] == ["tab:spmm-cusparse-gpu-box"]
    ratios = [float(value.text) for line in slow[0].body[:3] for value in line[1:]]
    losses = sum(ratio < 1 for ratio in ratios)
    assert losses > 0
    assert rf"slower on \num{{{losses}}} of \num{{{len(ratios)}}} rows" in slow[0].caption
    measured = [m for m in slow[0].body if m]
    assert len(measured) == 3 + 4 + 1  # the matrices, four means and the break-even


def test_a_kernel_that_always_wins_is_slower_nowhere(tmp_path, monkeypatch):
    fast = tables_spmm_cuda.own_by_k(made(tmp_path, monkeypatch, 0.1))

    assert "slower nowhere" in fast[0].caption
    mean = float(re.search(r"geometric mean is (\d+\.?\d*)", fast[0].caption)[1])
    ratios = [float(v.text) for line in fast[0].body[:3] for v in line[2:]]  # K >= 2
    assert mean == pytest.approx(math.exp(sum(map(math.log, ratios)) / len(ratios)), rel=0.01)


def test_without_the_own_kernel_there_is_no_table(tmp_path, monkeypatch):
    report = made(tmp_path, monkeypatch, 1.0)
    bare = dataclasses.replace(
        report, cells=tuple(c for c in report.cells if c.algorithm != "cuda_csr_balanced")
    )
    assert tables_spmm_cuda.own_by_k(bare) == []


def test_ranks_count_from_the_highest_rate():
    assert spmm_ranking.ranks({"a": 1.0, "b": 3.0, "c": 2.0}) == {"b": 1, "c": 2, "a": 3}


def test_the_ranking_stands_on_a_finite_element_matrix(tmp_path, monkeypatch):
    report = made(tmp_path, monkeypatch, 1.0)
    table = spmm_ranking.ranking(report)[0]

    assert table.label == "tab:spmm-ranking-gpu-box"
    assert len(table.body) == 7  # kernels of the seed with a counterpart
    names = ["cuda_csr_scalar_v3", "cuda_csr_vector_sub_warp"]
    matrix = spmm_ranking.fem_matrix(report, "gpu-box", names)
    assert report.matrix_class(matrix) == "fem"
    row = next(r for r in report.rows("gpu-box", "spmm", k=1) if r.matrix == matrix)
    scalar, sub_warp = (report.best(row, name).seconds for name in names)
    here = [table.body[n][6].text for n in (0, 2)]  # lines of the two, first K measured here
    assert here == (["1", "2"] if scalar < sub_warp else ["2", "1"])


def test_the_gather_bound_is_that_of_the_records(tmp_path, monkeypatch):
    report = made(tmp_path, monkeypatch, 1.0)
    row = report.rows("gpu-box", "spmm", k=8)[0]
    cell = report.best(row, "cusparse_csr")
    name, seconds = cell.second_bound

    assert name == "gather"
    assert figures_spmm_cuda.gather_rates([cell]) == {
        8: pytest.approx(cell.line["model_flops"] / seconds)
    }
    assert figures_spmm_cuda.gather_rates([report.best(row, "serial_csr")]) == {}


def test_host_and_device_have_curves_apart(tmp_path, monkeypatch):
    style.apply()
    report = made(tmp_path, monkeypatch, 1.0)
    device = figures_spmm_cuda.k_curves(report)
    host = figures_sweeps.k_curves(report)

    assert [drawn.stem for drawn in device] == ["spmm-k-cuda-gpu-box"]
    assert [drawn.stem for drawn in host] == ["spmm-k-desk-1", "spmm-k-gpu-box"]
    assert "gathered at the measured rates" in device[0][1]
    assert r"\cref{tab:spmm-calls-device-gpu-box}" in device[0][1]
    names = {t.get_text() for t in device[0][2].legends[0].get_texts()}
    assert {"cuda_csr_balanced", "cusparse_csr", "copy bound", "gathers"} <= names
    assert not any(n.startswith(("serial", "omp")) for n in names)
    drawn = {t.get_text() for t in host[1][2].legends[0].get_texts()}
    assert not any(n.startswith(("cuda", "cusparse")) for n in drawn)
