"""The matrix expression of the triangles problem in a job of the workflow: what the driver is asked
for, the records behind those of the driver, and the command that measures one again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from driver_runs import BIN
from expression_runs import RMAT, TIMING, path_with_octave, read, record_of_driver
from sparserepro import again
from sparserepro.config.grid import Job
from sparserepro.run import plan
from sparserepro.run.expression import catalogue

pytestmark = pytest.mark.usefixtures("own_lock")

ROOT = Path(__file__).resolve().parent.parent


def job(*algorithms: str, **parameters: list) -> Job:
    return Job(
        problem="triangles", matrix="social", instance={}, algorithms=algorithms,
        parameters=parameters, cuda_parameters={}, timing=TIMING | {"cache": "warm"},
        machine_id="box",
    )  # fmt: skip


def test_what_the_driver_is_asked_for():
    def asked(*algorithms: str) -> tuple[str, ...]:
        return catalogue.driver_job(job(*algorithms)).algorithms

    assert asked("all") == ("all",)
    assert asked("omp_forward") == ("omp_forward",)
    assert asked("omp_forward", "matrix_expression") == ("serial", "omp_forward")
    assert asked("matrix_expression", "serial") == ("serial",)
    own = catalogue.driver_job(job("all", threads=[1], tool=["scipy"]))
    assert own.parameters == {"threads": [1]}
    wanted = (job("all"), job("matrix_expression"), job("serial"))
    assert [catalogue.is_wanted(one) for one in wanted] == [True, True, False]


def measure(tmp_path, wanted: Job, **environment: str) -> subprocess.CompletedProcess[str]:
    """The job, with a catalogue made as the workflow makes it."""
    command = [sys.executable, "-m", "sparserepro.build.catalogue", "--drivers", str(BIN)]
    command += ["--problems", "triangles", "--jobs", "[]", "--output", str(tmp_path)]
    variables = os.environ | {"PYTHONPATH": str(ROOT / "python")} | environment
    subprocess.run(command, env=variables, check=True)
    matrix = tmp_path / "social.json"
    matrix.write_text(json.dumps({"name": "social", "path": None, "source": RMAT}))
    command = [sys.executable, "-m", "sparserepro.run.measure", "--job", wanted.to_json()]
    command += ["--driver", str(BIN / "triangles"), "--matrix", str(matrix)]
    command += ["--catalogue", str(tmp_path / "triangles.json")]
    command += ["--output", str(tmp_path / "out.jsonl"), "--log", str(tmp_path / "log")]
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_job_has_its_records_behind_those_of_the_driver(tmp_path):
    wanted = job("serial_upper", "matrix_expression", tool=["scipy"])
    done = measure(tmp_path, wanted)
    assert done.returncode == 0, done.stderr
    listed = json.loads((tmp_path / "triangles.json").read_text())["algorithms"]
    assert [entry["name"] for entry in listed].count("matrix_expression") == 1
    assert listed[-1] == catalogue.entry()
    assert listed[0].keys() == listed[-1].keys()
    found = read(tmp_path / "out.jsonl")
    names = [record["algorithm"] for record in found]
    assert names == ["serial", "serial_upper", "matrix_expression"]
    assert {record["machine"]["id"] for record in found} == {"box"}
    assert (tmp_path / "log").read_text().count("\n$ ") == 1
    assert not list(tmp_path.glob("*.part")) + list(tmp_path.glob("*.expression"))

    def changed(later: Job) -> str:
        return plan.changed(later, {"algorithms": listed}, tmp_path / "out.jsonl")

    assert changed(wanted) == ""
    assert changed(job("serial_upper", "matrix_expression", tool=["octave"])) == (
        "tool scipy -> octave"
    )
    assert changed(job("serial", "serial_upper")) == "matrix expression yes -> no"


def test_a_job_whose_expression_fails_has_no_records(tmp_path):
    done = measure(tmp_path, job("all"), PATH=path_with_octave(tmp_path), FAKE_OCTAVE="2")
    assert done.returncode == 1
    assert "wrong answer in execution 1" in done.stderr
    assert "wrong answer in execution 1" in (tmp_path / "log").read_text()
    assert sorted(path.name for path in tmp_path.glob("out*")) == []


def test_the_command_that_measures_it_again(tmp_path, monkeypatch):
    driver_record = record_of_driver(tmp_path)
    monkeypatch.chdir(tmp_path)
    own = {"algorithm": "matrix_expression", "parameters": {"strict": 0, "tool": "scipy"}}
    new = ["sparserepro", "expression", RMAT, "--records", "x.part", "--json", "y", "--seed", "2"]
    old = ["triangles", RMAT, "--algorithm", "serial,matrix_expression", "--seed", "2"]
    for argv in (new, old):
        words = again.command(driver_record | own | {"argv": argv})
        spec = driver_record["matrix"]["source"]
        assert words[:3] in (["sparserepro", "expression", s] for s in (RMAT, spec))
        assert words[3:] == ["--strict", "0", "--tool", "scipy", "--seed", "2"]
