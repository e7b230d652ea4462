"""Running the drivers in tests: small instances, few samples, what a refusal looks like."""

import functools
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / os.environ.get("SPARSEREPRO_BUILD", "build") / "bin"
CORES = len(os.sched_getaffinity(0))

MATRIX = "uniform:rows=300,cols=300,nnz=2500,seed=3"
SMALL_INSTANCE = {
    "primitives": [
        "--length=5000",
        "--procedure=scan,segmented_sort,merge,index_to_pointers,pointers_to_index",
    ],
    "transpose": [MATRIX],
    "convert": [MATRIX],
    "spmm": [MATRIX, "--k", "1,4"],  # some algorithms are for one column alone
    "triangles": ["rmat:scale=8,edge_factor=8,seed=1"],
}
PROBLEMS = list(SMALL_INSTANCE)
MATRIX_PROBLEMS = [problem for problem in PROBLEMS if problem != "primitives"]
FEW_SAMPLES = [
    "--repetitions",
    "3",
    "--min-repetitions",
    "2",
    "--max-repetitions",
    "3",
    "--warmup",
    "1",
    "--end-to-end",
    "1",
    "--again",  # not all once more on a machine that runs other tests too
    "1",
]


def run(driver: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / driver, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def catalogue(driver: str) -> dict:
    done = run(driver, "--list", "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def first_algorithm(driver: str) -> str:
    """A serial one: it runs on every machine."""
    entry = catalogue(driver)["algorithms"][0]
    assert entry["backend"] == "serial"
    return entry["name"]


def records_of(driver: str, *arguments: str, **environment: str) -> list[dict]:
    done = run(driver, *arguments, *FEW_SAMPLES, "--quiet", "--json", "-", **environment)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@functools.cache
def small_records(driver: str) -> tuple[dict, ...]:
    """Those of the small instance, for tests that only read them."""
    return tuple(records_of(driver, *SMALL_INSTANCE[driver]))


def assert_refused(done: subprocess.CompletedProcess[str], driver: str, *parts: str) -> None:
    """Exit code 1, nothing on standard output, and one line that starts with the driver's name."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"{driver}: ")
    for part in parts:
        assert part in done.stderr
