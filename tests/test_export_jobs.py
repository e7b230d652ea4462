"""Jobs for machines that cannot run the workflow: what is exported, and the runner beside it."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import export_jobs
from sparserepro.config.check import ConfigError, check_config
from sparserepro.config.grid import Job, make_jobs
from sparserepro.config.matrix_list import MatrixEntry, load_matrix_list
from sparserepro.run import cost

ROOT = Path(__file__).resolve().parent.parent
FAKE = ROOT / "tests/support/fake_driver.py"
MATRICES = load_matrix_list(ROOT / "config" / "matrices.yaml")
TWO = {
    "matrices": ["uniform-small", "fem-small"],
    "problems": {
        "transpose": {"algorithms": ["serial", "omp_rows"], "parameters": {"threads": [1, 2]}},
        "spmm": {"matrices": ["uniform-small", "cant"], "instances": {"k": [1, 4]}},
    },
}
CATALOGUE = {
    "algorithms": [
        {"name": "omp_rows", "backend": "omp", "parameters": [{"name": "threads"}]},
        {"name": "cusparse_csr", "backend": "cuda",
         "parameters": [{"name": "layout"}, {"name": "preprocess"}]},
        {"name": "cusparse_spmv", "backend": "cuda", "parameters": []},
    ]
}  # fmt: skip


def exported(config, cores=4):
    jobs = make_jobs(check_config(config, "test.yaml"), MATRICES, cores)
    catalogues = {job.problem: CATALOGUE for job in jobs}
    return export_jobs.exported(jobs, MATRICES, catalogues)


def value(options, name):
    return options[options.index(name) + 1]


def test_instances_of_one_matrix_share_a_run():
    config = {"matrices": ["uniform-small"], "problems": {"spmm": {"instances": {"k": [1, 4]}}}}

    (job,) = exported(config)

    assert job["spec"] == MATRICES.entries["uniform-small"].spec
    assert value(job["options"], "--k") == "1,4"
    assert job["output"] == "spmm/uniform-small.1.jsonl"
    assert job["algorithms"] == [a["name"] for a in CATALOGUE["algorithms"]]


def test_instances_that_are_no_product_have_runs_of_their_own():
    instances = [{"procedure": "scan"}, {"procedure": "merge", "segment": 128}]

    jobs = exported({"problems": {"primitives": {"instances": instances}}})

    assert len(jobs) == 2
    assert "--segment" not in jobs[0]["options"]
    assert value(jobs[1]["options"], "--segment") == "128"
    assert len({job["output"] for job in jobs}) == 2  # a driver replaces its file
    assert jobs[0]["spec"] is None
    assert jobs[0]["files"] is None


def test_threads_count_up_to_the_other_machines_cores():
    problems = {"transpose": {"parameters": {"threads": "auto"}}}

    (job,) = exported({"matrices": ["uniform-small"], "problems": problems}, cores=16)

    assert value(job["options"], "--threads") == "1,2,4,8,16"


def test_repeats_come_last_and_say_which_they_are():
    part = {"instances": {"k": [1, 4]}, "repeats": {"matrices": ["fem-small"], "times": 2}}
    config = {"matrices": ["uniform-small", "fem-small"], "problems": {"spmm": part}}

    jobs = exported(config)

    assert [job["repeat"] for job in jobs] == [0, 0, 1, 2]
    assert [job["matrix"] for job in jobs[2:]] == ["fem-small", "fem-small"]
    assert "--repeat" not in jobs[1]["options"]
    assert value(jobs[3]["options"], "--repeat") == "2"
    assert len({job["output"] for job in jobs}) == 4


def test_a_name_that_no_driver_has_is_refused():
    job = Job("spmm", "uniform-small", {}, ("cusparse_csx",))
    with pytest.raises(ConfigError, match="cusparse_csx"):
        export_jobs.check_names([job], {"spmm": CATALOGUE})


def test_archive_names_matrices_of_each_part_once():
    config = check_config(yaml.safe_load((ROOT / "config/archive.yaml").read_text()), "archive")
    jobs = make_jobs(config, MATRICES, 16)
    keys = [job.key for job in jobs]
    assert len(set(keys)) == len(keys)
    assert {job.part.partition("-")[0] for job in jobs} == {"device", "host"}
    assert min(job.timing["min_repetitions"] for job in jobs) >= 10
    assert {(job.problem, job.repeat) for job in jobs} >= {
        (problem, 2) for problem in ("spmm", "transpose", "triangles", "primitives")
    }


def test_cost_counts_what_an_instance_can_run():
    def cells(**fields):
        return cost.cell_counts(Job("spmm", "m", algorithms=("all",), **fields), CATALOGUE)

    assert cells(instance={"k": 4}, parameters={"threads": [1, 2]}) == {"omp": 2, "cuda": 0.75}
    settings = {"layout": ["row", "column"], "preprocess": ["no", "yes"]}
    assert cells(instance={"k": 1}, cuda_parameters=settings)["cuda"] == 4


@pytest.mark.parametrize(
    ("spec", "entries"),
    [
        ("uniform:rows=100,cols=50,nnz=700", 700),
        ("banded:rows=1000,diagonals=9,fill=0.5", 4500),
        ("fem:stencil=9,nx=10,ny=10,nz=1,dofs=2", 3600),
        ("rmat:scale=10,edge_factor=4,symmetric=0", 4096),
    ],
)
def test_cost_knows_sizes_of_specs(spec, entries):
    assert cost.sizes(MatrixEntry(id="m", cls="fem", spec=spec))[2] == entries


class Machine:
    """A folder with the exported jobs of TWO and pretended drivers."""

    def __init__(self, path):
        self.path = path
        drivers = path / "build/bin"
        drivers.mkdir(parents=True)
        for problem in ("transpose", "spmm"):
            shutil.copy(FAKE, drivers / problem)
            (drivers / problem).chmod(0o755)
        (path / "test.yaml").write_text(yaml.safe_dump(TWO))
        script = ROOT / "workflow/scripts/export_jobs.py"
        arguments = ["--configfile", "test.yaml", "--output", "jobs", "--drivers", "build/bin"]
        subprocess.run([sys.executable, script, *arguments], cwd=path, check=True)
        (path / "calls.log").unlink()

    def run(self, *arguments):
        # -I and -S: the standard library alone.
        line = [sys.executable, "-I", "-S", "jobs/measure.py", *arguments]
        return subprocess.run(line, cwd=self.path, capture_output=True, text=True, check=False)

    def calls(self):
        path = self.path / "calls.log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_runner_measures_resumes_and_collects(machine):
    first = machine.run("--only", "transpose", "--machine-id", "box")
    assert first.returncode == 0, first.stdout + first.stderr
    assert len(machine.calls()) == 2

    second = machine.run("--collect", "all")
    assert second.returncode == 0, second.stdout + second.stderr
    (call,) = machine.calls()
    assert call.startswith("spmm ")
    assert "1 without its matrix: spmm/cant.1.jsonl" in second.stdout
    lines = (machine.path / "all/transpose.jsonl").read_text().splitlines()
    assert {json.loads(line)["machine"]["id"] for line in lines} == {"box"}
    assert {json.loads(line)["matrix"]["name"] for line in lines} == set(TWO["matrices"])

    (machine.path / "cant.mtx.gz").touch()
    assert machine.run("--matrices", ".", "--collect", "all").returncode == 0
    (call,) = machine.calls()
    assert "cant.mtx.gz --matrix-name cant" in call


def test_runner_writes_catalogues_and_facts(machine):
    info = machine.path / "build/bin/matrix_info"
    info.write_text('#!/bin/sh\nfor f; do :; done; echo "{\\"source\\": \\"$1\\"}" > "$f"\n')
    info.chmod(0o755)
    done = machine.run("--facts")
    assert done.returncode == 0, done.stdout + done.stderr
    found = sorted(str(p.relative_to(machine.path)) for p in machine.path.glob("records/*/*"))
    named = [
        "catalogue/spmm",
        "catalogue/transpose",
        *(f"matrices/{m}" for m in sorted(TWO["matrices"])),
    ]
    assert found == [f"records/{name}.json" for name in named]
    assert all("--list" in call for call in machine.calls())

    info.unlink()
    (machine.path / "records/matrices/uniform-small.json").unlink()
    done = machine.run("--facts")
    assert done.returncode == 1
    assert "1 failed: facts of uniform-small" in done.stdout


def test_runner_takes_records_of_earlier_runs(machine):
    assert machine.run("--out", "old", "--only", "transpose").returncode == 0
    machine.calls()
    machine.run("--out", "new", "--done", "old", "--collect", "all")
    assert all(call.startswith("spmm") for call in machine.calls())
    assert (machine.path / "all/transpose.jsonl").exists()


def test_runner_restricts_algorithms_and_library(machine):
    more = ["--algorithms", "omp_rows", "--driver-options=--huge-pages no"]
    done = machine.run("--only", "transpose", *more, "--dry-run")
    assert " --huge-pages no " in done.stdout
    assert "--algorithm omp_rows " in done.stdout
    assert "serial" not in done.stdout
    assert machine.calls() == []
    assert machine.run("--algorithms", "cub_radix_sort", "--only", "transpose").returncode == 1

    driver = machine.path / "build/bin/transpose"
    driver.write_text('#!/bin/sh\necho "$LD_LIBRARY_PATH" > path.txt\nexit 1\n')
    machine.run("--only", "transpose", "--library-path", "/opt/old")
    assert (machine.path / "path.txt").read_text().startswith("/opt/old")


def test_runner_restricts_jobs_of_all_algorithms(machine):
    done = machine.run("--algorithms", "omp_rows,cub_radix_sort", "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if "--algorithm " in line]
    assert any("/spmm " in line for line in lines)
    assert all(" --algorithm omp_rows " in line for line in lines)


def test_runner_names_drivers_that_are_not_built(machine):
    done = machine.run("--build", "elsewhere", "--only", "transpose")
    assert done.returncode == 1, done.stderr
    assert "FAILED with 127: " in done.stdout
    assert "'elsewhere/bin/transpose'; --build names the build tree" in done.stdout
    assert "2 failed: " in done.stdout


def test_runner_stops_at_its_limit_and_leaves_no_half_file(machine):
    driver = machine.path / "build/bin/transpose"
    driver.write_text("#!/bin/sh\nexec sleep 60\n")
    jobs = machine.path / "jobs/jobs.json"
    listed = json.loads(jobs.read_text())
    for job in listed["jobs"]:
        job["expected_s"] = 0.1
    jobs.write_text(json.dumps(listed))
    start = time.monotonic()
    done = machine.run("--only", "transpose", "--limit-s", "1")
    assert time.monotonic() - start < 20
    assert done.returncode == 2, done.stdout + done.stderr
    assert "2 left:" in done.stdout
    assert not list(machine.path.glob("records/**/*.jsonl"))


def test_runner_goes_on_after_a_failure_and_names_it(machine):
    driver = machine.path / "build/bin/transpose"
    driver.write_text('#!/bin/sh\ncase "$*" in *fem*) echo "no luck"; exit 1;; esac\nexit 0\n')
    done = machine.run("--only", "transpose,spmm")
    assert done.returncode == 1
    assert "FAILED with 1: no luck" in done.stdout
    # The other ends well but writes nothing, which is a failure as well.
    assert "2 failed: transpose/uniform-small.1.jsonl, transpose/fem-small.1" in done.stdout
    assert any(call.startswith("spmm ") for call in machine.calls())


def test_interrupted_runner_ends_its_driver(machine):
    driver = machine.path / "build/bin/transpose"
    driver.write_text("#!/bin/sh\necho $$ > pid.txt\nexec sleep 60\n")
    line = [sys.executable, "jobs/measure.py", "--only", "transpose"]
    with subprocess.Popen(line, cwd=machine.path, stderr=subprocess.PIPE) as runner:
        pid = machine.path / "pid.txt"
        deadline = time.monotonic() + 20
        while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < deadline:
            time.sleep(0.05)
        runner.send_signal(signal.SIGTERM)
        assert runner.wait(20) == 130
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
