"""What the plan counts, and how a job's driver is called, without a run of the workflow."""

import json
import sys

import pytest

from sparserepro.config.grid import Job
from sparserepro.run import measure, plan

TIMING = {
    "kernel_s": [1.0, 2.0, 3.0], "batch": 4, "warmup_s": [5.0], "preprocess_s": [2.0, 2.0],
    "end_to_end": [{"total_s": [10.0, 9.0]}, {"total_s": [1.0]}],
}  # fmt: skip


# Of three samples: long executions have one untimed execution each, short ones three on the host.
@pytest.mark.parametrize(
    ("cache", "unit", "host", "device"),
    [("warm", 1.0, 3, 3), ("warm", 1e-3, 9, 3), ("flushed", 1.0, 0, 0)],
)
def test_a_job_takes_what_its_records_say(tmp_path, cache, unit, host, device):
    records = tmp_path / "records.jsonl"
    timing = TIMING | {"cache": cache, "kernel_s": [k * unit for k in TIMING["kernel_s"]]}
    lines = [
        {"backend": backend, "timing": timing, "argv": ["spmm"]} for backend in ("omp", "cuda")
    ]
    lines.append({"backend": "cuda", "timing": None, "argv": ["spmm"]})
    records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    # Batches of four, untimed executions before each warm one, and all that is beside them.
    seconds = [4 * 6.0 * unit + n * 2.0 * unit + 5.0 + 4.0 + 20.0 for n in (host, device)]
    assert plan.recorded_seconds(records) == pytest.approx(sum(seconds))
    assert plan.recorded_seconds(records, of_device=True) == pytest.approx(seconds[1])
    assert plan.recorded_seconds(tmp_path / "none.jsonl") is None


def algorithm(name, *parameters, unavailable=None, backend="omp"):
    return {
        "name": name,
        "backend": backend,
        "unavailable": unavailable,
        "parameters": [{"name": p} for p in parameters],
    }


def test_cells_are_those_of_algorithms_that_run_here():
    catalogue = {
        "algorithms": [
            algorithm("serial"),
            algorithm("omp", "threads"),
            algorithm("cuda", "threads", "block_size", unavailable="no GPU"),
        ]
    }
    job = Job("spmm", "m", {"k": 8}, ("all",), {"threads": [1, 2, 4]}, {"block_size": [32, 64]})
    assert plan.cells(job, catalogue) == 1 + 3
    few = Job("spmm", "m", {"k": 8}, ("omp",), {"threads": [1, 2, 4]})
    assert plan.cells(few, catalogue) == 3
    assert plan.cells(few, None) == 3


def test_the_most_that_a_job_takes():
    catalogue = {"algorithms": [algorithm("omp"), algorithm("cuda", backend="cuda")]}
    timing = {"time_cap_s": 5, "again": 1}
    job = Job("spmm", "m", {"k": 8}, ("all",), timing=timing)
    # Samples, untimed executions (three on the host), cycles of two kinds.
    assert plan.upper_seconds(job, catalogue) == 5 * ((1 + 3 + 2) + (1 + 1 + 2))
    twice = Job("spmm", "m", {"k": 8}, ("omp",), timing=timing | {"again": 0.5})
    assert plan.upper_seconds(twice, catalogue) == 5 * (2 * (1 + 3) + 2)
    assert plan.upper_seconds(twice, None) == 5 * (2 * (1 + 3) + 2)


def test_a_plan_tells_minutes_and_hours(tmp_path):
    job = Job("spmm", "m", {"k": 8}, ("all",), timing={"time_cap_s": 5})
    records = plan.file_of(job, tmp_path)
    records.parent.mkdir(parents=True)
    for kernel_s, words in ((60.0, "2.0 minutes"), (3600.0, "2.0 hours")):
        timing = TIMING | {"cache": "warm", "kernel_s": [kernel_s], "batch": 1, "warmup_s": [],
                           "preprocess_s": [], "end_to_end": []}  # fmt: skip
        line = {"backend": "omp", "timing": timing, "argv": ["spmm"]}
        records.write_text(json.dumps(line) + "\n")
        assert f"sampling took {words}" in plan.describe([job], tmp_path, tmp_path)


def test_a_driver_gets_the_file_and_the_name_of_its_matrix(tmp_path):
    described = tmp_path / "m.json"
    facts = {"name": "m", "source": "m.mtx", "path": "/staged/m.mtx"}
    described.write_text(json.dumps(facts))
    assert measure.source_arguments(described) == ["/staged/m.mtx", "--matrix-name", "m"]
    described.write_text(json.dumps(facts | {"source": "uniform:rows=9", "path": None}))
    assert measure.source_arguments(described) == ["uniform:rows=9", "--matrix-name", "m"]
    described.write_text(json.dumps({"name": "m", "unavailable": "gone"}))
    assert measure.source_arguments(described) is None


def test_a_driver_does_not_inherit_settings_of_openmp(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    told = "import os; print([os.environ.get(f'{n}_NUM_THREADS') for n in ('OMP', 'MKL')])"
    log = tmp_path / "log"
    assert measure.run_driver([sys.executable, "-c", told], log) == 0
    assert log.read_text().endswith("[None, None]\n")
