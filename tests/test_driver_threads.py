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
        env=os.environ | {"TMPDIR": str(tmp_path)},
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
            env=os.environ | {"TMPDIR": str(tmp_path)},
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
