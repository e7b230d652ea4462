"""Drivers with the cache of matrices: the same records, whatever happens to it."""

import json
import os
import resource
import subprocess
import time
from pathlib import Path

import pytest

from driver_runs import BIN, FEW_SAMPLES, run

pytestmark = pytest.mark.usefixtures("own_lock")

N = 120_000


@pytest.fixture(scope="module")
def matrix(tmp_path_factory) -> Path:
    """More than 2 MiB, not changed for a while."""
    path = tmp_path_factory.mktemp("source") / "wide band.mtx"
    lines = (f"{i} {max(1, i * 7919 % i)} {i % 7 - 3}\n" for i in range(1, N + 1))
    head = f"%%MatrixMarket matrix coordinate integer symmetric\n{N} {N} {N}\n"
    path.write_text(head + "".join(lines) + "% a comment at the end" * 100_000)
    assert path.stat().st_size > 2 << 20
    time.sleep(0.1)
    return path


def info(matrix: Path, cache: Path | str, **environment: str) -> tuple[dict, str]:
    done = run(
        "matrix_info", str(matrix), "--json", "-", SPARSEREPRO_CACHE=str(cache), **environment
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts.pop("read_seconds") > 0
    return facts, done.stderr


def test_the_second_reading_is_from_the_cache(matrix: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    want, _ = info(matrix, "no")
    assert not cache.exists()
    for place in (" s\n", " s, from the cache\n"):
        done = run("matrix_info", str(matrix), SPARSEREPRO_CACHE=str(cache))
        assert (done.returncode, done.stderr) == (0, "")
        line = next(line for line in done.stdout.splitlines(True) if line.startswith("read in"))
        assert line.endswith(place)
    assert info(matrix, cache) == (want, "")
    assert len(list(cache.iterdir())) == 1


def test_records_are_the_same(matrix: Path, tmp_path: Path) -> None:
    """All but times, and what belongs to a run."""
    cache = tmp_path / "cache"
    records = []
    command = [str(matrix), "--algorithm", "serial", *FEW_SAMPLES, "--json"]
    for n, said in enumerate([" s\n", " s, from the cache\n"]):
        out = tmp_path / f"{n}.jsonl"
        done = run("transpose", *command, str(out), SPARSEREPRO_CACHE=str(cache))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines(True)[0].startswith(f"read {matrix} in ")
        assert done.stdout.splitlines(True)[0].endswith(said)
        record = json.loads(out.read_text())
        keys = ("matrix", "parameters", "check", "model", "workspace_bytes", "measures", "status")
        records.append({key: record[key] for key in keys} | {"keys": list(record)})
    assert records[0] == records[1]
    assert records[0]["matrix"]["sha256"] is not None
    quiet = run("transpose", *command, "-", "--quiet", SPARSEREPRO_CACHE=str(cache))
    assert quiet.stdout.count("\n") == 1
    json.loads(quiet.stdout)


def test_a_changed_source_is_parsed_again(matrix: Path, tmp_path: Path) -> None:
    source, cache = tmp_path / "copy.mtx", tmp_path / "cache"
    text = matrix.read_text()
    source.write_text(text)
    before = source.stat()
    time.sleep(0.1)
    first, _ = info(source, cache)
    source.write_text(text.replace("\n1 1 -2\n", "\n1 1 -1\n"))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time
    time.sleep(0.1)
    second, notes = info(source, cache)
    assert notes == ""
    assert first["sha256"] != second["sha256"]
    assert info(source, "no")[0] == second == info(source, cache)[0]


def test_a_damaged_file_is_named_and_made_anew(matrix: Path, tmp_path: Path) -> None:
    want, _ = info(matrix, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:50_000] + bytes([whole[50_000] ^ 1]) + whole[50_001:])
    facts, notes = info(matrix, tmp_path)
    assert facts == want
    assert notes == f"matrix_info: cache file {file} is not used: its content is damaged\n"
    assert file.read_bytes() == whole
    assert info(matrix, tmp_path) == (want, "")


def test_a_full_disk_costs_a_note(matrix: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [BIN / "matrix_info", matrix, "--json", "-"],
        env=os.environ | {"SPARSEREPRO_CACHE": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["rows"] == N
    assert done.stderr.endswith("cannot be kept: File too large\n")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_limit_is_refused(matrix: Path, tmp_path: Path) -> None:
    done = run("matrix_info", str(matrix), SPARSEREPRO_CACHE_GIB="much")
    assert done.returncode == 1
    assert done.stderr == "matrix_info: SPARSEREPRO_CACHE_GIB: 'much' is no positive number\n"


def test_many_at_once(matrix: Path, tmp_path: Path) -> None:
    want, _ = info(matrix, "no")
    jobs = [
        subprocess.Popen(
            [BIN / "matrix_info", matrix, "--json", "-"],
            env=os.environ | {"SPARSEREPRO_CACHE": str(tmp_path)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(6)
    ]  # fmt: skip
    for job in jobs:
        out, error = job.communicate(timeout=120)
        facts = json.loads(out)
        facts.pop("read_seconds")
        assert (facts, error) == (want, "")
    assert [file.suffix for file in tmp_path.iterdir()] == [".csr"]
    assert info(matrix, tmp_path) == (want, "")


def test_help_names_the_cache() -> None:
    for driver in ("matrix_info", "spmm"):
        assert "SPARSEREPRO_CACHE names\nthe folder" in run(driver, "--help").stdout
