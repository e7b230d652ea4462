"""The matrix expression of the triangles problem: counts, refusals, records, and its place in a
job. GNU Octave is a stand-in (support/fake_octave.py) where it is not installed."""

import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from driver_runs import BIN, run
from sparserepro import again
from sparserepro.config.grid import Job
from sparserepro.run import plan
from sparserepro.run.expression import catalogue, timing, tools

pytestmark = pytest.mark.usefixtures("own_lock")

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
TIMING = {
    "repetitions": 3,
    "min_repetitions": 2,
    "max_repetitions": 3,
    "warmup": 1,
    "end_to_end": 1,
}
FEW = [f"--{name.replace('_', '-')}={value}" for name, value in TIMING.items()]
RMAT = "rmat:scale=7,edge_factor=6,seed=3"
# Rows, and the stored entries as the file has them, with loops, duplicates, one direction alone.
GRAPHS = {
    "no vertex": (0, []),
    "no edge": (4, []),
    "loops alone": (3, [(1, 1), (2, 2), (3, 3)]),
    "a triangle with loops and duplicates": (
        5,
        [(1, 1), (1, 2), (1, 2), (2, 3), (3, 1), (1, 3), (4, 4), (4, 5), (5, 4)],
    ),
    "complete": (6, list(itertools.permutations(range(1, 7), 2))),
    "a wheel": (6, [(1, k) for k in range(2, 7)] + [(2, 3), (3, 4), (4, 5), (5, 6), (6, 2)]),
}


def triangles(rows: int, entries: list[tuple[int, int]]) -> int:
    edges = {frozenset(entry) for entry in entries}
    return sum(
        all(frozenset(pair) in edges for pair in itertools.combinations(three, 2))
        for three in itertools.combinations(range(1, rows + 1), 3)
    )


def write_matrix(path: Path, rows: int, entries: list[tuple[int, int]]) -> Path:
    lines = [f"{i} {j}" for i, j in entries]
    size = f"{rows} {rows} {len(entries)}"
    head = "%%MatrixMarket matrix coordinate pattern general"
    path.write_text("\n".join([head, size, *lines, ""]))
    return path


def expression(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sparserepro", "expression", *words, *FEW]
    command += ["--drivers", str(BIN)]
    variables = os.environ | {"PYTHONPATH": str(ROOT / "python")} | environment
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=120, check=False
    )


def read(path: Path) -> list[dict]:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        jsonschema.Draft202012Validator(SCHEMA).validate(record)
    return records


@pytest.fixture(scope="module")
def driver_record(tmp_path_factory) -> dict:
    """Of `serial` on RMAT."""
    folder = tmp_path_factory.mktemp("driver")
    out = folder / "records.jsonl"
    words = [RMAT, "--algorithm", "serial", "--matrix-name", "social", *FEW, "--json", str(out)]
    done = run("triangles", *words, "--quiet", SPARSEREPRO_LOCK=str(folder / "lock"))
    assert done.returncode == 0, done.stderr
    (record,) = read(out)
    return record


@pytest.fixture
def records(tmp_path, driver_record):
    """Writes the driver's record, changed, and returns the file."""

    def write(**measures: float) -> Path:
        path = tmp_path / "records.jsonl"
        changed = driver_record | {"measures": driver_record["measures"] | measures}
        path.write_text(json.dumps(changed) + "\n")
        return path

    return write


@pytest.fixture
def octave(tmp_path) -> str:
    """A PATH with the stand-in for octave-cli."""
    program = tmp_path / "programs" / "octave-cli"
    program.parent.mkdir()
    text = (ROOT / "tests/support/fake_octave.py").read_text()
    program.write_text(text.replace("#!/usr/bin/env python3", f"#!{sys.executable}", 1))
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("name", GRAPHS)
def test_the_graph_and_its_count(name, tmp_path):
    rows, entries = GRAPHS[name]
    source, out = write_matrix(tmp_path / "g.mtx", rows, entries), tmp_path / "graph.mtx"
    done = run("matrix_info", str(source), "--json", "-", "--graph", str(out))
    assert done.returncode == 0, done.stderr
    graph = tools.read_graph(out)
    edges = {frozenset(entry) for entry in entries if len(set(entry)) == 2}
    assert (graph.vertices, len(graph.col_idx)) == (rows, 2 * len(edges))
    for i in range(rows):
        row = graph.col_idx[graph.row_ptr[i] : graph.row_ptr[i + 1]].tolist()
        assert row == sorted(sum(edge) - i - 2 for edge in edges if i + 1 in edge)
    assert tools.SciPy(graph).evaluate() == triangles(rows, entries)


