"""Triangles at vertices and edges are in no table of the total."""

import pytest

import hand_made
import report_fixture_catalogue
from sparserepro.plots import triangles as plots


@pytest.fixture
def report(tmp_path, monkeypatch):
    outputs = [("strict", 0), ("output", "total")]
    monkeypatch.setitem(report_fixture_catalogue.INSTANCE, "triangles", outputs)

    def of(seconds, **given):
        return hand_made.record(
            "triangles", "omp_adaptive", [seconds] * 12, backend="omp",
            parameters={"strict": 0, "threads": 1} | given,
        )  # fmt: skip

    return hand_made.report(tmp_path, of(5.0), of(1.0, output="vertices"), of(2.0, output="edges"))


def test_rows_of_other_outputs_are_in_no_table(report):
    (machine,) = report.machines
    every = {cell.row for cell in report.select(problem="triangles")}
    assert {row.value("output") for row in every} == {None, "vertices", "edges"}
    (row,) = report.rows(machine, "triangles")
    assert row.value("output") is None


def test_the_fastest_of_an_algorithm_is_that_of_the_total(report):
    (name,) = {cell.row.matrix for cell in report.select(problem="triangles")}
    assert plots.fastest_of(report, name, "omp_adaptive").seconds == 5.0
