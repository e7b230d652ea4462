"""The records of the largest sizes (report/large): what its page says of them."""

import json
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
LARGE = ROOT / "report/large"
RECORDS = [
    json.loads(line)
    for file in sorted(LARGE.glob("*.jsonl"))
    for line in file.read_text().splitlines()
]
# An array of 32-bit places ends below 2^31.
LEAST = {"primitives": 2**31 - 1}


def test_each_problem_has_a_right_answer_beyond_2_to_the_31():
    schema = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
    for record in RECORDS:
        jsonschema.validate(record, schema)
        assert record["status"] == "ok"
        assert record["check"]["verified_after"]
        assert record["matrix"]["nnz"] >= LEAST.get(record["problem"], 2**31)
    done = {(record["problem"], record["backend"]) for record in RECORDS}
    both = {
        (problem, side)
        for problem in ("transpose", "spmm", "triangles")
        for side in ("omp", "cuda")
    }
    assert done == both | {("convert", "omp"), ("primitives", "omp")}


def test_the_page_has_the_records_and_their_entries():
    page = (LARGE / "README.md").read_text()
    for record in RECORDS:
        assert f"`{record['algorithm']}`" in page
        assert f"{record['matrix']['nnz']:,}" in page
        assert record["build"]["commit"].startswith("6b0951f")
        assert not record["build"]["dirty"]
