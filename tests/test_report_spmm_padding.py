"""The padding of ELLPACK on the SpMM seed's matrices in the report."""

import dataclasses

import report_fixtures
import tabled
from sparserepro.views import spmm_padding as tables_spmm_padding


def lines(report):
    """The generated table's cells by matrix, as text."""
    (table,) = tables_spmm_padding.padding_published(report)
    return {row[0].latex_text: [cell.latex_text for cell in row[1:]] for row in table.body}


def test_the_matrix_that_exhausted_the_seed_comes_first_and_ours_stands_beside_it(tmp_path):
    report_fixtures.write(tmp_path, machines=1, matrices=2)
    report = tabled.report(
        tmp_path / "collected" / "records.jsonl",
        (tmp_path / "matrices").glob("*.json"),
        (tmp_path / "catalogue").glob("*.json"),
    )
    facts = next(f for f in report.matrices.values() if f.get("padding_factor"))
    read = dataclasses.replace(
        report, matrices={**report.matrices, "dc1": {**facts, "padding_factor": 17408.0}}
    )
    before, after = lines(report), lines(read)

    assert next(iter(after)) == r"\code{dc1}"
    assert after[r"\code{dc1}"][3] == tables_spmm_padding.integer(17408)
    assert after[r"\code{dc1}"][4] == r"\num{1.60e+05}"  # 160 GB
    assert after[r"\code{dc1}"][5] == tables_spmm_padding.integer(17408)
    assert before[r"\code{dc1}"][5] != after[r"\code{dc1}"][5]
    assert before[r"\code{olm1000}"] == after[r"\code{olm1000}"]
