"""What a run does again and what it leaves alone.

The drivers only pretend (conftest.py).
"""

import json
import re
import shutil

import pytest

from sparserepro.build.facts import driver_sources, what_counts
from sparserepro.data import digests
from sparserepro.data.loading import load
from test_workflow import COLLECTED, CONFIG, NOTHING, ROOT, append, measured, replace, resolved, run

EVERYTHING = ["primitives", "spmm 1", "spmm 4", "transpose"]


def test_texts_measure_nothing(measured_once):
    for name in ("run/measure.py", "build/facts.py"):
        append(measured_once.path / "python/sparserepro" / name, "# More.\n")
    for name in ("CMakeLists.txt", "drivers/CMakeLists.txt", "cmake/options.cmake"):
        append(measured_once.path / name, "\n# More.\n")
    append(measured_once.path / "CMakePresets.json", "\n\n")
    assert run(measured_once, CONFIG) == []

    matrices = measured_once.path / "config/matrices.yaml"
    text = re.sub(r"( uniform-small: \{class: )uniform,", r"\1banded,", matrices.read_text())
    assert text != matrices.read_text()
    matrices.write_text(text)
    done = measured_once.snakemake(COLLECTED, "--configfile", "test.yaml")
    assert NOTHING in done.stdout + done.stderr

    moved = measured_once.path.with_name("moved")
    measured_once.path.rename(moved)
    measured_once.path = moved
    done = measured_once.snakemake(COLLECTED, "--configfile", "test.yaml")
    assert NOTHING in done.stdout + done.stderr
    assert measured_once.calls() == []


def test_code_of_the_build_and_format_of_the_records_count(measured_once):
    rules = measured_once.path / "workflow/rules/measure.smk"
    replace(rules, "RECORD_FORMAT = 1\n", "RECORD_FORMAT = 1000\n")
    assert run(measured_once, CONFIG) == EVERYTHING
    replace(measured_once.path / "CMakePresets.json", '"Release"', '"RelWithDebInfo"')
    assert run(measured_once, CONFIG) == EVERYTHING


def test_cuda_as_the_build_tree_has_it_measures_nothing(measured_once):
    cache = measured_once.path / "build/CMakeCache.txt"
    cache.write_text("SPARSEREPRO_CUDA:BOOL=OFF\n")
    assert run(measured_once, CONFIG | {"cuda": False}) == EVERYTHING
    cache.write_text("SPARSEREPRO_CUDA:BOOL=OFF\n")
    assert run(measured_once, CONFIG) == []
    assert run(measured_once, CONFIG | {"cuda": False}) == []


def test_what_cannot_change_a_binary_is_left_out(tmp_path):
    def counts(text: str, name: str = "CMakeLists.txt") -> bytes:
        path = tmp_path / name
        path.write_text(text)
        return what_counts(path)

    code = 'set(a "b  # c" [[d # e]] f)\nset(g h)\n'
    noisy = '# x\n\nset(a  "b  # c" [[d # e]] # y " [[\n  f)\n#[=[ z\n]] ]=]\nset(g h)'
    assert counts(code) == counts(noisy)
    for old, new in (("b  # c", "b # c"), ("d # e", "d # i"), ("g h", "gh"), ("f)", '\\"f)')):
        assert counts(code) != counts(code.replace(old, new))
    assert counts('{"a": [1]}', "a.json") == counts('{\n "a":[1]\n}\n', "a.json")
    assert counts("// a", "a.cpp") != counts("// b", "a.cpp")


@pytest.mark.parametrize("driver", ["primitives", "transpose", "convert", "spmm", "triangles"])
def test_every_file_that_a_driver_includes_counts(driver):
    sources = driver_sources(ROOT, driver)
    included = {n for s in sources for n in re.findall(r'^#include "(\S+)"', s.read_text(), re.M)}
    known = {s.relative_to(ROOT / s.relative_to(ROOT).parts[0]).as_posix() for s in sources}
    assert included - known <= {"revision.hpp"}  # of the commit, which does not count


def test_matrices_that_are_resolved_again_and_are_the_same(measured_once):
    folder = measured_once.path / "python/sparserepro/fetch"
    for name in ("resolve", "matrix_file", "download"):
        append(folder / f"{name}.py", "# More.\n")
        done = measured_once.snakemake(COLLECTED, "--configfile", "test.yaml")
        assert done.returncode == 0, done.stderr
        calls = measured_once.calls()
        assert (resolved(calls), measured(calls)) == (1, [])

    replace(folder / "resolve.py", '{"path": None}', '{"new": 1, "path": None}')
    assert run(measured_once, CONFIG) == ["spmm 1", "spmm 4", "transpose"]


