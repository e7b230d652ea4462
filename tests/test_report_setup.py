"""What the report says of the machines and builds that its records are of."""

import dataclasses

import report_fixtures
import tabled
from sparserepro.views import machines as tables_machines


def lines(report, name):
    """Of the table of a machine: what stands beside each name."""
    return {left.latex_text: right.latex_text for left, right in machine(report, name).body}


def machine(report, name):
    return next(t for t in tables_machines.machines(report) if t.label == f"tab:machine-{name}")


def loaded(folder):
    report_fixtures.write(folder, machines=2, matrices=2)
    return tabled.report(
        folder / "collected" / "records.jsonl", [], (folder / "catalogue").glob("*.json")
    )


def test_a_machine_with_one_build(tmp_path):
    report = loaded(tmp_path)
    assert lines(report, "gpu-box")["GPU"] == "NVIDIA H200"
    assert lines(report, "gpu-box")["CUDA"] == "13.0"
    assert lines(report, "desk-1")["GPU"] == "none: CUDA algorithms are skipped"
    assert lines(report, "desk-1")["CUDA"] == "not in the build"


def test_a_later_build_for_the_host_alone_hides_no_gpu(tmp_path):
    report = loaded(tmp_path)

    def without_cuda(cell):
        later = {"started_utc": "2026-01-03T00:00:00Z", "gpu": None, "cuda": None}
        build = {"libraries": "Eigen 3.4.0", "flags": "-O3"}
        return dataclasses.replace(cell, line=cell.line | later | build)

    cells = [
        without_cuda(c) if c.row.machine == "gpu-box" and c.backend == "omp" else c
        for c in report.cells
    ]
    found = lines(dataclasses.replace(report, cells=tuple(cells)), "gpu-box")

    assert found["GPU"] == "NVIDIA H200"
    assert found["CUDA"] == "not in the build; or 13.0"
    assert found["libraries"] == "Eigen 3.4.0; or none"
    flags = found["flags"].replace(r"\allowbreak{}", "")
    assert flags == r"\code{-O3} (Release); or \code{-O3 -march=native} (Release)"
    assert found["measured"].endswith("to 2026-01-03T00:00:00Z")
