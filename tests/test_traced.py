"""Of which run `sparserepro trace` tells, how it finds names, and what it says of builds."""

import json
import os
import re
from pathlib import Path

import pytest

import hand_made
from sparserepro import again, cli, trace_text, traced
from sparserepro.records import identity
from sparserepro.views import tables


def small_report(folder: Path, name: str, *records) -> Path:
    run = folder / "results" / name
    (run / "collected").mkdir(parents=True)
    report = hand_made.report(run / "collected", *records)
    tables.write(report, run / "report" / "tables")
    return run / "report" / "tables" / "trace.json"


@pytest.fixture
def two_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for age, name in enumerate(("one", "two")):
        records = [
            hand_made.record("spmm", algorithm, [seconds] * 12, parameters={"k": 8}, backend=where)
            for algorithm, seconds, where in (
                ("serial_csr", 1.0 + age, "serial"),
                ("omp_csr", 0.5, "omp"),
            )
        ]
        os.utime(small_report(tmp_path, name, *records), (1000 - age, 1000 - age))


def test_the_newest_report_is_asked_unless_a_run_is_named(two_runs, capsys):
    asked = ["trace", "tab:spmm-times-gpu-box", "m", "serial_csr", "--json"]
    assert cli.main(asked) == 0
    assert json.loads(capsys.readouterr().out)["shown"] == "1000(1)"
    assert cli.main([*asked, "--run", "two"]) == 0
    assert json.loads(capsys.readouterr().out)["shown"] == "2.000(1)"


def test_records_that_the_report_was_not_made_of_are_told(two_runs, capsys):
    path = Path("results/one/collected/records.jsonl")
    path.write_text(path.read_text().replace("0.5", "0.6"))
    assert cli.main(["trace", "tab:spmm-times-gpu-box", "m", "omp_csr"]) == 2
    assert "make the report again" in capsys.readouterr().err


def test_without_a_report_one_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["trace"]) == 2
    error = capsys.readouterr().err
    assert "there is no report yet" in error
    assert len(error.splitlines()) == 1


def test_another_commit_and_uncommitted_changes_are_told(monkeypatch):
    record = hand_made.record("spmm", "omp_csr", [1.0] * 12, build__dirty=True)
    commit = record["build"]["commit"]
    located = traced.Located("0" * 8, Path("records.jsonl"), 1, record)
    monkeypatch.setattr(again, "head", lambda: "f" * 40)
    assert f"git checkout {commit}  # HEAD is ffffffffff" in trace_text.long_text(located, [])
    monkeypatch.setattr(again, "head", lambda: commit)
    text = trace_text.long_text(located, [])
    assert "git checkout" not in text
    assert f"{commit} with uncommitted changes" in text


def test_an_id_is_of_the_values_and_not_of_their_order():
    record = hand_made.record("spmm", "omp_csr", [1.0] * 12)
    turned = dict(reversed(record.items()))
    other = hand_made.record("spmm", "omp_csr", [*[1.0] * 11, 1.1])
    assert re.fullmatch("[0-9a-f]{8}", identity(record))
    assert identity(turned) == identity(record) != identity(other)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("cant k=8", ["cant k=8", ]),
        ("cant", ["cant k=8", "cant k=80"]),
        ("k=8", ["cant k=8", "cantor k=8"]),
        ("8 CANTOR", ["cantor k=8"]),
        ("antor", ["cantor k=8"]),
        ("boneS10", []),
    ],
)  # fmt: skip
def test_names_are_matched_whole_then_by_words_then_by_parts(asked, found):
    assert traced.matches(["cant k=8", "cant k=80", "cantor k=8"], asked) == found
