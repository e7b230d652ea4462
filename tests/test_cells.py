"""The table of cells: what it says of hand-made records and of a measurement set."""

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import hand_made
import tabled
from hand_made import around
from sparserepro import load_cells, stats
from sparserepro.data import cells, columns, comparisons
from sparserepro.records import RecordsError, identity

ROOT = Path(__file__).resolve().parent.parent
SETS = sorted(path.parent.name for path in (ROOT / "report/measurements").glob("*/spmm.jsonl"))


def table(tmp_path, *records) -> pd.DataFrame:
    return cells.table(hand_made.loaded(tmp_path, *records))


def line(found: pd.DataFrame, algorithm: str, **wanted) -> pd.Series:
    for name, value in (wanted | {"algorithm": algorithm}).items():
        found = found[found[name] == value]
    assert len(found) == 1, found
    return found.iloc[0]


def test_numbers_worked_out_by_hand(tmp_path):
    base = hand_made.record("spmm", "serial_csr", [8.0] * 10, backend="serial")
    own = hand_made.record("spmm", "omp_csr", [2.0] * 10, preprocess_s=[4.0] * 10)
    library = hand_made.record("spmm", "eigen_csr", [3.0] * 10, library="Eigen 3.4.0")
    found = table(tmp_path, base, own, library)
    assert list(found.columns) == [column.name for column in columns.COLUMNS]
    row = line(found, "omp_csr")
    assert row["id"] == identity(own)
    assert (row["median_s"], row["low_s"], row["high_s"]) == (2.0, 2.0, 2.0)
    assert row["preparation_s"] == 4.0
    assert row["headline_s"] == 2.0
    assert row["baseline"] == "serial_csr"
    assert row["baseline_id"] == identity(base)
    assert row["speedup_1"] == pytest.approx(8 / 6)
    assert row["speedup_10"] == pytest.approx(80 / 24)
    assert row["speedup_inf"] == row["speedup"] == pytest.approx(4)
    assert row["verdict"] == "faster"
    assert row["library_id"] == identity(library)
    assert row["library_ratio_1"] == pytest.approx(3 / 6)
    assert row["library_ratio"] == pytest.approx(1.5)
    assert row["library_verdict"] == "faster"
    assert line(found, "serial_csr")["speedup"] == 1
    eigen = line(found, "eigen_csr")
    assert (eigen["library"], eigen["version"], eigen["library_ratio"]) == ("Eigen", "3.4.0", 1)
    assert found["chosen"].all()


def test_a_headline_has_the_interval_of_its_samples(tmp_path):
    record = hand_made.record("spmm", "omp_csr", around(2.0, 0.01), bounds__copy_s=0.5)
    row = line(table(tmp_path, record), "omp_csr")
    # Of ten samples 1.96, ..., 2.04 the second and the ninth.
    assert row["headline_low_s"] == row["low_s"] == pytest.approx(1.97)
    assert row["headline_high_s"] == row["high_s"] == pytest.approx(2.03)
    assert row["share_of_bound"] == pytest.approx(0.25)


def test_facts_of_a_record_are_in_their_columns(tmp_path):
    facts = {"matrix__rows": 10, "matrix__cols": 20, "model__bytes": 4800.0, "model__flops": 1600.0}
    record = hand_made.record("spmm", "omp_csr", [1.0] * 10, parameters={"k": 8}, **facts)
    row = line(table(tmp_path, record), "omp_csr")
    assert (row["rows"], row["columns"], row["entries"]) == (10, 20, 100)
    assert (row["model_bytes"], row["model_flops"]) == (4800.0, 1600.0)
    assert (row["instance"], row["parameters"], row["side"]) == ("k=8", "threads=16", "host")


def test_a_skipped_baseline_gives_no_speedup(tmp_path):
    skipped = {"status": "skipped", "reason": "no memory", "timing": None, "check": None}
    base = hand_made.record("spmm", "serial_csr", [8.0] * 10, backend="serial") | skipped
    row = line(table(tmp_path, base, hand_made.record("spmm", "omp_csr", [2.0] * 10)), "omp_csr")
    assert row[["speedup", "baseline", "speedup_1"]].isna().all()


def test_the_newest_measured_version_of_a_library_counts(tmp_path):
    def peer(version, **others):
        library = f"cuSPARSE {version}"
        return (
            hand_made.record(
                "spmm", "cusparse_csr", [2.0] * 12, backend="cuda", library=library, run=version
            )
            | others
        )

    def roles(*records):
        found = table(tmp_path, *records)
        return dict(zip(found["version"], found["role"], strict=True))

    both = roles(peer("12.9.4"), peer("12.10.1"))
    assert both == {"12.9.4": "older", "12.10.1": "compared"}
    skipped = {"status": "skipped", "reason": "too old", "timing": None, "check": None}
    one = roles(peer("12.9.4"), peer("13.0.0", **skipped))
    assert one == {"12.9.4": "compared", "13.0.0": "older"}


