"""The threads that the drivers run with, and the lock of measurements."""

import fcntl
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from driver_runs import BIN, CORES, FEW_SAMPLES, MATRIX, records_of

pytestmark = pytest.mark.usefixtures("own_lock")


def test_threads_are_those_of_the_option_whatever_the_environment_says() -> None:
    for inherited in ("1", "7"):
        (record,) = records_of(
            "transpose", MATRIX, "-a", "omp_scantrans", OMP_NUM_THREADS=inherited
        )
        assert record["parameters"]["threads"] == CORES
        (record,) = records_of(
            "transpose",
            MATRIX,
            "-a",
            "omp_scantrans",
            "--threads",
            "1",
            OMP_NUM_THREADS=inherited,
        )
        assert record["parameters"]["threads"] == 1


def most_threads(*arguments: str, **environment: str) -> int:
    """The largest number of threads that a transposition was seen to have while it ran."""
    process = subprocess.Popen(
        [BIN / "transpose", *arguments, "--quiet"], env=os.environ | environment
    )
    status = Path(f"/proc/{process.pid}/status")
    most = 0
    while process.poll() is None:
        lines = status.read_text().splitlines()
        most = max([most, *(int(x.split()[1]) for x in lines if x.startswith("Threads:"))])
        time.sleep(0.002)
    assert process.returncode == 0
    return most


@pytest.mark.skipif(CORES < 2, reason="one core: every run has one thread")
def test_kernels_run_with_the_threads_asked_for() -> None:
    big = ["200000", "200000", "2000000", "-a", "omp_scantrans", *FEW_SAMPLES]
    assert most_threads(*big, "--threads", "2", OMP_NUM_THREADS="1") == 2
    assert most_threads(*big, "--threads", "2", OMP_NUM_THREADS="7") <= CORES


def test_more_threads_than_cores_is_skipped_with_the_reason() -> None:
    records = records_of("transpose", MATRIX, "-a", "omp_scantrans", "--threads", f"1,{CORES + 1}")
    assert [record["status"] for record in records] == ["ok", "skipped"]
    assert f"only {CORES} core" in records[1]["reason"]


@pytest.mark.parametrize("threads", ["2147483648", "4294967297"])
def test_a_number_beyond_32_bits_is_no_number_of_threads(threads: str) -> None:
    (record,) = records_of("transpose", MATRIX, "-a", "omp_scantrans", "--threads", threads)
    assert record["status"] == "skipped"
    assert record["reason"].startswith(f"threads = {threads}: only")


@pytest.mark.skipif(CORES < 2, reason="one core: every run has one thread")
def test_fewer_threads_than_asked_for_are_no_measurement() -> None:
    few = {"OMP_THREAD_LIMIT": "1"}
    asked = ["transpose", MATRIX, "-a", "omp_scantrans"]
    (record,) = records_of(*asked, "--threads", "2", **few)
    assert record["reason"] == "threads = 2: OpenMP gives 1 (OMP_THREAD_LIMIT, OMP_DYNAMIC)"
    (record,) = records_of(*asked, **few)
    assert (record["status"], record["parameters"]["threads"]) == ("ok", 1)


def test_only_processors_of_the_affinity_mask_count() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        (record,) = records_of("transpose", MATRIX, "-a", "serial")
    finally:
        os.sched_setaffinity(0, allowed)
    assert record["machine"]["cores_available"] == 1


def test_the_lock_is_held_while_the_driver_measures(tmp_path: Path) -> None:
    path = tmp_path / "sparserepro-measurement.lock"
    path.touch()
    target = tmp_path / "records.jsonl"
    exactly = ["--repetitions", "40", "--min-repetitions", "40", "--max-repetitions", "40"]
    others = ["--precision", "0", "--end-to-end", "3", "--quiet", "--json", str(target)]
    driver = subprocess.Popen(
        [BIN / "transpose", "100000", "100000", "1000000", "-a", "serial", *exactly, *others],
        env=os.environ | {"SPARSEREPRO_LOCK": str(path)},
    )
    held_s, last = 0.0, time.monotonic()
    with path.open() as lock:
        while driver.poll() is None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.flock(lock, fcntl.LOCK_UN)
                held = False
            except BlockingIOError:
                held = True
            time.sleep(0.005)
            now = time.monotonic()
            held_s += now - last if held else 0.0
            last = now
    assert driver.returncode == 0
    timing = json.loads(target.read_text())["timing"]
    sampled_s = sum(timing["kernel_s"]) * timing["batch"] + sum(timing["end_to_end"][0]["total_s"])
    assert len(timing["kernel_s"]) == 40
    assert held_s > sampled_s


def test_a_second_measurement_waits_for_the_first(tmp_path: Path) -> None:
    path = tmp_path / "sparserepro-measurement.lock"
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = subprocess.Popen(
            [BIN / "transpose", MATRIX, "-a", "serial", *FEW_SAMPLES],
            env=os.environ | {"SPARSEREPRO_LOCK": str(path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert waiting.stderr.readline() == f"waiting: another measurement holds {path}\n"
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=0.5)
    out, _ = waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    assert "serial" in out


def test_the_lock_is_one_for_all_users_and_temporary_folders(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    one = [BIN / "transpose", MATRIX, "-a", "serial", *FEW_SAMPLES]
    environment = os.environ | {"SPARSEREPRO_LOCK": str(path), "TMPDIR": "/nowhere"}
    done = subprocess.run(one, env=environment, umask=0o077, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert path.stat().st_mode & 0o777 == 0o666


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "folder"])
def test_what_is_no_file_is_no_lock(tmp_path: Path, make) -> None:
    path = tmp_path / "lock"
    make(path)
    one = [BIN / "transpose", MATRIX, "-a", "serial", *FEW_SAMPLES]
    environment = os.environ | {"SPARSEREPRO_LOCK": str(path)}
    done = subprocess.run(one, env=environment, capture_output=True, text=True, timeout=20)
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"transpose: cannot open the measurement lock {path}: not a plain"
    )
