"""Runs of `sparserepro expression`: the matrix expression of the triangles problem."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema

from driver_runs import BIN, run

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
TIMING = {
    "repetitions": 3,
    "min_repetitions": 2,
    "max_repetitions": 3,
    "warmup": 1,
    "end_to_end": 1,
}
FEW = [f"--{name.replace('_', '-')}={value}" for name, value in TIMING.items()]
RMAT = "rmat:scale=7,edge_factor=6,seed=3"


def expression(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sparserepro", "expression", *words, *FEW]
    command += ["--drivers", str(BIN)]
    variables = os.environ | {"PYTHONPATH": str(ROOT / "python")} | environment
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=120, check=False
    )


def read(path: Path) -> list[dict]:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        jsonschema.Draft202012Validator(SCHEMA).validate(record)
    return records


def record_of_driver(folder: Path) -> dict:
    """Of `serial` on RMAT."""
    out = folder / "records.jsonl"
    words = [RMAT, "--algorithm", "serial", "--matrix-name", "social", *FEW, "--json", str(out)]
    done = run("triangles", *words, "--quiet", SPARSEREPRO_LOCK=str(folder / "lock"))
    assert done.returncode == 0, done.stderr
    (record,) = read(out)
    return record


def path_with_octave(folder: Path) -> str:
    """A PATH with the stand-in for octave-cli (support/fake_octave.py)."""
    program = folder / "programs" / "octave-cli"
    program.parent.mkdir()
    text = (ROOT / "tests/support/fake_octave.py").read_text()
    program.write_text(text.replace("#!/usr/bin/env python3", f"#!{sys.executable}", 1))
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"
