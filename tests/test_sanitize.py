"""tests/sanitize, with a sanitizer and tests of our own in place of the real ones."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SANITIZER = """#!/usr/bin/env bash
[[ $1 == --tool && $3 == --error-exitcode && $4 == 9 ]] || exit 3
TOOL=$2 exec "${@:5}"
"""
TEST = """#!/usr/bin/env bash
[[ $SPARSEREPRO_TEST_OWN_CUDA == 1 && $1 == '[battery]' ]] || exit 4
[[ $SPARSEREPRO_TEST_ALGORITHMS == "$ALGORITHMS" ]] || exit 6
[[ $SPARSEREPRO_TEST_BRIEF == "${BRIEF:-0}" ]] || exit 5
[[ $TOOL-$SPARSEREPRO_TEST_PART == "$FAILING" ]] && exit 9
[[ $TOOL-$SPARSEREPRO_TEST_PART == "$SLOW" ]] && sleep 60
echo "All tests passed (5 assertions in 1 test case)"
"""


@pytest.fixture
def sanitize(tmp_path):
    for name, text in (("compute-sanitizer", SANITIZER), ("test_a", TEST), ("test_b", TEST)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    def run(*arguments, **environment):
        folders = ["--bin", tmp_path, "--logs", tmp_path / "logs"]
        return subprocess.run(
            [
                ROOT / "tests/sanitize",
                *folders,
                "--tests",
                "test_a,test_b",
                "--parts",
                "3",
                *arguments,
            ],
            env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"} | environment,
            capture_output=True,
            text=True,
        )

    return run


def test_every_part_under_every_tool(sanitize):
    done = sanitize()
    assert done.returncode == 0, done.stderr
    assert "racecheck test_b: 15 assertions, 0 of 3 processes failed" in done.stdout
    assert done.stdout.splitlines()[-1] == "18 processes without an error, 0 failed"


def test_an_error_is_reported(sanitize):
    done = sanitize("--tools", "memcheck,initcheck", FAILING="initcheck-1/3")
    assert done.returncode == 1
    assert "memcheck test_a: 15 assertions, 0 of 3 processes failed" in done.stdout
    assert "initcheck test_a: 10 assertions, 1 of 3 processes failed (" in done.stdout
    assert done.stdout.splitlines()[-1] == "10 processes without an error, 2 failed"


def test_a_process_that_does_not_end_has_failed(sanitize):
    done = sanitize("--tools", "racecheck", "--limit", "2", SLOW="racecheck-2/3")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "4 processes without an error, 2 failed"


def test_a_sample_of_the_parts(sanitize):
    done = sanitize("--only", "0,2", FAILING="memcheck-1/3")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "12 processes without an error, 0 failed"


def test_brief_is_handed_to_the_tests(sanitize):
    assert sanitize("--brief", BRIEF="1").returncode == 0
    assert sanitize(BRIEF="1").returncode == 1


def test_algorithms_are_handed_to_the_tests(sanitize):
    names = "cuda_partition,cuda_scantrans"
    assert sanitize("--algorithms", names, ALGORITHMS=names).returncode == 0
    assert sanitize(ALGORITHMS=names).returncode == 1


def test_a_missing_test_program_is_named(sanitize):
    done = sanitize("--tests", "test_a,test_c")
    assert done.returncode == 1
    assert "test_c is missing" in done.stderr
    assert done.stdout == ""  # and nothing has run


def test_no_parts_are_refused(sanitize):
    done = sanitize("--parts", "0")
    assert done.returncode == 1
    assert "must be a positive number, not 0" in done.stderr
