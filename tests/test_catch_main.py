"""tests/main.cpp: the exit code of a test program tells failed, skipped and absent cases apart."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VERSION_3 = "#if !__has_include(<catch2/catch_all.hpp>)\n#error\n#endif\n"
CASES = """
#include "support/catch.hpp"
#include <stdexcept>
TEST_CASE("passes") { CHECK(true); }
TEST_CASE("fails once") { CHECK(false); }
TEST_CASE("fails twice") { for (int i = 0; i < 2; ++i) CHECK(i < 0); }
TEST_CASE("fails four times") { for (int i = 0; i < 4; ++i) CHECK(i < 0); }
TEST_CASE("fails 256 times") { for (int i = 0; i < 256; ++i) CHECK(i < 0); }
TEST_CASE("throws") { throw std::runtime_error("what"); }
TEST_CASE("skips") { SKIP("a reason"); }
TEST_CASE("skips too") { SKIP("another"); }
TEST_CASE("fails, then skips") { CHECK(false); SKIP("a reason"); }
"""
CODES = {
    ("passes",): 0,
    ("fails once",): 1,
    ("fails twice",): 1,
    ("fails four times",): 1,
    ("fails 256 times",): 1,
    ("throws",): 1,
    ("skips",): 4,
    ("skips*",): 4,
    ("passes,skips",): 0,
    ("fails once,skips",): 1,
    ("fails\\, then skips",): 1,
    ("*four*", "--abortx", "4"): 1,
    ("no such case",): 2,
    (): 1,
    ("--list-reporters",): None,
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catch")
    (folder / "cases.cpp").write_text(CASES)
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", f"-I{ROOT / 'tests'}"]
    probe = subprocess.run(
        [*compiler, "-fsyntax-only", "-x", "c++", "-"],
        input=VERSION_3,
        capture_output=True,
        text=True,
    )
    version = ["-DSPARSEREPRO_CATCH2_V3"] if probe.returncode == 0 else []
    sources = [ROOT / "tests/main.cpp", folder / "cases.cpp"]
    libraries = ["-lCatch2"] if version else []
    subprocess.run(
        [*compiler, *version, *sources, "-o", folder / "cases", *libraries],
        check=True,
    )
    return folder / "cases"


@pytest.mark.parametrize("arguments", CODES, ids=" ".join)
def test_exit_codes(program, arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if CODES[arguments] is None:  # it lists, and runs nothing
        assert "console" in done.stdout and "passed" not in done.stdout
    else:
        assert done.returncode == CODES[arguments], done.stdout


def test_ctest_counts_four_failed_assertions_as_a_failure(program, tmp_path):
    """As catch_discover_tests has it: each case by itself, with SKIP_RETURN_CODE 4."""
    cases = {"one": "passes", "two": "fails four times", "three": "skips"}
    (tmp_path / "CTestTestfile.cmake").write_text(
        "".join(
            f'add_test({name} "{program}" "{case}")\n'
            f"set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 4)\n"
            for name, case in cases.items()
        )
    )
    done = subprocess.run(["ctest"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "67% tests passed, 1 tests failed out of 3" in done.stdout
    assert "two (Failed)" in done.stdout and "three (Skipped)" in done.stdout


def test_names_of_cases_reach_ctest_whole():
    """catch_discover_tests makes two tests of a name with a semicolon, and neither runs a case."""
    tests = sorted((ROOT / "tests").glob("test_*.c*"))
    cases = [
        "".join(re.findall(r'"([^"]*)"', name))
        for path in tests
        for name in re.findall(r'TEST_CASE\w*\(\s*((?:"[^"]*"\s*)+)', path.read_text())
    ]
    assert len(cases) > 400
    assert [case for case in cases if re.search(r"[;*\\]", case)] == []
