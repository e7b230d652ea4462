"""The list of matrices against rows of the collection's index, and the lock against the list."""

import csv
import re
from pathlib import Path

import pytest

from sparserepro.config import lock
from sparserepro.config.check import ConfigError
from sparserepro.config.matrix_list import load_matrix_list
from sparserepro.fetch.matrix_file import fits

ROOT = Path(__file__).resolve().parent.parent
LISTED = load_matrix_list(ROOT / "config/matrices.yaml")
COLLECTION = [LISTED.entries[id_] for id_ in LISTED.classes["suitesparse"]]
SEEDS = ("seed-transpose", "seed-triangles", "seed-spmm", "course-spmm")


def index():
    lines = (ROOT / "tests/data/suitesparse_index.csv").read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {(row["group"], row["name"]): row for row in rows}


def test_matrices_of_the_collection_are_those_of_its_index():
    known, wrong = index(), []
    for entry in COLLECTION:
        row = known[entry.group, entry.name]
        told = (entry.rows, entry.cols, entry.stored)
        if told != tuple(int(row[key]) for key in ("rows", "cols", "entries")):
            wrong.append((entry.id, told))
        symmetric = row["numerical_symmetry"] == "1"
        symmetry = "symmetric" if symmetric else "general"
        if entry.id == "plskz362":
            symmetry = "skew-symmetric"
        if entry.entries and not fits(entry.stored, symmetry, entry.rows, entry.entries):
            wrong.append((entry.id, entry.entries))
        assert row["real"] == "1", entry.id  # complex ones are refused
    assert wrong == []
    assert len(known) == len(COLLECTION) >= 120


def test_each_matrix_of_the_collection_says_why_it_is_listed():
    assert [entry.id for entry in COLLECTION if not entry.why] == []
    seeds = {id_ for name in SEEDS for id_ in LISTED.sets[name] if LISTED.entries[id_].group}
    assert len(seeds) == 48
    assert seeds == {entry.id for entry in COLLECTION if "seed" in entry.why.split(",")[0]}


def test_figures_in_the_reasons_are_those_of_the_list():
    wrong = []
    for entry in COLLECTION:
        for text in re.findall(r"([\d.]+) entries a row", entry.why):
            mean = entry.stored / entry.rows
            digits = len(text.partition(".")[2])
            if abs(float(text) - mean) > 0.51 * 10**-digits:
                wrong.append((entry.id, text, mean))
        for text in re.findall(r"(?<![.\d])(\d+) million (?:entries|links)", entry.why):
            if abs(int(text) - entry.stored / 1e6) > 0.51:
                wrong.append((entry.id, text, entry.stored))
    assert wrong == []


def test_every_locked_matrix_is_listed_and_its_size_can_be_of_its_entries():
    locked = lock.load(ROOT / "config/matrices.lock")
    assert len(locked) >= 40
    for id_, (sha256, size) in locked.items():
        entry = LISTED.entries[id_]
        assert (entry.sha256, entry.size) == (sha256, size)
        assert entry.stored / 2 * 10 < size < 100 * entry.stored + 1000, id_


@pytest.fixture
def lists(tmp_path):
    path = tmp_path / "matrices.yaml"
    path.write_text("matrices: {m: {class: fem, group: G, rows: 3, stored: 4}}\n")
    return path


def test_a_lock_changes_no_definition(lists):
    before = load_matrix_list(lists).entries["m"]
    lock.write(lists.with_suffix(".lock"), {"m": ("a" * 64, 70), "gone": ("b" * 64, 9)})
    after = load_matrix_list(lists).entries["m"]
    assert (before.sha256, after.sha256, after.size) == (None, "a" * 64, 70)
    assert before.definition() == after.definition()


def test_a_lock_against_the_list_is_refused_with_both_hashes(lists):
    lists.write_text(lists.read_text().replace("rows", f'sha256: "{"c" * 64}", rows'))
    lock.write(lists.with_suffix(".lock"), {"m": ("a" * 64, 70)})
    with pytest.raises(ConfigError) as refusal:
        load_matrix_list(lists)
    assert "a" * 64 in str(refusal.value)
    assert "c" * 64 in str(refusal.value)


def test_a_broken_lock_is_refused(lists):
    lists.with_suffix(".lock").write_text("matrices: {m: {sha256: abc, size: 7}}\n")
    with pytest.raises(ConfigError, match=r"matrices.lock: matrices.m.sha256"):
        load_matrix_list(lists)
    lock.write(lists.with_suffix(".lock"), {})
    assert load_matrix_list(lists).entries["m"].sha256 is None


@pytest.mark.parametrize(
    ("symmetry", "entries", "right"),
    [
        ("general", 7, True), ("general", 6, False), ("symmetric", 4, True),
        ("symmetric", 5, True), ("symmetric", 3, False), ("symmetric", 6, False),
        ("skew-symmetric", 4, False), ("skew-symmetric", 3, False),
    ],
)  # fmt: skip
def test_entries_of_a_file_that_a_matrix_of_seven_can_have(symmetry, entries, right):
    assert fits(7, symmetry, 3, entries) is right
