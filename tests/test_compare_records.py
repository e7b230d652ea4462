"""`sparserepro compare` refuses broken records, and names that no record has, in a line."""

import math

import pytest

from compared_cells import record


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("timing__kernel_s", [0.0] * 10, "timing.kernel_s"),
        ("timing__kernel_s", [-1.0] * 10, "timing.kernel_s"),
        ("timing__kernel_s", [math.nan] * 10, "timing.kernel_s"),
        ("timing__kernel_s", [1.0, 10**400], "timing.kernel_s"),
        ("timing__kernel_s", [True] * 10, "timing.kernel_s"),
        ("timing__kernel_s", [], "timing.kernel_s"),
        ("timing__kernel_s", "abc", "timing.kernel_s"),
        ("timing__preprocess_s", [-1.0], "timing.preprocess_s"),
        ("timing__cache", "cold", "timing.cache"),
        ("timing", None, "timing"),
        ("timing", {}, "timing.cache is missing"),
        ("matrix", None, "matrix"),
        ("matrix__rows", "ten", "matrix.rows"),
        ("parameters__k", [8], "parameters"),
        ("machine__gpu", "H200", "machine.gpu"),
        ("schema", 1, "the record has schema 1; this version reads schema 2 alone"),
        ("schema", True, "the record has schema True"),
        ("status", "skipped", "timing of a skipped cell"),
    ],
)
def test_a_broken_record_is_one_line(compared, path, value, words):
    before, after = [record("omp_a", 1.0)], [record("omp_a", 1.0, **{path: value})]
    code, text, error = compared(before, after, "--fail-on-slower")
    assert (code, text, error.count("\n")) == (2, "", 1)
    assert "after.jsonl:1: " in error and words in error


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"algorithm": "x"}, "the record names no schema"),
        ({"algorithm": "x", "schema": 2}, "problem is missing"),
        ([], "not a record"),
        (record("omp_a", 1.0) | {"status": "skipped", "timing": None}, "reason is not right"),
        ({n: v for n, v in record("omp_a", 1.0).items() if n != "matrix"}, "matrix is missing"),
        ({n: v for n, v in record("omp_a", 1.0).items() if n != "timing"}, "timing is missing"),
    ],
)
def test_what_lacks_a_part_is_no_record(compared, broken, words):
    code, _, error = compared([broken], [record("omp_a", 1.0)])
    assert (code, error.count("\n")) == (2, 1)
    assert words in error


def test_a_name_that_no_record_has_is_refused_beside_others(compared):
    cells = [record("omp_a", 1.0), record("omp_b", 1.0)]
    code, text, error = compared(cells, cells, "--algorithm", "omp_a", "--algorithm", "omp_bb")
    assert (code, text) == (2, "")
    assert error == ("sparserepro: --algorithm omp_bb: no record has it; there are: omp_a, omp_b\n")
    problem = cells[0]["problem"]
    code, _, error = compared(cells, cells, "--problem", problem, "--problem", "spam")
    assert code == 2
    assert f"--problem spam: no record has it; there are: {problem}" in error
    assert compared(cells, cells[:1], "--algorithm", "omp_a", "--algorithm", "omp_b")[0] == 0
