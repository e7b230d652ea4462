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
