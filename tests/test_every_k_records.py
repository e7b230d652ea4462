"""The records at every K beside the newest cuSPARSE (report/every-k): what its page says."""

import re
from collections import defaultdict
from math import exp, log
from statistics import median

import pytest

from archived import page_and_records

PAGE, RECORDS = page_and_records("every-k")
OWN = "cuda_csr_balanced"
TYPES = ("fp64", "fp32")


def cells():
    """(matrix, type, K): our time, and that of each setting of the library, in microseconds."""
    own, library = {}, defaultdict(dict)
    for record in RECORDS:
        parameters = record["parameters"]
        cell = record["matrix"]["name"], parameters.get("value_type", "fp64"), parameters["k"]
        time = 1e6 * median(record["timing"]["kernel_s"])
        if record["algorithm"] == OWN:
            own[cell] = time
        else:
            setting = record["algorithm"], parameters["alg"], parameters.get("layout", "row")
            library[cell][setting] = time
    assert own.keys() == library.keys()
    return {cell: (own[cell], library[cell]) for cell in own}


CELLS = cells()


def ratio(cell):
    own, library = CELLS[cell]
    return min(library.values()) / own


def mean(ratios):
    return exp(sum(map(log, ratios)) / len(ratios))


def of(value_type, keep=lambda cell: True):
    return [ratio(cell) for cell in CELLS if cell[1] == value_type and keep(cell)]


def test_every_record_is_right_and_of_a_commit_that_the_page_names():
    assert {r["status"] for r in RECORDS} == {"ok"}
    assert all(r["check"]["verified_after"] for r in RECORDS)
    assert {r["build"]["dirty"] for r in RECORDS} == {False}
    assert {tuple(r["devices"]) for r in RECORDS} == {("NVIDIA H200",)}
    commits = {r["build"]["commit"][:7] for r in RECORDS}
    assert commits == set(re.findall(r"h200-(\w+)\.jsonl", PAGE))
    for commit in commits:
        matrices = {r["matrix"]["name"] for r in RECORDS if r["build"]["commit"][:7] == commit}
        assert f"`h200-{commit}.jsonl` ({len(matrices)} matrices)" in PAGE


def test_the_sentence_of_all():
    lost = sum(ratio(cell) < 0.99 for cell in CELLS)
    assert f"slower than the library by more than 1 % in {lost} of {len(CELLS)} cells" in PAGE
    least = min(ratio(cell) for cell in CELLS)
    assert f"{least:.2f} at least" in PAGE
    for value_type in TYPES:
        several = mean(of(value_type, lambda cell: cell[2] > 1))
        one = mean(of(value_type, lambda cell: cell[2] == 1))
        assert f"{several:.2f} in {value_type} for K > 1, {one:.2f} at K = 1" in PAGE


@pytest.mark.parametrize("value_type", TYPES)
def test_the_means_by_k(value_type):
    columns = sorted({cell[2] for cell in CELLS})
    assert "| K | " + " | ".join(map(str, columns)) + " |" in PAGE
    for k in columns:
        assert of(value_type, lambda cell, k=k: cell[2] == k)
    texts = [f"{mean(of(value_type, lambda cell, k=k: cell[2] == k)):.2f}" for k in columns]
    assert f"| {value_type} | " + " | ".join(texts) + " |" in PAGE
    texts = [f"{min(of(value_type, lambda cell, k=k: cell[2] == k)):.2f}" for k in columns]
    assert f"| {value_type}, least | " + " | ".join(texts) + " |" in PAGE


def test_the_table_of_matrices():
    for name in dict.fromkeys(r["matrix"]["name"] for r in RECORDS):
        [nnz] = {r["matrix"]["nnz"] for r in RECORDS if r["matrix"]["name"] == name}
        texts = []
        for value_type in TYPES:
            several = of(value_type, lambda cell, n=name: cell[0] == n and cell[2] > 1)
            one = of(value_type, lambda cell, n=name: cell[0] == n and cell[2] == 1)
            texts += [f"{mean(several):.2f}", f"{min(several):.2f}", f"{one[0]:.2f}"]
        assert f"| {name} | {nnz:,} | " + " | ".join(texts) + " |" in PAGE


def test_the_cells_that_are_lost():
    lost = sorted((ratio(cell), cell) for cell in CELLS if ratio(cell) < 0.99)
    rows = re.findall(
        r"^\| (unseen-\S+) \| (fp\d\d) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| (.*) \|$",
        PAGE,
        re.MULTILINE,
    )
    assert len(rows) == len(lost)
    for row, (_, cell) in zip(rows, lost, strict=True):
        own, library = CELLS[cell]
        fastest = min(library, key=library.get)
        text = f"{fastest[0].removeprefix('cusparse_')} {fastest[1]}"
        assert row == (
            cell[0],
            cell[1],
            str(cell[2]),
            f"{own:.1f}",
            f"{library[fastest]:.1f}",
            text,
        )
