"""Runs with names of their own, in folders of their own, and what the plan says of a change."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from sparserepro.build import drivers as build_drivers
from sparserepro.build.facts import OPTIONS, cmake_cache
from sparserepro.config.check import ConfigError, check_config
from sparserepro.config.grid import Job
from sparserepro.run import plan
from test_workflow import CONFIG, NOTHING, ROOT, append, measured

FIRST = CONFIG | {"name": "first"}
SECOND = CONFIG | {
    "name": "second",
    "timing": {"repetitions": 30},
    "problems": {"transpose": {}, "spmm": {"instances": {"k": [1, 2]}}},
}


def go(workdir, config: dict, *arguments: str, target: str = "") -> subprocess.CompletedProcess:
    file = workdir.write_config(f"{config['name']}-file.yaml", **config)
    target = target or f"results/{config['name']}/collected/records.jsonl"
    done = workdir.snakemake(target, "--configfile", file, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_going_back_and_forth_measures_nothing_twice(pretended):
    go(pretended, FIRST)
    assert measured(pretended.calls()) == ["primitives", "spmm 1", "spmm 4", "transpose"]
    go(pretended, SECOND)
    calls = pretended.calls()
    assert measured(calls) == ["spmm 1", "spmm 2", "transpose"]
    assert [c for c in calls if c.startswith(("cmake", "matrix_info")) or "--list" in c] == []
    for config in (FIRST, SECOND, FIRST):
        done = go(pretended, config)
        assert NOTHING in done.stdout + done.stderr
        assert pretended.calls() == []
    results = pretended.path / "results"
    assert sorted(path.name for path in results.iterdir()) == ["first", "second", "shared"]

    # A change of the sources is one for both, and built once.
    append(pretended.path / "kernels/transpose/papers/serial.cpp", "\n// One more line.\n")
    go(pretended, FIRST)
    assert measured(pretended.calls()) == ["transpose"]
    go(pretended, SECOND)
    calls = pretended.calls()
    assert measured(calls) == ["transpose"]
    assert not any(call.startswith("cmake") for call in calls)


def test_a_run_is_named_after_its_file_or_by_itself():
    config = {"problems": {"transpose": {}}}
    assert check_config(config, "config/smoke.yaml")["name"] == "smoke"
    assert check_config(config, "smoke.yaml", "more/mine.2.yaml")["name"] == "mine.2"
    assert check_config(config | {"name": "mine"}, "config/smoke.yaml")["name"] == "mine"
    assert check_config(config | {"name": 2}, "config/smoke.yaml")["name"] == "2"
    with pytest.raises(ConfigError, match='"my file" cannot name the run'):
        check_config(config, "my file.yaml")
    for name in ("shared", "../up", ".hidden", "a/b", ""):
        with pytest.raises(ConfigError, match="name is "):
            check_config(config | {"name": name}, "config/smoke.yaml")


def test_another_directory_holds_everything_that_is_made(pretended, tmp_path):
    there = tmp_path / "elsewhere"
    there.mkdir()
    name = pretended.write_config(**FIRST)
    before = {path for path in pretended.path.rglob("*") if "__pycache__" not in path.parts}
    arguments = ["--directory", str(there), "--configfile", name]
    done = pretended.snakemake("results/first/collected/records.jsonl", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    calls = (there / "calls.log").read_text().splitlines()
    assert measured(calls) == ["primitives", "spmm 1", "spmm 4", "transpose"]
    (configured,) = (call for call in calls if call.startswith("cmake --preset"))
    assert f"-S {pretended.path} -B build" in configured
    assert (there / "build/bin/spmm").exists()
    after = {path for path in pretended.path.rglob("*") if "__pycache__" not in path.parts}
    assert before == after
    done = pretended.snakemake("results/first/collected/records.jsonl", *arguments)
    assert NOTHING in done.stdout + done.stderr


def test_the_plan_names_what_has_records_by_other_settings(pretended):
    go(pretended, FIRST)
    problems = FIRST["problems"] | {"spmm": {"instances": {"k": [1, 4]}, "algorithms": ["serial"]}}
    said = go(pretended, FIRST | {"problems": problems}, "-n").stderr
    assert "2 jobs have records by other settings and are measured again, each with all" in said
    assert "    spmm, 2 jobs: algorithm all -> serial\n" in said
    assert "since these are compared with one another" in said
    assert "records by other settings" not in go(pretended, FIRST, "-n").stderr


def test_what_a_change_of_settings_is_called():
    assert plan.difference("algorithm", "a,b", "a,b,c") == "algorithm +c"
    assert plan.difference("threads", "1,2", "1,4") == "threads +4 -2"
    assert plan.difference("algorithm", "b,a", "a,b") == "algorithm in another order"
    assert plan.difference("repetitions", "15", "30") == "repetitions 15 -> 30"
    assert plan.difference("part", None, "x") == "part none -> x"


def test_options_of_cuda_algorithms_count_where_the_build_has_some(tmp_path):
    job = Job("spmm", "m", {"k": 1}, ("all",), cuda_parameters={"block_size": [32]})
    records = tmp_path / "default.jsonl"
    argv = ["build/bin/spmm", "m.mtx", "--matrix-name", "m", *job.driver_options(), "--json", "x"]
    records.write_text(json.dumps({"argv": argv, "timing": None}) + "\n")
    kinds = [{"backend": "cuda", "parameters": [{"name": "block_size"}]}]
    assert plan.changed(job, {"algorithms": []}, records) == ""
    assert plan.changed(job, {"algorithms": kinds}, records) == "block-size none -> 32"
    records.write_text("")  # the matrix was unavailable
    assert plan.changed(job, {"algorithms": kinds}, records) == ""


def test_the_plan_says_why_a_driver_is_built_again(pretended):
    go(pretended, FIRST)
    append(pretended.path / "kernels/transpose/papers/serial.cpp", "\n// One more line.\n")
    said = go(pretended, FIRST, "-n").stderr
    assert "\n  transpose: its sources changed, and all its jobs are measured again\n" in said
    pretended.environment["CXXFLAGS"] = "-O1"
    said = go(pretended, FIRST, "-n").stderr
    assert "\n  spmm: CMAKE_CXX_FLAGS: none -> -O1, and all its jobs are measured again\n" in said


@pytest.mark.slow
def test_a_build_tree_that_was_moved_is_configured_anew(tmp_path, monkeypatch):
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\n"
    )
    old, new = tmp_path / "old", tmp_path / "new"
    options = ["-DSPARSEREPRO_MARCH=x86-64-v3", "-DSPARSEREPRO_IGRAPH=OFF"]
    make = ["cmake", "-S", source, "-B", old, *options]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    monkeypatch.setattr(build_drivers, "ROOT", source)
    assert build_drivers.moved(old) == []
    assert build_drivers.moved(new) == []
    old.rename(new)
    anew = build_drivers.moved(new)
    assert anew[0] == "--fresh"
    make = ["cmake", "-S", source, "-B", new, *anew]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cache = cmake_cache(new)
    assert cache["SPARSEREPRO_MARCH"] == "x86-64-v3"
    assert cache["SPARSEREPRO_IGRAPH"] == "OFF"
    assert Path(cache["CMAKE_CACHEFILE_DIR"]) == new


def test_every_option_that_changes_a_driver_is_a_fact_of_the_build():
    files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")]
    declared = re.findall(r"^option\((\w+)", "\n".join(file.read_text() for file in files), re.M)
    others = {"WERROR", "DRIVERS", "TESTS", "PYTHON"}  # they choose what is built
    assert set(declared) - {f"SPARSEREPRO_{name}" for name in others} <= set(OPTIONS)
    assert len(declared) > 10
