"""Products with A^T and in other types than fp64 have a table of their own, and are in no other."""

import pytest

import hand_made
import report_fixture_catalogue
from sparserepro.views import calls, spmm_forms, spmm_k

LIBRARY = "cuSPARSE 12.9.4"


@pytest.fixture
def report(tmp_path, monkeypatch):
    forms = [("k", 8), ("op", "none"), ("value_type", "fp64")]
    monkeypatch.setitem(report_fixture_catalogue.INSTANCE, "spmm", forms)

    def on(k, ours, theirs, **form):
        given = {"k": k} | form
        return [
            hand_made.record(
                "spmm", "cuda_csr_scalar_v3", [ours] * 12, backend="cuda", parameters=given
            ),
            hand_made.record(
                "spmm", "cusparse_csr", [theirs] * 12, backend="cuda", parameters=given,
                library=LIBRARY,
            ),
        ]  # fmt: skip

    return hand_made.report(
        tmp_path,
        *on(4, 1.0, 2.0),
        *on(8, 1.0, 2.0),
        *on(8, 1.0, 8.0, op="transpose"),
        *on(8, 1.0, 0.5, op="transpose", value_type="fp32"),
        *on(4, 1.0, 3.0, value_type="fp32"),
    )


def texts(line):
    return [getattr(cell, "text", None) or cell.latex_text for cell in line]


def test_other_products_have_a_table(report):
    (table,) = spmm_forms.forms(report)
    assert table.label == "tab:spmm-forms-gpu-box"
    lines = [texts(line) for line in table.body]
    assert [line[1:5] for line in lines] == [
        ["4", "none", "fp32", "device"],
        ["8", "transpose", "fp64", "device"],
        ["8", "transpose", "fp32", "device"],
    ]
    assert [line[-1] for line in lines] == ["3.00", "8.00", "0.500"]


def test_other_products_are_in_no_table_by_k(report):
    assert [row.value("k") for row in report.rows("gpu-box", "spmm")] == [4, 8]
    (table,) = spmm_k.k_sweep(report)
    assert len(table.body) == 1
    (table,) = calls.by_calls(report, "spmm") or [None]
    if table is not None:
        assert all(cell != "8.00" for line in table.body for cell in texts(line))


def test_without_other_products_there_is_no_table(tmp_path):
    plain = hand_made.record(
        "spmm", "cuda_csr_scalar_v3", [1.0] * 12, backend="cuda", parameters={"k": 8}
    )
    assert spmm_forms.forms(hand_made.report(tmp_path, plain)) == []
