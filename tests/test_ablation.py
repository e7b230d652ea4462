"""Tables of ablations are made from the records, as the pages of the kernels say."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparserepro.ablation import table

ROOT = Path(__file__).resolve().parent.parent
RECORDS = sorted((ROOT / "report/ablations").rglob("*.jsonl"))


def record(path: str, seconds: list[float], **changes: Any) -> dict[str, Any]:
    parameters = {"k": 8, "path": path} | changes.pop("parameters", {})
    return {
        "problem": "spmm",
        "algorithm": "mine",
        "peer": False,
        "status": "ok",
        "matrix": {"name": "cant"},
        "parameters": parameters,
        "timing": {"kernel_s": seconds},
    } | changes


def written(folder: Path, records: list[dict[str, Any]]) -> Path:
    file = folder / "records.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in records))
    return file


def test_times_are_relative_to_auto_and_to_the_fastest_library(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        [
            record("auto", [2e-6, 4e-6, 3e-6]),
            record("plain", [6e-6]),
            record("plain", [99.0], status="skipped"),
            record("plain", [1.0], parameters={"ranks": "vote"}),
            record("x", [9e-6], algorithm="theirs", peer=True, parameters={"path": "none"}),
            record("x", [4.5e-6], algorithm="theirs", peer=True, parameters={"path": "none"}),
        ],
    )
    assert table([file], "mine") == [
        "| matrix | auto, us | plain | library |",
        "| --- | --- | --- | --- |",
        "| cant, k=8 | 3.0 | 2.00 | 1.50 |",
    ]


def test_an_instance_without_auto_has_no_row(tmp_path: Path) -> None:
    file = written(tmp_path, [record("plain", [1.0])])
    assert len(table([file], "mine")) == 2


@pytest.mark.parametrize("file", RECORDS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_archived_ablations_are_whole(file: Path) -> None:
    text = file.read_text()
    records = [json.loads(line) for line in text.splitlines()]
    assert records
    assert all(one["check"]["verified_after"] for one in records if one["status"] == "ok")
    assert all(not one["build"]["dirty"] for one in records)
    assert "/tmp/" not in text and "/work/" not in text and "/root/" not in text


def test_the_command_of_the_pages_prints_a_table() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "sparserepro.ablation", "report/ablations/h200/spmm.jsonl"),
            *("--algorithm", "cuda_csr_balanced"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 2 + 78
    assert "| memplus, k=64 | 11.7 | 1.00 |" in done.stdout
