"""The layout of the transposition seed's tables with our figures."""

import json
import random

import pytest

import loading
import report_fixtures
import tables_published_transpose

RANDOM_500K = "uniform:rows=500000,cols=500000,nnz=10000000,seed=1"


@pytest.fixture
def measured(tmp_path):
    """A function that makes a report of one random matrix of the seed, from pairs of kernel and
    end-to-end seconds: of each algorithm, or with other parameters of an (algorithm, value)."""

    def make(times):
        report_fixtures.write(tmp_path, machines=2, matrices=2)
        rng = random.Random(5)
        facts = report_fixtures.matrix_facts(1, rng) | {
            "name": "r500k", "source": RANDOM_500K,
            "rows": 500000, "cols": 500000, "stored": 10000000, "nnz": 10000000,
        }  # fmt: skip
        records = []
        entries = {entry[0]: entry for entry in report_fixtures.ALGORITHMS["transpose"]}
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
            made["timing"]["kernel_s"] = [kernel] * 5
            made["timing"]["end_to_end_s"] = [whole] * 5 if whole else []
            records.append(made)
        path = tmp_path / "collected" / "records.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in records))
        return loading.load(path, [], (tmp_path / "catalogue").glob("*.json"))

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


def test_parameters_without_an_end_to_end_time_do_not_hide_those_with_one(measured):
    scans = {("cuda_scantrans", 256): (0.001, None), ("cuda_scantrans", 512): (0.002, 0.05)}
    _, times = tables_published_transpose.transpose_times(measured({"serial": (0.1, 0.2)} | scans))
    assert cells(times) == [("200.0", ""), ("50.00", ""), None, None]
