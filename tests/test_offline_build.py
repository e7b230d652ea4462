"""The command `./measure` of a bundle: what it needs of the machine, and how it builds."""

import ast
import sys
from pathlib import Path

import pytest

from sparserepro import imports
from sparserepro.offline import build, runner
from sparserepro.offline.errors import MeasureError

OFFLINE = Path(runner.__file__).parent


def test_options_reach_the_build_once(other):
    def configured():
        lines = (other.path / "calls.log").read_text().splitlines()
        return [line for line in lines if line.startswith("cmake -S")]

    one = ["--matrix", "fem-small"]
    assert other.measure(*one, "--cmake=-DSPARSEREPRO_CUDA=OFF").returncode == 0
    assert other.measure(*one).returncode == 0
    assert other.measure(*one, "--cmake=-DSPARSEREPRO_CUDA=OFF").returncode == 0
    (line,) = configured()
    assert line.endswith("-DSPARSEREPRO_TESTS=OFF -DSPARSEREPRO_CUDA=OFF")
    assert other.measure(*one, "--cmake=-DSPARSEREPRO_CUDA=ON").returncode == 0
    assert len(configured()) == 2


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ({}, "cmake is not on PATH"),
        ({"cmake": "3.18.4"}, "cmake version 3.18.4 is too old"),
        ({"cmake": "3.25.1"}, "no C++ compiler is on PATH"),
        ({"cmake": "4.0.0", "g++": ""}, "neither ninja nor make"),
    ],
)
def test_missing_tools_are_named(tmp_path, monkeypatch, tools, words):
    for name, version in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho cmake version {version}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(MeasureError, match=words.replace("+", r"\+")):
        build.check_tools()


def test_a_build_that_fails_shows_its_end(other):
    (other.path / "programs/cmake").write_text(
        "#!/bin/sh\necho cmake version 3.25.1\ncase $1 in -S) echo no zlib; exit 1;; esac\n"
    )
    done = other.measure()
    assert done.returncode == 1
    assert "cmake -S failed with exit code 1; " in done.stderr
    assert "  no zlib" in done.stderr


def test_drivers_that_are_not_built_are_named(other):
    done = other.measure("--build", "elsewhere", "--only", "transpose", "--no-build")
    assert done.returncode == 1
    assert done.stderr == (
        "measure: elsewhere/bin lacks transpose, matrix_info, needed for the jobs and to describe "
        "records of earlier calls; leave out --no-build, or name another build tree by --build\n"
    )
    assert "[1 of " not in done.stdout


def test_a_driver_that_only_earlier_records_need_is_named_before_anything_runs(other):
    assert other.measure("--only", "spmm", "--machine-id", "box").returncode == 0
    (other.bundle / "records").rename(other.bundle / "earlier")
    (other.bundle / "build/bin/spmm").unlink()
    real = (other.path / "driver").read_text()
    other.driver("transpose", real)
    other.calls()
    line = ["--only", "transpose", "--no-build", "--done", str(other.bundle / "earlier")]
    done = other.measure(*line)
    assert done.returncode == 1
    assert "build/bin lacks spmm, needed for" in done.stderr
    assert other.calls() == []
    other.driver("spmm", real)
    done = other.measure(*line)
    assert done.returncode == 0, done.stderr


def test_all_of_it_runs_on_python_3_9():
    for path in OFFLINE.glob("*.py"):
        tree = ast.parse(path.read_text(), feature_version=(3, 9))
        for name in imports.imported(path.read_text()) - {"sparserepro"}:
            known = name.split(".")[0] in sys.stdlib_module_names
            assert known or name.startswith("sparserepro.offline"), f"{path.name}: {name}"
        annotated = any(isinstance(node, ast.AnnAssign | ast.arg) for node in ast.walk(tree))
        assert not annotated or "annotations" in path.read_text(), path.name