def test_a_setting_chosen_among_several_states_the_samples_that_did_not_choose_it(tmp_path):
    slow = hand_made.record("spmm", "omp_csr", [5.0] * 12, parameters={"k": 8, "threads": 1})
    samples = [2.0, 3.0] * 6
    fast = hand_made.record("spmm", "omp_csr", samples, parameters={"k": 8, "threads": 16})
    found = table(tmp_path, slow, fast)
    chosen, other = line(found, "omp_csr", threads=16), line(found, "omp_csr", threads=1)
    assert chosen["chosen"] and not other["chosen"]
    assert chosen["headline_s"] == stats.median(stats.divided(samples)[1])
    assert chosen["median_s"] == stats.median(samples)
    assert other["headline_s"] == other["median_s"] == 5.0


def test_a_skipped_cell_has_a_reason_and_no_times(tmp_path):
    record = hand_made.record("spmm", "omp_csr", [1.0] * 10)
    record |= {"status": "skipped", "reason": "no memory", "timing": None, "check": None}
    row = line(table(tmp_path, record), "omp_csr")
    assert (row["status"], row["reason"], row["chosen"]) == ("skipped", "no memory", False)
    assert row[[c.name for c in columns.COLUMNS if c.kind == "Float64"]].isna().all()


@pytest.mark.parametrize("name", SETS)
def test_the_ratios_of_a_set_are_those_of_its_report(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = load_cells(name).set_index("id")
    folder = ROOT / "report/measurements" / name
    report = tabled.of_set(folder)
    assert len(found) == len(report.every)
    pairs = comparisons.compared(report, name, "spmm", "device")
    assert pairs
    for pair in pairs:
        row = found.loc[pair.own().id]
        assert row["chosen"]
        assert row["library_ratio"] == pytest.approx(pair.ratio.value)
        assert row["library_verdict"] == stats.verdict(pair.ratio)
        assert row["library_id"] == pair.peer().id
        assert row["library_ratio_inf"] == pytest.approx(pair.speedup(math.inf))
    measured = found[found["status"] == "ok"]
    assert (measured["low_s"] <= measured["median_s"]).all()
    assert (measured["median_s"] <= measured["high_s"]).all()
    # Each algorithm of a row is represented by one of its settings.
    keys = ["machine", "problem", "matrix", "instance", "algorithm"]
    compared = measured[measured["role"] == "compared"]
    assert (compared.groupby(keys, dropna=False)["chosen"].sum() == 1).all()


def test_files_hold_the_same_cells(tmp_path, monkeypatch):
    found = table(tmp_path, hand_made.record("spmm", "omp_csr", [1.0] * 10))
    files = [tmp_path / "results/mine/cells.parquet", tmp_path / "results/mine/cells.csv"]
    cells.write(found, files)
    monkeypatch.chdir(tmp_path)
    pd.testing.assert_frame_equal(load_cells("mine"), found)
    pd.testing.assert_frame_equal(load_cells(files[0]), found)
    text = pd.read_csv(files[1], dtype={c.name: c.kind for c in columns.COLUMNS})
    text = text.fillna({"instance": "", "parameters": ""})  # in a text there is no difference
    pd.testing.assert_frame_equal(text, found)
    with pytest.raises(RecordsError, match=r"nowhere is neither a run \(known: mine\), nor a set"):
        load_cells("nowhere")


def test_the_page_of_the_columns_is_that_of_the_code():
    assert (ROOT / "docs/cells.md").read_text() == columns.documentation()


def test_an_installed_package_reads_cells_and_compares_without_the_checkout(tmp_path):
    """It lies beside no list of matrices: classes are those of the records' folder, if any."""
    site = tmp_path / "site"
    shutil.copytree(ROOT / "python/sparserepro", site / "sparserepro")
    folder = tmp_path / "mine"
    folder.mkdir()
    record = hand_made.record("spmm", "omp_csr", around(2.0, 0.01), matrix="cant")
    files = hand_made.files(folder, record)
    (folder / "catalogue").mkdir()
    files[2][0].rename(folder / "catalogue" / files[2][0].name)

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            env=os.environ | {"PYTHONPATH": str(site)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    code = "from sparserepro import load_cells; print(*load_cells('mine')['class'])"
    assert run("-c", code) == "unclassified\n"
    assert "  unlisted " in run("-m", "sparserepro", "compare", "mine/records.jsonl", "mine")


def test_a_report_of_no_record_is_refused(tmp_path, capsys):
    records, out = tmp_path / "records.jsonl", tmp_path / "cells.parquet"
    records.write_text("")
    assert cells.main(["--records", str(records), "--out", str(out)]) == 1
    assert capsys.readouterr().err == (
        "There is no report: nothing was measured, and report.sets has no record.\n"
    )
    assert not out.exists()
