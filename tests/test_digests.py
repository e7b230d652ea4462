"""Records that were emptied, shortened, deleted or altered are noticed, by hashes."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sparserepro import records
from sparserepro.data import cells, collect, digests, sets
from sparserepro.data.archive import write_set
from test_collect import record  # noqa: F401
from test_workflow import COLLECTED, CONFIG, measured

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
SPOILT = {
    "emptied": lambda path: path.write_text(""),
    "shortened": lambda path: path.write_text(path.read_text()[:-40]),
    "a record less": lambda path: path.write_text(path.read_text().partition("\n")[2]),
    "another time": lambda path: path.write_text(
        re.sub(r'(kernel_s": ?\[)', r"\1 1e-9,", path.read_text(), count=1)
    ),
    "no text": lambda path: path.write_bytes(b"\xff" + path.read_bytes()),
}


@pytest.fixture
def kept(tmp_path, record):  # noqa: F811
    """A set of one machine with two records."""
    name = record["matrix"]["name"]
    other = record | {"algorithm": "cusparse_coo"}
    folder = tmp_path / "measurements/gpu-box"
    book = {"problem": "spmm"}
    write_set(folder, [record, other], {"spmm": book}, {name: {"name": name}})
    return folder


def run(inputs, archived, tmp_path, capsys):
    """Exit code of `collect` and what it says."""
    out, log = tmp_path / "records.jsonl", tmp_path / "collect.log"
    code = collect.job(inputs, archived, SCHEMA, out, log)
    return code, capsys.readouterr().err


def files_of(folder):
    return [folder / "spmm.jsonl", folder / digests.SUMS]


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_job_s_records_are_collected_as_they_were_written(spoil, record, tmp_path, capsys):  # noqa: F811
    path = tmp_path / "job.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in (record, record | {"peer": False})))
    digests.write_beside(path)
    assert run([path], [], tmp_path, capsys)[0] == 0
    spoil(path)
    code, said = run([path], [], tmp_path, capsys)
    assert code == 1
    assert f"{path} is not what its job wrote" in said
    with pytest.raises(records.RecordsError, match="is not what its job wrote"):
        list(records.read(path))


@pytest.mark.parametrize("spoil", [*SPOILT.values(), Path.unlink], ids=[*SPOILT, "deleted"])
def test_a_set_is_read_as_it_was_archived(spoil, kept, tmp_path, capsys):
    assert run([], files_of(kept), tmp_path, capsys)[0] == 0
    spoil(kept / "spmm.jsonl")
    code, said = run([], [kept / digests.SUMS], tmp_path, capsys)
    assert code == 1
    assert str(kept / "spmm.jsonl") in said
    assert len(said.splitlines()) == 1
    # A set without records is still one.
    assert sets.chosen(kept.parent, "all") == [kept]


def test_facts_and_strange_files_of_a_set_are_noticed(kept):
    (kept / "catalogue/spmm.json").write_text("{}")
    shutil.copy(kept / "spmm.jsonl", kept / "convert.jsonl")
    found = digests.differing(kept)
    assert [line.partition(" ")[2] for line in found] == [
        "is not in SHA256SUMS",
        "is not what was archived",
    ]
    with pytest.raises(records.RecordsError, match="not what was archived"):
        cells.of_set(kept)


def test_hashes_are_those_of_sha256sum_and_of_the_sets_that_are_kept(kept):
    command = ["sha256sum", "--check", "--strict", digests.SUMS]
    subprocess.run(command, cwd=kept, check=True, capture_output=True)
    program = [sys.executable, "-m", "sparserepro.data.digests", "--check"]
    folders = sets.chosen(ROOT / "report/measurements", "all")
    done = subprocess.run([*program, *folders], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    (kept / digests.SUMS).write_text("no hash\n")
    done = subprocess.run([*program, kept], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"{kept / digests.SUMS}:1: no SHA-256 and name of a file\n"


def test_a_set_is_not_added_to_where_it_was_altered(kept, tmp_path, record):  # noqa: F811
    (kept / "spmm.jsonl").write_text("")
    new = tmp_path / "new.jsonl"
    new.write_text(json.dumps(record | {"problem": "transpose"}) + "\n")
    command = [sys.executable, "-m", "sparserepro.data.archive", new, "--output", kept]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "spmm.jsonl is not what was archived" in done.stderr


def test_records_that_a_run_lost_are_measured_again(pretended):
    config = CONFIG | {"problems": {"primitives": {}, "transpose": {}}}
    arguments = [COLLECTED, "--configfile", pretended.write_config(**config)]
    assert pretended.snakemake(*arguments).returncode == 0
    pretended.calls()
    lost = pretended.path / "results/test/records/transpose/uniform-small/default.jsonl"
    lost.unlink()
    done = pretended.snakemake("-n", *arguments)
    assert "transpose" in done.stdout + done.stderr
    done = pretended.snakemake(*arguments)
    assert (done.returncode, measured(pretended.calls())) == (0, ["transpose"])
    lost.write_text("")
    done = pretended.snakemake(*arguments)
    assert done.returncode == 1
    assert f"{lost.relative_to(pretended.path)} is not what its job wrote" in done.stderr
    assert pretended.calls() == []
