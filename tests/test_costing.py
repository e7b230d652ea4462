"""`sparserepro cost`: minutes from records where there are any, else by sizes, and what is told."""

import json

import pytest

from sparserepro.cli import main
from sparserepro.fetch.wanted import planned
from sparserepro.run import costing, plan

CONFIG = {
    "name": "test",
    "matrices": ["uniform-small", "cant"],
    "problems": {"spmm": {"instances": {"k": [1, 8]}}},
}
TIMING = {
    "kernel_s": [30.0] * 4, "cache": "flushed", "batch": 1, "warmup_s": [], "preprocess_s": [],
    "end_to_end": [],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.json").write_text(json.dumps(CONFIG))
    return tmp_path


def minutes(said: str, line: str) -> list[float]:
    row = next(row for row in said.splitlines() if row.split()[:1] == [line])
    return [float(value) for value in row.split()[1:]]


def record(job, folder):
    path = plan.file_of(job, folder / "results/test/records")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"backend": b, "timing": TIMING, "argv": ["spmm"]} for b in ("omp", "cuda", "cuda")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_jobs_with_records_take_what_their_samples_took(folder, capsys):
    made = planned(folder / "test.json")
    for job in made.jobs:
        record(job, folder)
    assert main(["cost", "--configfile", "test.json"]) == 0
    said = capsys.readouterr().out
    jobs, host, device = minutes(said, "spmm")
    assert jobs == 4
    assert host == pytest.approx(4 * 2, abs=0.5)  # and four starts
    assert device == 4 * 4
    assert minutes(said, "all") == [jobs, host, device]
    assert "4 jobs take what the samples of their records took" in said
    assert "by sizes" not in said


def test_without_records_it_says_what_it_assumes(folder, capsys):
    assert main(["cost", "--configfile", "test.json"]) == 0
    said = capsys.readouterr().out
    assert "4 jobs on 2 matrices" in said
    assert "4 jobs have no records: by sizes" in said
    assert "downloads: 1 matrices: about 15 MB to fetch, 60 MB on disk" in said
    assert "sizes: 1 from the lock" in said
    assert minutes(said, "spmm")[2] > 0
    assert not (folder / "resources").exists()


def test_a_configuration_without_cuda_takes_no_gpu(folder, capsys):
    (folder / "test.json").write_text(json.dumps(CONFIG | {"cuda": False}))
    assert main(["cost", "--configfile", "test.json"]) == 0
    assert minutes(capsys.readouterr().out, "all")[2] == 0


def test_a_problem_without_a_catalogue_is_at_its_time_caps(folder, monkeypatch):
    monkeypatch.setattr(costing, "MEASUREMENTS", folder)
    made = planned(folder / "test.json")
    found = costing.totals(made)["spmm"]
    assert found.capped == 4
    assert found.host_s > sum(plan.upper_seconds(job, None) for job in made.jobs)


def test_a_matrix_that_is_not_listed_is_refused(folder, capsys):
    (folder / "test.json").write_text(json.dumps(CONFIG | {"matrices": ["cnat"]}))
    assert main(["cost", "--configfile", "test.json"]) == 2
    assert 'did you mean "cant"?' in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cost", "fetch", "lock", "export"])
def test_a_staging_folder_that_is_not_there_is_refused(folder, capsys, command):
    (folder / "a file").touch()
    for name in ("nosuch", "a file", ""):
        with pytest.raises(SystemExit) as left:
            main([command, "--configfile", "test.json", "--output", "x.tar", "--staging", name])
        assert left.value.code == 2
        assert f"argument --staging: {name} is not a folder" in capsys.readouterr().err
