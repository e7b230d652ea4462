"""The command that measures the cell of a record again."""

import json

import pytest

import driver_runs
import hand_made
from sparserepro import again
from sparserepro.records import identity


def record(argv, source="m.mtx.gz", origin="file", **parameters):
    made = hand_made.record("spmm", "omp_csr", [1.0] * 12, argv=["spmm", *argv])
    made["parameters"] = parameters
    made["matrix"] |= {"source": source, "origin": origin}
    return made


def command(*argv, **more):
    return " ".join(again.command(record(list(argv), **more)))


def test_only_this_cell_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = command(
        "/elsewhere/m.mtx.gz", "--matrix-name", "m", "--algorithm", "serial_csr,omp_csr",
        "--k", "1,8", "--threads", "1,2", "--block-size", "32,64", "--time-cap", "0.5",
        "--seed", "3", "--repeat", "2", "--machine-id", "box", "--quiet", "--json", "x.jsonl",
        k=8, threads=2, offset_bits=32,
    )  # fmt: skip
    assert text == (
        "build/bin/spmm m.mtx.gz --algorithm omp_csr --k 8 --threads 2 --offset-bits 32 "
        "--matrix-name m --time-cap 0.5 --seed 3"
    )


def test_command_lines_by_hand_are_read_as_the_drivers_do():
    spec = "mesh:width=3,height=3"
    text = command("-q", spec, "--k=1", "8", "-r", "30", "-a", "omp_csr", "serial_csr",
                   "--cache=flushed", source=spec, origin="generated", k=8)  # fmt: skip
    assert text == (
        f"build/bin/spmm {spec} --algorithm omp_csr --k 8 --repetitions 30 --cache flushed"
    )
    text = command("10", "20", "30", "--k", "8", source=spec, origin="generated", k=8)
    assert text == "build/bin/spmm 10 20 30 --algorithm omp_csr --k 8"


def test_a_value_has_its_name_of_today():
    made = record(["mesh:width=3,height=3"], source="mesh:width=3,height=3", origin="generated")
    made |= {"problem": "triangles", "algorithm": "cuda_adaptive"}
    made["parameters"] = {"path": "by_survey", "per_vertex": 0}
    before = identity(made)
    assert " ".join(again.command(made)).endswith("cuda_adaptive --path auto --per-vertex 0")
    assert identity(made) == before


@pytest.mark.parametrize(
    ("older", "today"),
    [
        ("auto", "auto"),
        ("one", "one_level"),
        ("two", "two_levels"),
        ("either", "by_locality"),
    ],
)
def test_a_parameter_has_its_name_of_today(older, today):
    made = record(["mesh:width=3,height=3"], source="mesh:width=3,height=3", origin="generated")
    made |= {"problem": "transpose", "algorithm": "cuda_partition"}
    made["parameters"] = {"levels": older, "tile": "auto"}
    assert " ".join(again.command(made)).endswith(f"cuda_partition --path {today} --tile auto")


def test_a_file_is_named_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = record(["/elsewhere/m.mtx.gz"])
    assert again.matrix_file(made) == "m.mtx.gz"
    downloaded = tmp_path / "resources/matrices/m.mtx.gz"
    downloaded.parent.mkdir(parents=True)
    downloaded.write_text("")
    assert again.matrix_file(made) == "resources/matrices/m.mtx.gz"
    described = tmp_path / "results/shared/matrices/m.json"
    described.parent.mkdir(parents=True)
    described.write_text(json.dumps({"path": str(tmp_path / "staged/m.mtx.gz")}))
    assert again.matrix_file(made) == "staged/m.mtx.gz"
    described.write_text(json.dumps({"path": "/data/m.mtx.gz"}))
    assert again.matrix_file(made) == "/data/m.mtx.gz"


@pytest.mark.usefixtures("own_lock")
@pytest.mark.parametrize("problem", driver_runs.PROBLEMS)
def test_the_command_measures_one_cell_the_same(problem):
    options = [*driver_runs.FEW_SAMPLES, "--quiet", "--json", "-"]
    done = driver_runs.run(problem, *driver_runs.SMALL_INSTANCE[problem], *options)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    measured = [r for r in lines if r["status"] == "ok"]
    assert len(measured) > 1
    for first in measured[:: max(1, len(measured) // 5)]:
        words = again.command(first)
        assert words[0] == f"build/bin/{problem}"
        done = driver_runs.run(problem, *words[1:], "--quiet", "--json", "-")
        assert done.returncode == 0, done.stderr
        (second,) = [json.loads(line) for line in done.stdout.splitlines()]
        for name in ("algorithm", "parameters", "matrix"):
            assert second[name] == first[name]
        for name in ("cache", "warmup", "seed"):
            assert second["timing"][name] == first["timing"][name]
