"""Tables of ablations are made from the records, as the pages of the kernels say."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hand_made
from sparserepro.ablation import table

ROOT = Path(__file__).resolve().parent.parent
RECORDS = sorted((ROOT / "report/ablations").rglob("*.jsonl"))


def record(path: str, seconds: list[float], **changes: Any) -> dict[str, Any]:
    given = {"k": 8, "path": path} | changes.pop("parameters", {})
    peer = changes.pop("peer", False)
    made = hand_made.record(
        "spmm", changes.pop("algorithm", "mine"), seconds, backend="cuda", matrix="cant",
        machine__id=changes.pop("machine", "box"), run=changes.pop("run", "first"),
        parameters=given, library="Theirs 1.0" if peer else None,
    )  # fmt: skip
    made["parameters"] = given
    skipped = {"reason": "no room", "check": None, "timing": None}
    return made | (skipped if changes.get("status") == "skipped" else {}) | changes


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


def test_a_library_is_compared_in_its_own_type_alone(tmp_path: Path) -> None:
    single = {"value_type": "fp32"}
    file = written(
        tmp_path,
        [
            record("auto", [4e-6]),
            record("auto", [2e-6], parameters=single),
            record("x", [8e-6], algorithm="theirs", peer=True, parameters={"path": "none"}),
            record(
                "x", [3e-6], algorithm="theirs", peer=True, parameters={"path": "none"} | single
            ),
        ],
    )
    assert table([file], "mine")[2:] == [
        "| cant, fp32, k=8 | 2.0 | 1.50 |",
        "| cant, k=8 | 4.0 | 2.00 |",
    ]


@pytest.mark.parametrize("other", [{"run": "second"}, {"machine": "slow"}])
def test_ratios_are_of_one_run_of_a_driver(tmp_path: Path, other: dict[str, str]) -> None:
    (tmp_path / "fast").mkdir()
    (tmp_path / "slow").mkdir()
    files = [
        written(tmp_path / "fast", [record("auto", [1e-6]), record("plain", [2e-6])]),
        written(
            tmp_path / "slow",
            [
                record("auto", [10e-6], **other),
                record("plain", [20e-6], **other),
                record("x", [5e-6], algorithm="theirs", peer=True, **other),
            ],
        ),
    ]
    assert table(files, "mine")[2:] == ["| cant, k=8 | 5.5 | 2.00 | 0.50 |"]
    # A path or library without auto beside it has no ratio.
    alone = written(tmp_path, [record("auto", [1e-6]), record("plain", [9e-6], **other)])
    assert table([alone], "mine")[2:] == ["| cant, k=8 | 1.0 |  |"]


@pytest.mark.parametrize(
    ("file", "algorithm", "tile", "words"),
    [
        ("report/ablations/h200/spmm.jsonl", "nosuch", "auto", "no measured cell of nosuch"),
        ("report/ablations/h200/spmm.jsonl", "cuda_csr_balanced", "7", "and tile=7"),
        ("nosuch.jsonl", "cuda_csr_balanced", "auto", "nosuch.jsonl is neither a file"),
        ("README.md", "cuda_csr_balanced", "auto", "README.md:1: not JSON"),
    ],
)
def test_what_gives_no_table_is_one_line(file: str, algorithm: str, tile: str, words: str) -> None:
    command = [sys.executable, "-m", "sparserepro.ablation", file, "--algorithm", algorithm]
    done = subprocess.run(
        [*command, "--tile", tile], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert words in done.stderr


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [("offset_bits", 32, 64), ("x_range", "positive", "signed"), ("strict", 0, 1), ("calls", 0, 9)],
)
def test_instances_that_differ_have_rows_of_their_own(
    tmp_path: Path, name: str, one: Any, other: Any
) -> None:
    fast, slow = {name: one}, {name: other}
    theirs = {"algorithm": "theirs", "peer": True}
    lines = [
        record("auto", [1e-6], parameters=fast),
        record("plain", [2e-6], parameters=fast),
        record("x", [3e-6], parameters=fast, **theirs),
        record("auto", [10e-6], parameters=slow),
        record("plain", [50e-6], parameters=slow),
        record("x", [40e-6], parameters=slow | {"payload": "fused"}, **theirs),
    ]
    assert table([written(tmp_path, lines)], "mine")[2:] == [
        f"| cant, k=8, {name}={one} | 1.0 | 2.00 | 3.00 |",
        f"| cant, k=8, {name}={other} | 10.0 | 5.00 | 4.00 |",
    ]
    # What is the same in all records is not printed.
    assert table([written(tmp_path, lines[:3])], "mine")[2:] == [
        "| cant, k=8 | 1.0 | 2.00 | 3.00 |"
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
