"""The records beside research codes (report/research-codes): what its page says of them."""

import re
from collections import defaultdict
from math import exp, log
from statistics import median

import pytest

from archived import page_and_records

PAGE, RECORDS = page_and_records("research-codes")
OWN = "cuda_csr_balanced"
CODES = {"rode_csr": "RoDe", "sputnik_csr": "Sputnik", "gespmm_csr": "GE-SpMM"}


def code(record):
    """The name on the page of the code whose record this is."""
    if record["parameters"].get("kernel") == "sputnik":
        return "Sputnik"
    return CODES[record["algorithm"]]


def cells():
    """(matrix, type, K): our time, and the fastest of each code, in microseconds."""
    own, codes = {}, defaultdict(dict)
    for record in RECORDS:
        parameters = record["parameters"]
        if record["status"] != "ok":
            continue
        cell = record["matrix"]["name"], parameters.get("value_type", "fp64"), parameters["k"]
        time = 1e6 * median(record["timing"]["kernel_s"])
        if record["algorithm"] == OWN:
            own[cell] = time
        else:
            codes[cell][code(record)] = min(time, codes[cell].get(code(record), time))
    return {cell: (own[cell], codes[cell]) for cell in codes}


CELLS = cells()


def ratio(cell):
    own, codes = CELLS[cell]
    return min(codes.values()) / own


def rows():
    """Lines of the page's table: matrix, entries, and the text of each cell by type and K."""
    columns = []
    for line in PAGE.splitlines():
        texts = [text.strip() for text in line.split("|")[1:-1]]
        if texts and texts[0] == "matrix":
            columns = [(text.split()[0], int(text.split()[-1])) for text in texts[2:]]
        elif columns and len(texts) == len(columns) + 2 and "--" not in texts[0]:
            yield texts[0], texts[1], dict(zip(columns, texts[2:], strict=True))


def test_records_are_of_one_committed_build_on_one_device():
    assert {r["build"]["dirty"] for r in RECORDS} == {False}
    [commit] = {r["build"]["commit"] for r in RECORDS}
    assert commit[:7] in PAGE
    assert len({tuple(r["devices"]) for r in RECORDS if r["status"] == "ok"}) == 1
    for record in RECORDS:
        if record["status"] == "ok":
            assert record["check"]["verified_after"]
    peers = RECORDS[0]["build"]["peers"]
    for title in CODES.values():
        [version] = re.findall(rf"{title} (\w+)", peers)
        assert version in PAGE


def test_the_table_has_a_row_for_each_matrix():
    assert [row[0] for row in rows()] == list(dict.fromkeys(r["matrix"]["name"] for r in RECORDS))


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row[0])
def test_the_numbers_of_a_row_are_those_of_its_records(row):
    matrix, entries, texts = row
    [nnz] = {r["matrix"]["nnz"] for r in RECORDS if r["matrix"]["name"] == matrix}
    assert entries == f"{nnz:,}"
    for (value_type, k), text in texts.items():
        cell = matrix, value_type, k
        assert text == (f"{ratio(cell):.2f}" if cell in CELLS else "-"), cell


@pytest.mark.parametrize("k", [8, 32, 64, 128])
@pytest.mark.parametrize("value_type", ["fp64", "fp32"])
def test_the_summary_is_that_of_the_records(value_type, k):
    ratios = [ratio(cell) for cell in CELLS if cell[1:] == (value_type, k)]
    mean = exp(sum(map(log, ratios)) / len(ratios))
    lost = sum(q < 1 for q in ratios)
    close = sum(1 <= q < 1.05 for q in ratios)
    row = f"{len(ratios)} | {mean:.2f} | {min(ratios):.2f} | {lost} | {close}"
    assert f"| {value_type} | {k} | {row} |" in PAGE


def test_each_code_has_its_own_mean():
    for name in CODES.values():
        ratios = [codes[name] / own for own, codes in CELLS.values() if name in codes]
        mean = exp(sum(map(log, ratios)) / len(ratios))
        best = sum(min(codes, key=codes.get) == name for _, codes in CELLS.values())
        assert f"| {name} | {len(ratios)} | {mean:.2f} | {min(ratios):.2f} | {best} |" in PAGE


def test_what_the_second_stream_brings():
    times = defaultdict(dict)
    for record in RECORDS:
        parameters = record["parameters"]
        if record["status"] == "ok" and parameters.get("kernel") in ("n32", "n128"):
            cell = record["matrix"]["name"], parameters.get("value_type", "fp64"), parameters["k"]
            of = times[cell]
            streams = parameters["streams"]
            time = median(record["timing"]["kernel_s"])
            of[streams] = min(time, of.get(streams, time))
    ratios = [of[1] / of[2] for of in times.values()]
    mean = exp(sum(map(log, ratios)) / len(ratios))
    assert f"{mean:.2f} times as long as on two in geometric mean of {len(ratios)} cells" in PAGE
    assert f"{min(ratios):.2f} to {max(ratios):.2f} times in single ones" in PAGE
