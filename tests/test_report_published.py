"""The layout of the transposition seed's tables with our figures."""

import json
import random

import pytest

import report_fixture_catalogue
import report_fixture_matrices
import report_fixtures
import tabled
from sparserepro.data import loading
from sparserepro.render import latex
from sparserepro.views import end_to_end, times
from sparserepro.views import published_transpose as tables_published_transpose
from sparserepro.views.sections import section

RANDOM_500K = "uniform:rows=500000,cols=500000,nnz=10000000,seed=1"


@pytest.fixture
def measured(tmp_path):
    """A function that makes a report of one random matrix of the seed, from pairs of kernel and
    end-to-end seconds: of each algorithm, or with other parameters of an (algorithm, value); all
    of one run, or some of the runs that are named."""

    def make(times, **runs):
        report_fixtures.write(tmp_path, machines=2, matrices=2)
        rng = random.Random(5)
        facts = report_fixture_matrices.matrix_facts(1, rng) | {
            "name": "r500k", "source": RANDOM_500K,
            "rows": 500000, "cols": 500000, "stored": 10000000, "nnz": 10000000,
        }  # fmt: skip
        records = []
        entries = {entry[0]: entry for entry in report_fixture_catalogue.ALGORITHMS["transpose"]}
        for key, (kernel, whole) in times.items():
            name, *block_size = key if isinstance(key, tuple) else (key,)
            made = report_fixtures.record(
                "transpose",
                entries[name],
                facts,
                {"value_type": "fp32", "offset_bits": 32},
                {"block_size": block_size[0]} if block_size else {},
                "gpu-box",
                rng,
            )
            made["run"] = {"id": runs.get(name, "shared"), "repeat": 0}
            made["timing"]["kernel_s"] = [kernel] * 5
            made["timing"]["end_to_end"] = report_fixtures.cycles(whole, "serial") if whole else []
            records.append(made)
        path = tmp_path / "collected" / "records.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in records))
        return tabled.report(path, [], (tmp_path / "catalogue").glob("*.json"))

    return make


def cells(table):
    """Of the line of the matrix: serial, ScanTrans, MergeTrans, cuSPARSE."""
    line = next(line for line in table.body if "r500k" in line[0].latex_text)
    return [(v.text, v.mark) if hasattr(v, "mark") else None for v in line[4:8]]


def test_times_are_end_to_end(measured):
    report = measured({"serial": (0.1, 0.2), "cuda_scantrans": (0.001, 0.05)})
    _, times = tables_published_transpose.transpose_times(report)
    _, speedups = tables_published_transpose.transpose_speedups(report)
    assert cells(times) == [("200.0", ""), ("50.00", ""), None, None]
    assert cells(speedups)[1] == ("4.00", "")
    assert ". ScanTrans is of CUDA. Other machine" in times.caption
    assert not any("kernelonly" in note for note in times.notes)


def test_captions_say_on_what_both_algorithms_ran(measured):
    seconds = (0.001, 0.05)

    def caption(*names):
        return tables_published_transpose.transpose_times(measured(dict.fromkeys(names, seconds)))[
            1
        ].caption

    assert "ScanTrans and MergeTrans are of OpenMP. " in caption("omp_scantrans", "omp_mergetrans")
    mixed = caption("cuda_scantrans", "omp_mergetrans")
    assert "ScanTrans is of CUDA. MergeTrans is of OpenMP. " in mixed
    assert "MergeTrans is" not in caption("serial")


def test_kernels_stand_in_marked_where_no_end_to_end_time_is(measured):
    report = measured({"serial": (0.1, 0.2), "cuda_scantrans": (0.001, None)})
    mark = tables_published_transpose.KERNEL_ONLY
    _, times = tables_published_transpose.transpose_times(report)
    _, speedups = tables_published_transpose.transpose_speedups(report)
    assert cells(times) == [("200.0", ""), ("1.000", mark), None, None]
    assert cells(speedups)[1] == ("100", mark)  # of kernels, both
    assert any("kernelonly" in note for note in times.notes)


def test_speedups_across_runs_are_marked(measured):
    times = {"serial": (0.1, 0.2), "cuda_scantrans": (0.001, 0.05)}
    report = measured(times, cuda_scantrans="another")
    _, speedups = tables_published_transpose.transpose_speedups(report)
    assert cells(speedups)[:2] == [("1.00", ""), ("4.00", r"{\across}")]
    assert r"\across~The two were measured in different runs of a driver." in speedups.notes


def test_parameters_without_an_end_to_end_time_do_not_hide_those_with_one(measured):
    scans = {("cuda_scantrans", 256): (0.001, None), ("cuda_scantrans", 512): (0.002, 0.05)}
    _, times = tables_published_transpose.transpose_times(measured({"serial": (0.1, 0.2)} | scans))
    assert cells(times) == [("200.0", ""), ("50.00", ""), None, None]


@pytest.fixture
def with_flushed(measured):
    """A report of two algorithms, of which one was also measured with flushed caches, without an
    end-to-end time; and of a skipped one."""
    report = measured({"serial": (0.1, 0.2), "cuda_scantrans": (0.001, 0.05)})
    assert not any(row.value("cache") for row in report.rows("gpu-box", "transpose"))
    lines = {cell.algorithm: cell.line for cell in report.cells}
    serial, scan = lines["serial"], lines["cuda_scantrans"]
    cold = {"cache": "flushed", "median_s": 0.0001, "end_to_end_samples": 0,
            "transfers": None, "id": "cold"}  # fmt: skip
    skipped = {"status": "skipped", "cache": None, "algorithm": "cuda_mergetrans", "id": "skipped"}
    found = loading.with_caches([dict(serial), dict(scan), scan | cold, serial | skipped])
    return tabled.again(report, found)


def test_flushed_caches_make_rows_of_their_own(with_flushed):
    states = [cell.row.value("cache") for cell in with_flushed.cells]
    assert sorted(states) == ["flushed", "warm", "warm", "warm"]
    _, times = tables_published_transpose.transpose_times(with_flushed)
    assert cells(times)[:2] == [("200.0", ""), ("50.00", "")]


def test_rows_without_an_end_to_end_time_are_left_out(with_flushed):
    part = section(with_flushed, "gpu-box", "transpose")
    (table,) = times.times(part)
    assert [line[1].latex_text for line in table.body].count(r"\code{flushed}") == 1
    whole, parts = end_to_end.whole_and_parts(part)
    assert {line[1].latex_text for line in whole.body} == {r"\code{warm}"}
    assert [line[2].latex_text for line in whole.body] == [
        latex.code("serial"),
        latex.code("cuda_scantrans"),
    ]
    assert [line[2].latex_text for line in parts.body] == [r"\num{1}"] * 2
