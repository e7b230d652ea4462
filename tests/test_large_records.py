"""The records of the largest sizes (report/large): what its page says of them."""

import re
import statistics
from typing import Any

import pytest

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


def rows() -> list[tuple[str, int, str, str, str, str]]:
    """Lines of the page's table: instance, entries, algorithm, device or threads, time, workspace;
    a line takes instance and entries from the one above where it has none."""
    found, instance, entries = [], "", 0
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 7:
            continue
        match = re.fullmatch(r"`(\w+)`(?: \((\w+)\)|, (\d+) threads)?", cells[3])
        if match is None:
            continue
        instance = cells[1].strip("`") or instance
        entries = int(cells[2].replace(",", "")) if cells[2] else entries
        where = match[2] or match[3] or "H100"
        found.append((instance, entries, match[1], where, *cells[4:6]))
    return found


def printed(value: float, text: str, units: dict[str, float]) -> bool:
    """Whether a text with its unit is the value, with as many digits as it has."""
    number, _, unit = text.rpartition(" ")
    return f"{value / units[unit]:.{len(number.partition('.')[2])}f}" == number


def matches(row: tuple[str, int, str, str, str, str], record: dict[str, Any]) -> bool:
    instance, entries, algorithm, where, _, _ = row
    gpu = record["machine"]["gpu"]
    device = gpu["name"].split()[1] if record["backend"] == "cuda" else ""
    return (
        record["algorithm"] == algorithm
        and record["matrix"]["nnz"] == entries
        and record["matrix"]["source"].startswith(instance)
        and where == (device or str(record["parameters"]["threads"]))
    )


def test_the_page_has_a_row_for_each_record():
    assert len(rows()) == len(RECORDS)
    assert all(sum(matches(row, record) for row in rows()) == 1 for record in RECORDS)


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row[2]}-{row[3]}")
def test_the_numbers_of_a_row_are_those_of_its_record(row):
    [record] = [record for record in RECORDS if matches(row, record)]
    seconds = statistics.median(record["timing"]["kernel_s"])
    assert printed(seconds, row[4], {"s": 1, "ms": 1e-3})
    assert printed(record["workspace_bytes"], row[5], {"GB": 1e9, "B": 1})
    assert record["build"]["commit"][:7] in PAGE
    assert not record["build"]["dirty"]
