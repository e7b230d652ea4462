"""Tables are made of the lines of the table of cells alone, and are those of the records."""

from pathlib import Path

import pytest

import hand_made
import report_fixtures
from sparserepro.data import cells, lines, loading, reading, rows
from sparserepro.views import tables

SETS = Path(__file__).resolve().parents[1] / "report/measurements"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    report_fixtures.write(folder, machines=2, matrices=5)
    return folder


def facts(folder):
    return [sorted((folder / name).glob("*.json")) for name in ("matrices", "catalogue")]


def of_records(folder, context=()):
    records = folder / "collected" / "records.jsonl"
    return loading.load(records, *facts(folder), context=context)


def of_table(folder, context=()):
    """Through the file, as the rule of the tables reads it."""
    file = folder / "cells.parquet"
    cells.write(cells.table(of_records(folder), context), [file])
    return reading.report_of(cells.load_cells(file), *facts(folder), context=context)


def texts(report, folder):
    tables.write(report, folder)
    return {path.name: path.read_text() for path in folder.glob("*.tex")}


@pytest.mark.parametrize("context", [(), ("gpu-box",)])
def test_tables_of_cells_are_those_of_their_records(results, tmp_path, context):
    told = of_table(results, context)
    assert not any(cell.record for cell in told.every)
    found = texts(told, tmp_path / "cells")
    assert found == texts(of_records(results, context), tmp_path / "records")
    assert sum(len(text) > 1000 for text in found.values()) > 40


def test_the_table_decides_what_is_best_and_how_much_faster(tmp_path):
    """What the tables print is what the table of cells says, not a second computation."""
    report = hand_made.report(
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
    told = reading.report_of(found, *facts(results), context=("gpu-box",))
    assert told.context == frozenset()


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