def test_changes_of_several_kinds_in_one_run(measured_once):
    append(measured_once.path / "python/sparserepro/fetch/download.py", "# More.\n")
    append(measured_once.path / "kernels/transpose/papers/serial.cpp", "\n// One more line.\n")
    problems = CONFIG["problems"] | {"spmm": {"instances": {"k": [1, 4]}, "algorithms": ["serial"]}}
    assert run(measured_once, CONFIG | {"problems": problems}) == ["spmm 1", "spmm 4", "transpose"]
    assert run(measured_once, CONFIG | {"problems": problems}) == []


def test_checksum_that_is_added_confirms_the_file(pretended, tmp_path):
    staging = tmp_path / "staging"
    staging.mkdir()
    file = staging / "olm1000.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n2 2 0\n")
    matrices = pretended.path / "config/matrices.yaml"

    matrices.with_suffix(".lock").unlink()

    def list_with(more: str) -> None:
        entry = f"  olm1000: {{class: banded, group: Bai{more}}}"
        matrices.write_text(re.sub(r"  olm1000: .*", entry, matrices.read_text()))

    list_with("")
    config = CONFIG | {
        "matrices": ["olm1000"],
        "problems": {"transpose": {}},
        "staging": [str(staging)],
    }
    assert run(pretended, config) == ["transpose"]
    description = pretended.path / "results/shared/matrices/olm1000.json"
    right = json.loads(description.read_text())["sha256"]

    list_with(f', sha256: "{right}"')
    done = pretended.snakemake(COLLECTED, "--configfile", "test.yaml")
    assert NOTHING in done.stdout + done.stderr
    list_with(f', sha256: "{"0" * 64}"')
    done = pretended.snakemake(COLLECTED, "--configfile", "test.yaml")
    assert "expected 000000000000" in json.loads(description.read_text())["unavailable"]
    list_with(f', sha256: "{right}"')
    assert run(pretended, config) == ["transpose"]


def test_records_that_are_gone_are_measured_again_though_all_is_made_of_them(measured_once):
    results = measured_once.path / "results/test"
    (record,) = (results / "records/transpose").rglob("*.jsonl")
    for name in ("cells.csv", "cells.parquet"):
        (results / name).write_text("")
    arguments = ["results/test/cells.parquet", "--configfile", "test.yaml", "--until", "collect"]
    done = measured_once.snakemake(*arguments)
    assert NOTHING in done.stdout + done.stderr

    record.unlink()
    done = measured_once.snakemake(*arguments, "--dry-run")
    assert "measure" in done.stdout + done.stderr
    assert not record.exists()
    done = measured_once.snakemake(*arguments)
    assert done.returncode == 0, done.stderr
    assert measured(measured_once.calls()) == ["transpose"]
    digests.check_beside([record])
    done = measured_once.snakemake(*arguments)
    assert NOTHING in done.stdout + done.stderr

    measured_once.calls()
    shutil.rmtree(results / "records/transpose")
    done = measured_once.snakemake(*arguments)
    assert done.returncode == 0, done.stderr
    assert measured(measured_once.calls()) == ["transpose"]
    digests.check_beside([record])


def test_executables_that_are_gone_are_built_when_needed(measured_once):
    shutil.rmtree(measured_once.path / "build")
    done = measured_once.snakemake(COLLECTED, "--configfile", "test.yaml")
    assert NOTHING in done.stdout + done.stderr
    assert measured_once.calls() == []

    problems = CONFIG["problems"] | {"spmm": {"instances": {"k": [1, 4, 16]}}}
    name = measured_once.write_config(**(CONFIG | {"problems": problems}))
    done = measured_once.snakemake(COLLECTED, "--configfile", name)
    assert done.returncode == 0, done.stderr
    calls = measured_once.calls()
    assert next(call for call in calls if "--target" in call).endswith("--target spmm")
    assert measured(calls) == ["spmm 16"]


def test_the_report_takes_classes_from_the_list(tmp_path):
    (tmp_path / "records.jsonl").write_text("")
    matrices = [tmp_path / "cant.json", tmp_path / "mine.json"]
    for path in matrices:
        facts = {"name": path.stem, "class": "road", "unavailable": "not staged"}
        path.write_text(json.dumps(facts))
    report = load(tmp_path / "records.jsonl", matrices, [])
    assert [report.matrix_class(name) for name in ("cant", "mine")] == ["fem", "road"]