@pytest.mark.parametrize("name", GRAPHS)
def test_records_of_small_graphs(name, tmp_path):
    source, out = write_matrix(tmp_path / "g.mtx", *GRAPHS[name]), tmp_path / "out.jsonl"
    done = expression(str(source), "--tool", "scipy", "--json", str(out))
    assert done.returncode == 0, done.stderr
    (record,) = read(out)
    assert record["status"] == "ok"
    assert record["measures"]["triangles"] == triangles(*GRAPHS[name])


def test_a_record_has_the_facts_of_the_driver_and_times_of_its_own(
    tmp_path, records, driver_record
):
    out = tmp_path / "out.jsonl"
    done = expression(RMAT, "--records", str(records()), "--tool", "scipy", "--json", str(out))
    assert done.returncode == 0, done.stderr
    (record,) = read(out)
    same = ("machine", "build", "matrix", "model", "bounds", "copy_bytes_per_s", "check")
    assert {key: record[key] for key in same} == {key: driver_record[key] for key in same}
    assert record["library"] == tools.title("scipy")
    assert (record["algorithm"], record["backend"], record["peer"]) == (
        "matrix_expression", "serial", True,
    )  # fmt: skip
    assert record["parameters"] == {"strict": 0, "tool": "scipy"}
    assert record["run"]["id"] != driver_record["run"]["id"]
    assert record["argv"][:3] == ["sparserepro", "expression", RMAT]
    taken = record["timing"]
    assert [len(taken[key]) for key in ("kernel_s", "warmup_s", "end_to_end")] == [3, 1, 1]
    assert taken["end_to_end"][0]["total_s"][0] > taken["end_to_end"][0]["kernel_s"][0]
    assert f"{int(record['measures']['triangles'])} triangles" in done.stdout


def test_a_wrong_count_leaves_no_record(tmp_path, records, driver_record):
    right = int(driver_record["measures"]["triangles"])
    assert right > 0
    out = tmp_path / "out.jsonl"
    file = records(triangles=right + 1)
    done = expression(RMAT, "--records", str(file), "--tool", "scipy", "--json", str(out))
    assert done.returncode == 1
    assert f"in execution 1: counted {right} triangles, expected {right + 1}" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("measures", "memory", "reason"),
    [
        ({"products": 2.0**29 + 1}, 2**50, "A*A takes 536870913 products, the limit is 536870912"),
        ({}, 16 * 1000, "bytes, more than half of the memory"),
    ],
)
def test_what_is_too_large_is_skipped(tmp_path, records, measures, memory, reason):
    file, out = records(**measures), tmp_path / "out.jsonl"
    record = json.loads(file.read_text())
    record["machine"]["memory_bytes"] = memory
    file.write_text(json.dumps(record) + "\n")
    done = expression(RMAT, "--records", str(file), "--tool", "scipy", "--json", str(out))
    assert done.returncode == 0, done.stderr
    (skipped,) = read(out)
    assert skipped["status"] == "skipped"
    assert reason in skipped["reason"]
    assert skipped["library"] == tools.title("scipy")


def test_flushed_caches_and_unknown_tools_are_skipped(tmp_path, records):
    out = tmp_path / "out.jsonl"
    words = [RMAT, "--records", str(records()), "--json", str(out), "--tool", "scipy,matlab"]
    done = expression(*words, "--cache", "flushed")
    assert done.returncode == 0, done.stderr
    assert [record["reason"] for record in read(out)] == [
        "it is timed warm alone: only the drivers empty all caches",
        "tool = matlab: allowed are octave, scipy",
    ]


def test_without_scipy_both_tools_are_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert {tools.missing(tool) for tool in tools.TOOLS} == {"SciPy is not installed"}
    assert catalogue.entry()["unavailable"] == "SciPy is not installed"


def test_records_of_another_matrix_are_refused(tmp_path, records):
    out = tmp_path / "out.jsonl"
    words = ["--records", str(records()), "--tool", "scipy", "--json", str(out)]
    done = expression(RMAT.replace("seed=3", "seed=4"), *words)
    assert (done.returncode, out.exists()) == (2, False)
    assert "differs from the matrix of the records" in done.stderr
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    done = expression(RMAT, "--records", str(empty))
    assert done.returncode == 2
    assert "has no measured record of serial of triangles" in done.stderr


