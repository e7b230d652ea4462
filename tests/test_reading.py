"""Tables are made of the lines of the table of cells alone, and are those of the records."""

from pathlib import Path

import pytest

import hand_made
import report_fixtures
from sparserepro import imports
from sparserepro.data import cells, lines, loading, reading, rows

ROOT = Path(__file__).resolve().parents[1]
SETS, PYTHON = ROOT / "report/measurements", ROOT / "python"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    report_fixtures.write(folder, machines=2, matrices=5)
    return folder


def facts(folder):
    return [sorted((folder / name).glob("*.json")) for name in ("matrices", "catalogue")]


def of_records(folder):
    return loading.load(folder / "collected" / "records.jsonl", *facts(folder))


def of_table(folder, sets=()):
    """Through the file, as the rules of the report read it."""
    file = folder / "cells.parquet"
    cells.write(cells.table(of_records(folder), sets), [file])
    return reading.report_of(cells.load_cells(file), *facts(folder))


RECORDS = {"sparserepro.records", "sparserepro.data.loading", "sparserepro.data.deciding"}


@pytest.mark.parametrize("package", ["views", "plots", "text", "paper"])
def test_what_readers_see_comes_from_the_table_of_cells(package):
    """No table, figure or number reads records, or decides what is best."""
    for path in sorted((PYTHON / "sparserepro" / package).rglob("*.py")):
        assert not imports.imported(path.read_text()) & RECORDS, path


def test_the_table_decides_what_is_best_and_how_much_faster(tmp_path):
    """What the tables print is what the table of cells says, not a second computation."""
    report = hand_made.loaded(
        tmp_path,
        hand_made.record("spmm", "serial_csr", [8.0] * 12, backend="serial", machine="desk-1"),
        hand_made.record(
            "spmm", "omp_csr", [2.0] * 12, parameters={"threads": 1}, machine="desk-1"
        ),
        hand_made.record(
            "spmm", "omp_csr", [3.0] * 12, parameters={"threads": 2}, machine="desk-1"
        ),
    )
    found = cells.table(report)
    own = found["algorithm"] == "omp_csr"
    found.loc[own, "chosen"] = ~found.loc[own, "chosen"]
    found.loc[own, ["speedup", "speedup_low", "speedup_high"]] = [5.0, 4.0, 6.0]
    told = reading.report_of(found, [], [tmp_path / "spmm.json"])
    (row,) = told.rows("desk-1", "spmm")
    best = told.best(row, "omp_csr")
    assert (best.threads, best.seconds, best.held_out, len(best.among)) == (2, 3.0, True, 2)
    ratio = told.speedup(row, "omp_csr")
    assert (ratio.value, ratio.low, ratio.high, ratio.across_runs) == (5.0, 4.0, 6.0, False)


def test_a_set_beside_this_run_has_cells_of_the_set(results):
    assert of_table(results, ("gpu-box",)).machines == ["desk-1", "gpu-box"]
    found = cells.table(of_records(results))  # of this run: no cell is of a set
    assert reading.report_of(found, *facts(results)).context == frozenset()


@pytest.mark.parametrize(
    "params", [(), (("length", 1000000), ("procedure", "scan")), (("preprocess", "no"), ("k", 8))]
)
def test_parameters_come_back_from_their_text(params):
    assert rows.params_of(rows.params_text(params)) == params


def test_parameters_of_all_records_come_back(results):
    for cell in of_records(results).every:
        assert rows.params_of(rows.params_text(cell.params)) == cell.params
        assert rows.params_of(rows.params_text(cell.row.instance)) == cell.row.instance


def test_the_table_has_every_measure_of_an_error():
    """A new one needs a column, and would be in no table without it."""
    for file in sorted(SETS.glob("*/*.jsonl")):
        for record in loading.read_lines(file):
            assert set((record["check"] or {"measures": ()})["measures"]) <= set(lines.CHECKS)
