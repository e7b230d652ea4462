"""The records of the largest sizes (report/large): what its page says of them."""

import statistics

from archived import page_and_records

PAGE, RECORDS = page_and_records("large")
# An array of 32-bit places ends below 2^31.
LEAST = {"primitives": 2**31 - 1}


def test_each_problem_has_a_right_answer_beyond_2_to_the_31():
    for record in RECORDS:
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
    for record in RECORDS:
        assert f"`{record['algorithm']}`" in PAGE
        assert f"{record['matrix']['nnz']:,}" in PAGE
        assert record["build"]["commit"][:7] in PAGE
        median = statistics.median(record["timing"]["kernel_s"])
        said = (f"{1e3 * median:.1f} ms", f"{1e3 * median:.0f} ms", f"{median:.2f} s")
        assert any(f"| {one} |" in PAGE for one in said)
        if record["problem"] != "primitives":
            assert f"{record['workspace_bytes'] / 1e9:.1f} GB" in PAGE
        assert not record["build"]["dirty"]
