"""Memory that does not suffice: a driver says what does not fit, and the system kills nothing."""

import json
import os
import re
import resource
import subprocess
import time
from pathlib import Path

import pytest

from driver_runs import BIN, FEW_SAMPLES, MATRIX_PROBLEMS, assert_refused

pytestmark = pytest.mark.usefixtures("own_lock")

LARGE = "banded:rows=2000000,diagonals=9"  # values take 137 MiB
LARGER = "banded:rows=3000000,diagonals=9"


def limited(kib: int, driver: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"ulimit -d {kib}; exec {BIN}/{driver} {LARGE}"],
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_an_array_that_does_not_fit_is_named_with_what_is_left() -> None:
    done = limited(400000, "transpose")
    assert_refused(done, "transpose", "an array of ", " MiB does not fit; ", " of 0.4 GiB are left")


def test_a_limit_of_addresses_is_named() -> None:
    done = subprocess.run(
        ["bash", "-c", f"ulimit -v 900000; exec {BIN}/transpose {LARGER}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert_refused(done, "transpose", "not enough memory")
    told = re.search(
        r"an array of (\S+) MiB does not fit; (\S+) of 0.9 GiB \(ulimit -v\) are left", done.stderr
    )
    assert float(told[1]) > 1024 * (float(told[2]) - 0.05)


@pytest.mark.parametrize("driver", ["transpose", "matrix_info"])
def test_a_matrix_beyond_the_limit_is_refused_before_it_is_made(driver: str) -> None:
    assert_refused(limited(180000, driver), driver, "17999980 entries need 0.3 GiB", "allows 0.2")


def test_a_later_instance_whose_reference_does_not_fit_is_refused_before_the_first() -> None:
    arguments = f"banded:rows=50000,diagonals=9 --k 1,500 -a serial_csr {' '.join(FEW_SAMPLES)}"
    done = subprocess.run(  # X takes 191 MiB, the reference 763
        ["bash", "-c", f"ulimit -d 600000; exec {BIN}/spmm {arguments}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert_refused(done, "spmm", "not enough memory for this instance (k=500 ", "does not fit; ")


def data_limit(process: subprocess.Popen[str]) -> int:
    return resource.prlimit(process.pid, resource.RLIMIT_DATA)[0]


def test_a_driver_takes_no_more_than_is_free() -> None:
    with subprocess.Popen(
        [BIN / "transpose", LARGE, "-a", "serial", "-q", "--time-cap", "60"], text=True
    ) as process:
        try:
            end = time.monotonic() + 20
            while data_limit(process) == resource.RLIM_INFINITY:
                assert time.monotonic() < end and process.poll() is None
                time.sleep(0.01)
            total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            assert 0 < data_limit(process) < total
        finally:
            process.kill()


def test_a_limit_of_the_user_stands() -> None:
    with subprocess.Popen(
        ["bash", "-c", f"ulimit -d 900000; exec {BIN}/transpose {LARGE} -a serial -q"], text=True
    ) as process:
        try:
            begun = Path(f"/proc/{process.pid}/comm")  # the shell's, then the driver's
            end = time.monotonic() + 20
            while begun.read_text() != "transpose\n":
                assert time.monotonic() < end and process.poll() is None
                time.sleep(0.01)
            time.sleep(0.5)
            assert data_limit(process) == 900000 * 1024
            assert begun.read_text() == "transpose\n"  # also once it has started itself again
        finally:
            process.kill()


@pytest.mark.parametrize("driver", MATRIX_PROBLEMS)
def test_cells_are_measured_or_skipped_whatever_the_limit(driver: str, tmp_path: Path) -> None:
    few = sorted(os.sched_getaffinity(0))[:2]
    outcomes = set()
    for mib in (150, 250, 400, 700, 3000):  # the last for caches of hundreds of MiB
        records = tmp_path / f"{mib}.jsonl"
        arguments = f"banded:rows=300000,diagonals=9 {' '.join(FEW_SAMPLES)} -q --json {records}"
        done = subprocess.run(
            ["bash", "-c", f"ulimit -d {mib * 1024}; exec {BIN}/{driver} {arguments}"],
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=lambda: os.sched_setaffinity(0, few),
        )
        if done.returncode != 0:
            assert_refused(done, driver, "not enough memory for this instance")
            outcomes.add("refused")
            continue
        cells = [json.loads(line) for line in records.read_text().splitlines()]
        outcomes |= {cell["status"] for cell in cells}
        lacking = [cell for cell in cells if "not enough memory" in (cell["reason"] or "")]
        assert all(" GiB are left" in cell["reason"] for cell in lacking)
        outcomes |= {"lacking" for _ in lacking}
    assert {"ok", "skipped"} <= outcomes
