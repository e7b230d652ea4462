"""The table of the examples' times in docs/python.md is that of the recorded files."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/python.md"


@pytest.fixture(scope="module")
def record():
    spec = importlib.util.spec_from_file_location("record", ROOT / "examples/python/record.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MADE_UP = {
    "machine": "box",
    "commit": "0123456789abcdef",
    "device": "Some GPU",
    "host": "Some processor, 2 processors",
    "versions": {"sparserepro": "0.1.0"},
    "examples": {
        "count_triangles": {
            "sizes": {"vertices": 10, "edges": 20},
            "milliseconds": {"sparserepro": [2.0, 1.0, 3.0], "SciPy": [8.0, 9.0, 7.0]},
            "answers": "agree",
        },
        "solver_transposing": {
            "sizes": {"entries": 5},
            "milliseconds": {
                "preparation": {"the plan, once": [0.5]},
                "solver": {"sparserepro, a plan": [10.0], "SciPy's J.T.tocsr()": [15.0]},
            },
            "answers": "agree",
        },
    },
    "failed": {},
}


def test_the_page_has_the_table_of_the_recorded_files(record):
    page = PAGE.read_text()
    assert record.updated(page, record.recorded()) == page
    assert record.updated(page, [MADE_UP]) != page


def test_recorded_files_are_of_agreeing_answers_and_named_by_machine(record):
    for path, one in zip(sorted(record.RECORDS.glob("*.json")), record.recorded(), strict=True):
        assert one["machine"] == path.stem
        assert not one["failed"]
        assert set(one["examples"]) == set(record.SIZES["device"])
        assert all(example["answers"] == "agree" for example in one["examples"].values())
        assert one["versions"]["sparserepro"]
        assert len(one["commit"]) == 40


def test_lines_of_a_record(record):
    lines = record.table([MADE_UP]).splitlines()[2:]
    count = "| box | `count_triangles` | 10 vertices, 20 edges | the whole |"
    solver = "| box | `solver_transposing` | 5 entries | solver |"
    assert lines == [
        f"{count} sparserepro | 2 | 1.00 |",
        f"{count} SciPy | 8 | 4.00 |",
        f"{solver} sparserepro, a plan | 10 | 1.00 |",
        f"{solver} SciPy's J.T.tocsr() | 15 | 1.50 |",
        "",
        "- box: Some GPU; Some processor, 2 processors; commit 0123456",
    ]


def test_without_records_there_is_no_table(record):
    page = f"a\n{record.BEGIN}\nold\n{record.END}\nb\n"
    assert record.updated(page, []) == f"a\n{record.BEGIN}\n{record.END}\nb\n"
    assert "| box |" in record.updated(page, [MADE_UP])
    with pytest.raises(ValueError, match="has no"):
        record.updated("a page", [])
