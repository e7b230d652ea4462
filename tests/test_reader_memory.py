"""Peak memory of a driver that reads a Matrix Market file, against the size of the matrix."""

import gzip
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from driver_runs import BIN

ROWS, ENTRIES = 400_000, 5_000_000


def digits(numbers: np.ndarray, width: int) -> np.ndarray:
    """The numbers in decimal with leading zeros, as bytes [n, width]."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    return (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)


def write(path: Path, symmetry: str) -> None:
    random = np.random.default_rng(1)
    rows = random.integers(1, ROWS + 1, ENTRIES)
    cols = random.integers(1, rows + 1 if symmetry == "symmetric" else ROWS + 1, ENTRIES)
    blank = np.full((ENTRIES, 1), ord(" "), np.uint8)
    one = np.full((ENTRIES, 1), ord("1"), np.uint8)
    point = np.full((ENTRIES, 1), ord("."), np.uint8)
    newline = np.full((ENTRIES, 1), ord("\n"), np.uint8)
    value = digits(random.integers(0, 10**9, ENTRIES), 9)
    parts = [digits(rows, 6), blank, digits(cols, 6), blank, one, point, value, newline]
    text = np.hstack(parts).tobytes()
    banner = f"%%MatrixMarket matrix coordinate real {symmetry}\n{ROWS} {ROWS} {ENTRIES}\n"
    bytes_ = banner.encode() + text
    path.write_bytes(gzip.compress(bytes_, 1) if path.suffix == ".gz" else bytes_)


def peak_bytes(command: list[str]) -> tuple[int, dict]:
    """Largest resident set of a program, and its output as JSON."""
    inner = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.stdout.write(done.stdout.decode())\n"
    )
    done = subprocess.run(
        ["python3", "-c", inner, *command], capture_output=True, text=True, check=True
    )
    peak, text = done.stdout.split("\n", 1)
    return int(peak) * 1024, json.loads(text)


@pytest.mark.parametrize("name", ["general.mtx", "symmetric.mtx", "general.mtx.gz"])
def test_reading_takes_less_than_two_and_a_half_matrices(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write(path, name.split(".")[0])
    peak, info = peak_bytes([str(BIN / "matrix_info"), str(path), "--json", "-"])
    assert info["entries_in_file"] == ENTRIES
    matrix = 8 * (info["rows"] + 1) + 12 * info["stored"]
    assert matrix < peak < 2.5 * matrix
