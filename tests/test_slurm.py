"""The workflow on a cluster, from nothing to both documents: Slurm on loopback, with the drivers
that the tests were built with. Skipped where Slurm cannot run."""

import contextlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import slurm_node
from sparserepro.build.facts import DRIVERS
from sparserepro.config.grid import available_cores

ROOT = Path(__file__).resolve().parent.parent
CONFIG = {
    "matrices": ["uniform-small"],
    "problems": {
        "primitives": {
            "instances": {"procedure": "scan", "length": 10000},
            "algorithms": ["serial_scan"],
        },
        "transpose": {"parameters": {"threads": "auto"}},
        "spmm": {"instances": {"k": 2}, "parameters": {"threads": [1]}},
        "triangles": {"matrices": ["social-small"], "parameters": {"threads": [1]}},
    },
    "timing": {
        "repetitions": 7, "min_repetitions": 7, "max_repetitions": 7,
        "time_cap_s": 0.01, "end_to_end": 1,
    },
    "download": {"enabled": False},
}  # fmt: skip


def hindrance() -> str:
    if why := slurm_node.hindrance():
        return why
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        return "snakemake-executor-plugin-slurm is not installed (./bootstrap --slurm)"
    absent = [name for name in DRIVERS if not (ROOT / "build/bin" / name).exists()]
    if absent or not shutil.which("latexmk"):
        return f"not there: {', '.join(absent or ['latexmk'])}"
    return ""


@pytest.fixture
def slurm():
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, contextlib.ExitStack() as stack:
        try:  # the folder's name is short, as those of sockets have to be
            stack.enter_context(slurm_node.running(Path(folder)))
        except RuntimeError as error:
            pytest.skip(f"Slurm does not start here: {error}")
        yield


def run(workdir, *words: str) -> subprocess.CompletedProcess[str]:
    profile = ["--profile", "workflow/profiles/slurm", "report", "--configfile", "test.yaml"]
    settings = ["--slurm-init-seconds-before-status-checks", "1", *words]
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *profile, *settings],
        cwd=workdir.path, env=workdir.environment, capture_output=True, text=True, timeout=1500,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(bool(hindrance()), reason=hindrance())
def test_slurm_runs_the_workflow_to_its_documents(built, slurm):
    built.environment |= {"SPARSEREPRO_GRES": "gpu:1", "TMPDIR": "/tmp"}
    built.write_config(**CONFIG)
    done = run(built)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    results = built.path / "results/test"
    for name in ("report.pdf", "supplement.pdf"):
        assert (results / name).read_bytes().startswith(b"%PDF")

    records = [
        json.loads(line)
        for path in results.glob("records/*/*/*.jsonl")
        for line in path.read_text().splitlines()
    ]
    cores = available_cores()
    assert {r["machine"]["cores_available"] for r in records} == {cores}  # the whole node
    (machine,) = {r["machine"]["id"] for r in records}
    assert re.fullmatch(rf"[a-z0-9-]+-{cores}c-[0-9a-f]{{6}}", machine)
    threads = {r["parameters"].get("threads") for r in records if r["problem"] == "transpose"}
    assert {1, cores} <= threads  # of the node, since the configuration leaves them to it
    (tree,) = (built.path / "build/nodes").iterdir()
    assert (tree / "bin/spmm").exists() and not (built.path / "build/bin").exists()

    jobs = slurm_node.jobs()
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    whole = {job["Comment"]: job for job in jobs if job["OverSubscribe"] == "NO"}
    measuring = {name for name in whole if name.startswith("rule_measure")}
    assert len(measuring) == 4 and set(whole) == {*measuring, "rule_build"}
    assert all(job["NumCPUs"] == str(cores) for job in whole.values())
    assert {job["NumCPUs"] for job in jobs if job["Comment"] not in whole} == {"1"}
    with_gpu = {job["Comment"] for job in jobs if job.get("TresPerNode") == "gres:gpu:1"}
    (of_the_host,) = set(whole) - with_gpu
    assert "primitives" in of_the_host and with_gpu < set(whole)

    again = run(built, "-n")
    assert "Nothing to be done" in again.stdout + again.stderr
