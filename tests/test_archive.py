"""Rules of entry into report/measurements/."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparserepro.data import archive, collect, sets
from sparserepro.fetch import wanted
from sparserepro.paths import SCHEMAS
from sparserepro.schemas import validator_of

ROOT = Path(__file__).resolve().parent.parent


def record(**changes):
    made = {
        "problem": "spmm",
        "algorithm": "omp_csr",
        "backend": "omp",
        "peer": False,
        "matrix": {"name": "cant", "origin": "file"},
        "status": "ok",
        "check": {"verified_after": True},
        "timing": {"kernel_s": [1e-3] * 12},
        "machine": {"id": "box", "gpu": None, "last_level_cache_bytes": 1_000_000},
        "model": {"bytes": 4_000_000},
        "copy_bytes_per_s": 4e9,
        "build": {
            "commit": "a" * 40,
            "dirty": False,
            "instruction_sets": {"own": "avx512", "peers": "avx512"},
        },
    }
    for path, value in changes.items():
        *above, last = path.split("__")
        place = made
        for key in above:
            place = place[key]
        place[last] = value
    return made


def test_a_record_that_keeps_the_rules_enters():
    skipped = record(status="skipped", check=None, timing=None)
    cuda = record(backend="cuda", build__instruction_sets=None)
    cached = record(timing__kernel_s=[0.81e-3] * 12)  # the cache may hold a quarter of the traffic
    assert archive.refusals([record(), skipped, cuda, cached]) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"build__dirty": True}, "not committed"),
        ({"status": "skipped", "build__dirty": True}, "not committed"),
        ({"timing__kernel_s": [1e-3] * 9}, "fewer than 10 samples"),
        ({"check__verified_after": False}, "not verified after"),
        ({"peer": True, "build__instruction_sets__peers": "avx2"}, "narrower vectors"),
        ({"timing__kernel_s": [0.79e-3] * 12}, "faster than its lower bound"),
        ({"machine__id": "other-box"}, "several machines: box, other-box"),
        ({"build__commit": "b" * 40}, "several commits: aaaaaaaaaa, bbbbbbbbbb"),
    ],
)
def test_a_broken_rule_is_named(changes, words):
    (line,) = archive.refusals([record(), record(**changes)])
    assert words in line


def test_each_rule_is_one_line_with_its_first_cell():
    short = record(timing__kernel_s=[1e-3], algorithm="omp_other")
    (line,) = archive.refusals([record(), short, record(timing__kernel_s=[1e-3])])
    assert line.startswith("2 records: ")
    assert "first spmm of cant by omp_other" in line


def test_the_sets_that_are_kept_keep_the_rules():
    folders = [path for path in (ROOT / "report/measurements").iterdir() if path.is_dir()]
    assert folders
    for folder in folders:
        files = sorted(folder.glob("*.jsonl"))
        assert collect.read_archived(files, validator_of(SCHEMAS / "record.schema.json"))


FOLDERS = sets.chosen(ROOT / "report/measurements", "all")
# Settings that a set may leave out, and why.
LEFT_OUT = {
    ("cusparse_csr", "layout"): "with many columns of X the library never won with X in columns",
    ("cusparse_bsr", "block_edge"): "larger blocks store more than twice the values",
    ("cusparse_csr2csc", "alg"): "alg1 is the default by another name",
    ("cusparse_spmat_convert", "target"): "the configuration asks for it since these were made",
    ("cusparse_spgemm", "form"): "(LL) o L takes the least time",
    ("cusparse_spgemm", "alg"): "of those with enough memory",
}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_library_stands_with_all_of_its_settings(folder):
    offered = {}
    for path in folder.glob("catalogue/*.json"):
        for algorithm in json.loads(path.read_text())["algorithms"]:
            if algorithm["peer"]:
                offered[algorithm["name"]] = {
                    p["name"]: set(p["allowed"]) for p in algorithm["parameters"] if p["allowed"]
                }
    tried = {}
    for path in folder.glob("*.jsonl"):
        for found in map(json.loads, path.read_text().splitlines()):
            if found["algorithm"] in offered and found["run"]["repeat"] == 0:
                names = offered[found["algorithm"]]
                instance = {k: v for k, v in found["parameters"].items() if k not in names}
                row = (found["algorithm"], found["matrix"]["name"], json.dumps(instance))
                for name in names:
                    values = tried.setdefault((*row, name), set())
                    values.add(found["parameters"].get(name))
    assert tried
    lacking = {
        key: offered[key[0]][key[-1]] - values
        for key, values in tried.items()
        if offered[key[0]][key[-1]] - values and (key[0], key[-1]) not in LEFT_OUT
    }
    assert not lacking


def archived(tmp_path, records, without=()):
    (tmp_path / "in/spmm").mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(r) + "\n" for r in records)
    (tmp_path / "in/spmm/one.jsonl").write_text(lines)
    (tmp_path / "any.json").write_text("{}")
    for kind, names in (
        ("catalogue", ("spmm", "transpose", "triangles")),
        ("matrices", ("cant", "unused")),
    ):
        (tmp_path / "in" / kind).mkdir(exist_ok=True)
        for name in names:
            facts = {"name": name, "path": "/somewhere/cant.mtx"}
            (tmp_path / "in" / kind / f"{name}.json").write_text(json.dumps(facts))
    for lost in without:
        (tmp_path / "in" / lost).unlink()
    arguments = ["in", "--output", "out", "--schema", "any.json"]
    return subprocess.run(
        [sys.executable, "-m", "sparserepro.data.archive", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
    )


def test_records_of_another_commit_do_not_stay_beside_new_ones(tmp_path):
    assert archived(tmp_path, [record(), record(problem="transpose")]).returncode == 0
    before = (tmp_path / "out/spmm.jsonl").read_text()

    later = record(build__commit="b" * 40)
    done = archived(tmp_path, [later])
    assert done.returncode == 1
    assert "with transpose.jsonl, which would stay in out, of several commits" in done.stderr
    assert (tmp_path / "out/spmm.jsonl").read_text() == before

    # A whole set replaces another; a problem of the same commit joins the others.
    assert archived(tmp_path, [later, later | {"problem": "transpose"}]).returncode == 0
    assert archived(tmp_path, [later | {"problem": "triangles"}]).returncode == 0
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == 3


def test_one_file_for_each_problem(tmp_path):
    done = archived(tmp_path, [record(), record(problem="transpose"), record()])
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "out/spmm.jsonl").read_text().splitlines()) == 2
    assert json.loads((tmp_path / "out/transpose.jsonl").read_text())["problem"] == "transpose"


def test_a_set_has_the_catalogues_and_the_facts_of_what_it_holds(tmp_path):
    done = archived(tmp_path, [record(), record(matrix={"name": "random", "origin": "array"})])
    assert done.returncode == 0, done.stderr
    files = sorted(str(p.relative_to(tmp_path / "out")) for p in tmp_path.glob("out/*/*.json"))
    assert files == ["catalogue/spmm.json", "matrices/cant.json"]
    assert "somewhere" not in (tmp_path / "out/matrices/cant.json").read_text()


@pytest.mark.parametrize(
    ("lost", "words"),
    [("catalogue/spmm.json", "no catalogue of: spmm"), ("matrices/cant.json", "no facts of: cant")],
)
def test_a_set_without_them_is_refused(tmp_path, lost, words):
    done = archived(tmp_path, [record()], without=[lost])
    assert done.returncode == 1
    assert words in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("records", [[], [record(build__dirty=True)]])
def test_nothing_is_written_of_what_may_not_enter(tmp_path, records):
    done = archived(tmp_path, records)
    assert done.returncode == 1
    assert done.stderr.startswith("Not archived:")
    assert not (tmp_path / "out").exists()


CONFIGS = sorted(path for path in (ROOT / "config").glob("*.yaml") if path.name != "matrices.yaml")


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.name)
def test_no_time_cap_ends_a_cell_before_it_has_the_samples_of_the_archive(config):
    for job in wanted.planned(config, cores=2, seed=1 if config.stem == "unseen" else None).jobs:
        assert job.timing.get("min_repetitions", 10) >= archive.FEWEST_ARCHIVED
        assert job.timing.get("repetitions", 25) >= archive.FEWEST_ARCHIVED