def test_octave_is_preferred_and_stands_beside_scipy(tmp_path, records, octave):
    out = tmp_path / "out.jsonl"
    words = [RMAT, "--records", str(records()), "--json", str(out)]
    done = expression(*words, PATH=octave)
    assert done.returncode == 0, done.stderr
    assert [record["library"] for record in read(out)] == ["GNU Octave 99.1.0"]
    done = expression(*words, "--tool", "octave,scipy", PATH=octave)
    assert done.returncode == 0, done.stderr
    found = read(out)
    assert [record["parameters"]["tool"] for record in found] == ["octave", "scipy"]
    assert {record["status"] for record in found} == {"ok"}
    done = expression(*words, "--tool", "octave", PATH=os.environ["PATH"])
    if shutil.which("octave-cli") is None:
        assert read(out)[0]["reason"] == "no octave-cli on PATH"


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("1", "matrix_expression (tool=octave): wrong answer in execution 1: counted"),
        ("silent", "GNU Octave ended with status 1: error: out of memory or dimension too large"),
    ],
)
def test_octave_that_fails_leaves_no_record(tmp_path, records, octave, behaviour, message):
    out = tmp_path / "out.jsonl"
    words = [RMAT, "--records", str(records()), "--json", str(out)]
    done = expression(*words, PATH=octave, FAKE_OCTAVE=behaviour)
    assert (done.returncode, out.exists()) == (1, False)
    assert message in done.stderr


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="GNU Octave is not installed")
@pytest.mark.parametrize("name", GRAPHS)
def test_the_octave_that_is_installed(name, tmp_path):
    source, out = write_matrix(tmp_path / "g.mtx", *GRAPHS[name]), tmp_path / "out.jsonl"
    done = expression(str(source), "--tool", "octave", "--json", str(out))
    assert done.returncode == 0, done.stderr
    (record,) = read(out)
    assert record["measures"]["triangles"] == triangles(*GRAPHS[name])


def test_nobody_else_measures_meanwhile(tmp_path, records):
    lock = Path(os.environ["SPARSEREPRO_LOCK"])
    command = [sys.executable, "-m", "sparserepro", "expression", RMAT, "--tool", "scipy", *FEW]
    command += ["--records", str(records()), "--drivers", str(BIN)]
    variables = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            assert "waiting: another measurement" in process.stderr.readline()
            assert process.poll() is None
            fcntl.flock(held, fcntl.LOCK_UN)
            process.communicate(timeout=60)
            assert process.returncode == 0


def test_samples_end_as_those_of_the_drivers_do():
    settings = timing.Settings(repetitions=6, min_repetitions=3, max_repetitions=8, time_cap_s=10)

    def stop(*seconds: float) -> str:
        return timing.stop_reason(timing.Samples(kernel_s=list(seconds)), settings)

    assert stop(*[0.1] * 5) == ""
    assert stop(*[0.1] * 6) == "precision"
    assert stop(*[0.1, 0.15] * 3) == ""
    assert stop(*[0.1, 0.15] * 4) == "repetitions"
    assert stop(5, 6) == ""
    assert stop(4, 5, 6) == "time_cap"


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


def test_a_job_whose_expression_fails_has_no_records(tmp_path, octave):
    done = measure(tmp_path, job("all"), PATH=octave, FAKE_OCTAVE="2")
    assert done.returncode == 1
    assert "wrong answer in execution 1" in done.stderr
    assert "wrong answer in execution 1" in (tmp_path / "log").read_text()
    assert sorted(path.name for path in tmp_path.glob("out*")) == []


def test_the_command_that_measures_it_again(tmp_path, monkeypatch, driver_record):
    monkeypatch.chdir(tmp_path)
    own = {"algorithm": "matrix_expression", "parameters": {"strict": 0, "tool": "scipy"}}
    new = ["sparserepro", "expression", RMAT, "--records", "x.part", "--json", "y", "--seed", "2"]
    old = ["triangles", RMAT, "--algorithm", "serial,matrix_expression", "--seed", "2"]
    for argv in (new, old):
        words = again.command(driver_record | own | {"argv": argv})
        spec = driver_record["matrix"]["source"]
        assert words[:3] in (["sparserepro", "expression", s] for s in (RMAT, spec))
        assert words[3:] == ["--strict", "0", "--tool", "scipy", "--seed", "2"]
