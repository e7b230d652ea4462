"""The records of several GPUs (report/several): what its page says of them."""

import re
from statistics import median

import pytest

from archived import page_and_records

PAGE, RECORDS = page_and_records("several")


def gpus(record):
    return int(record["measures"].get("gpus", 1))


def test_the_records_are_right_answers_and_name_their_gpus():
    for record in RECORDS:
        assert record["status"] == "ok"
        assert record["check"]["verified_after"]
        assert len(record["devices"]) == gpus(record)
        assert record["build"]["commit"][:7] in PAGE
        assert not record["build"]["dirty"]
    assert {(r["problem"], gpus(r)) for r in RECORDS} == {
        (problem, count) for problem in ("spmm", "triangles") for count in (1, 2)
    }


def rows():
    """Lines of the page's table: entries, algorithm, GPUs, preparation, time, ratio."""
    entries = None
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 8 or not cells[4].isdigit():
            continue
        entries = int(cells[2].replace(",", "")) if cells[2] else entries
        yield entries, cells[3].strip("`"), int(cells[4]), *cells[5:]


def kernel_ms(record):
    return 1e3 * median(record["timing"]["kernel_s"])


def test_the_page_has_a_row_for_each_record():
    assert [row[:3] for row in rows()] == [
        (r["matrix"]["nnz"], r["algorithm"], gpus(r))
        for r in sorted(RECORDS, key=lambda r: (r["problem"], -r["matrix"]["nnz"]))
    ]


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: f"{row[1]}-{row[0]}-{row[2]}")
def test_the_numbers_of_a_row_are_those_of_its_record(row):
    entries, algorithm, count, preparation, time, ratio = row
    same = [r for r in RECORDS if r["matrix"]["nnz"] == entries]
    [record] = [r for r in same if r["algorithm"] == algorithm and gpus(r) == count]
    [single] = [r for r in same if "gpus" not in r["parameters"]]

    def printed(value, text):
        return f"{value:.{len(text.partition('.')[2])}f}" == text

    assert printed(1e3 * median(record["timing"]["preprocess_s"] or [0]), preparation)
    assert printed(kernel_ms(record), time)
    assert (ratio == "") == (record is single)
    assert not ratio or printed(kernel_ms(single) / kernel_ms(record), ratio)


@pytest.mark.parametrize(("scale", "entries"), [(23, 258668900), (24, 520766272)])
def test_one_count_with_its_preparation_is_as_said(scale, entries):
    def both(algorithm, count):
        [r] = [
            r
            for r in RECORDS
            if r["algorithm"] == algorithm and gpus(r) == count and r["matrix"]["nnz"] == entries
        ]
        return kernel_ms(r) + 1e3 * median(r["timing"]["preprocess_s"])

    [said] = re.findall(rf"one count of R-MAT {scale} is ([\d.]+) times", PAGE)
    ratio = both("cuda_adaptive", 1) / both("cuda_multi_adaptive", 2)
    assert f"{ratio:.2f}" == said
