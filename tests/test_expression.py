"""The matrix expression of the triangles problem: counts, refusals and records. GNU Octave is a
stand-in (support/fake_octave.py) where it is not installed."""

import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from driver_runs import BIN, run
from expression_runs import FEW, RMAT, expression, path_with_octave, read, record_of_driver
from sparserepro.run.expression import catalogue, timing, tools

pytestmark = pytest.mark.usefixtures("own_lock")

ROOT = Path(__file__).resolve().parent.parent
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


@pytest.fixture(scope="module")
def driver_record(tmp_path_factory) -> dict:
    return record_of_driver(tmp_path_factory.mktemp("driver"))


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
    return path_with_octave(tmp_path)


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


@pytest.mark.parametrize(
    ("output", "with_records"),
    [("records.jsonl", True), ("link.jsonl", True), ("graph.mtx", True), ("graph.mtx", False)],
)
def test_what_is_read_is_not_overwritten(output, with_records, records, tmp_path):
    source, file = write_matrix(tmp_path / "graph.mtx", *GRAPHS["complete"]), records()
    texts = [path.read_text() for path in (source, file)]
    (tmp_path / "link.jsonl").symlink_to("records.jsonl")
    given = ["--records", str(file)] if with_records else []
    done = expression(str(source), *given, "--tool", "scipy", "--json", str(tmp_path / output))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert f"cannot write {tmp_path / output}: it is " in done.stderr
    assert [path.read_text() for path in (source, file)] == texts


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
