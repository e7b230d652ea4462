"""Programs of the pipeline on a full disk: each ends with exit code 1 and one line, and leaves no
file that looks whole."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import report_fixtures
from sparserepro.data import digests

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "workflow/schemas/record.schema.json"
ENTRY = {"id": "m", "spec": "uniform:rows=3"}
ACCESS = {
    "staging": [], "strict": False, "sha256": None, "size": None,
    "download": {"enabled": False, "base_url": "http://127.0.0.1:9", "timeout_s": 1, "retries": 0},
}  # fmt: skip
JOB = {"problem": "transpose", "matrix": "m", "instance": {}, "algorithms": ["all"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What the programs read, and a driver that writes small files by itself."""
    folder = tmp_path_factory.mktemp("results")
    report_fixtures.write(folder, machines=1, matrices=2)
    records = folder / "collected/records.jsonl"
    digests.write_beside(records)
    (folder / "list").write_text(f"{records}\n")
    (folder / "m.json").write_text('{"name": "m", "path": null, "source": "uniform:rows=3"}')
    driver = folder / "driver"
    text = "import sys\nopen(sys.argv[sys.argv.index('--json') + 1], 'w').write('{}\\n')\n"
    driver.write_text(f"#!{sys.executable}\n{text}")
    driver.chmod(0o755)
    return folder


def programs(folder, out):
    """Arguments of each program, and the file that it is to make."""
    facts = ["--catalogues", *sorted((folder / "catalogue").glob("*.json"))]
    records = folder / "collected/records.jsonl"
    schema = ["--schema", SCHEMA]
    yield (
        "data.collect",
        ["--list", folder / "list", *schema, "--output", out, "--log", "/dev/null"],
    )
    yield "data.cells", ["--records", records, *facts, "--out", out.with_suffix(".csv")]
    matrices = ["--matrices", *sorted((folder / "matrices").glob("*.json"))]
    yield "data.archive", [records, *facts, *matrices, *schema, "--output", out]
    yield "data.digests", [folder / "collected"]
    yield "fetch.resolve", [
        "--definition", json.dumps(ENTRY), "--access", json.dumps(ACCESS), "--output", out,
        "--matrix-info", folder / "driver", "--resources", out.parent / "resources",
    ]  # fmt: skip
    yield "run.measure", [
        "--job", json.dumps(JOB), "--driver", folder / "driver", "--matrix", folder / "m.json",
        "--catalogue", folder / "catalogue/transpose.json", "--output", out,
        "--log", out.parent / "log",
    ]  # fmt: skip
    yield "build.facts", ["--facts", '[{"driver": "spmm"}]', "--output", out.parent]


def no_space():
    """Every write to a file fails, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.parametrize("name", [name for name, _ in programs(Path(), Path("x"))])
def test_a_full_disk_is_one_line(name, results, tmp_path):
    arguments = dict(programs(results, tmp_path / "out.jsonl"))[name]
    before = {path for path in results.rglob("*") if path.is_file()}
    done = subprocess.run(
        [sys.executable, "-B", "-m", f"sparserepro.{name}", *map(str, arguments)],
        preexec_fn=no_space, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    whole = [p for p in tmp_path.rglob("*") if p.is_file() and p.stat().st_size]
    assert whole == []
    assert {path for path in results.rglob("*") if path.is_file()} == before
