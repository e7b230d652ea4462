"""The programs of examples/python run, and their records say what was measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from homes import need

FOLDER = Path(__file__).resolve().parents[2] / "examples/python"
PROGRAMS = {
    "gnn_layer": ("torch", ["--vertices", "300", "--degree", "4", "--features", "8"]),
    "solver_transposing": ("cupy", ["--unknowns", "100", "--equations", "500"]),
    "count_triangles": ("cupy", ["--vertices", "200", "--edges", "2000"]),
}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_example(name, device, tmp_path):
    library, sizes = PROGRAMS[name]
    if device == "cuda":
        need({"torch": "torch-device", "cupy": "cupy"}[library])
    elif library == "torch":
        need("torch-host")
    record = tmp_path / "record.json"
    done = subprocess.run(
        [
            *(sys.executable, "-W", "ignore", str(FOLDER / f"{name}.py"), *sizes),
            *("--device", device, "--samples", "3", "--json", str(record)),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "sparserepro" in done.stdout
    written = json.loads(record.read_text())
    assert written["example"] == name
    assert written["answers"] == "agree"
    assert written["versions"]["sparserepro"]
    assert all(size > 0 for size in written["sizes"].values())
    text = json.dumps(written["milliseconds"])
    assert "sparserepro" in text
    assert any(f"{other}" in text for other in ("SciPy", "CuPy", "torch.sparse.mm"))


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_all_in_one_record(device, tmp_path):
    if device == "cuda":
        need("cupy")
    file = tmp_path / "here.json"
    words = ("--sizes", "small", "--samples", "3", "--device", device, "--print", str(file))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(FOLDER / "record.py"), *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    written = json.loads(file.read_text())
    assert json.loads(done.stdout.splitlines()[-2]) == written
    assert written["machine"] == "here"
    assert written["device"] and written["host"] and written["versions"]["sparserepro"]
    # An example that lacks its library is named with the reason, and the others are there.
    missing = {name for name, reason in written["failed"].items() if "No module named" in reason}
    assert missing == set(written["failed"])
    assert missing | set(written["examples"]) == set(PROGRAMS)
    assert {"solver_transposing", "count_triangles"} <= set(written["examples"])
    assert done.returncode == (1 if missing else 0), done.stderr
