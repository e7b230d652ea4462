"""Results of one part of a configuration, put into the set of their machine."""

import json
import subprocess

import pytest

from bundle_support import changed, each_record, sent_results

COMMIT = "c" * 40


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    return sent_results(tmp_path_factory.mktemp("sent"))


@pytest.fixture
def returned(sent, monkeypatch):
    home, results = sent
    target = home.path / "report/measurements/box"
    subprocess.run(["rm", "-rf", target], check=True)

    def run(*words):
        return home.run(monkeypatch, "import", *map(str, words))

    return run, results, target


def products_of_another_commit(folder):
    for path in (folder / "records/transpose").glob("*.jsonl"):
        path.unlink()
    each_record(folder, lambda record: record["build"].update(commit=COMMIT))


@pytest.fixture
def part(returned, tmp_path):
    """Products alone, measured later, with a lost job of the part and one of another."""
    _, results, _ = returned
    missing = {"spmm/cant.host.1.jsonl": "lost", "spmm/cant.device.1.jsonl": "it was not asked for"}
    path = tmp_path / "part.tar.gz"
    return changed(results, path, products_of_another_commit, commit=COMMIT, missing=missing)


def commits(path):
    return {json.loads(line)["build"]["commit"] for line in path.read_text().splitlines()}


def test_a_part_replaces_its_side_of_its_problems_alone(returned, part, capsys):
    run, results, target = returned
    assert run(results) == 0
    transposed = (target / "transpose.jsonl").read_bytes()
    (first,) = commits(target / "transpose.jsonl")
    count = len((target / "spmm.jsonl").read_text().splitlines())
    capsys.readouterr()
    assert run(part, "--part", "host") == 0
    told = capsys.readouterr().out
    assert "1 of 4 jobs have no records:\n  spmm/cant.host.1.jsonl: lost" in told
    assert "device" not in told
    assert (target / "transpose.jsonl").read_bytes() == transposed
    assert commits(target / "spmm.jsonl") == {COMMIT}
    assert len((target / "spmm.jsonl").read_text().splitlines()) == count
    readme = (target / "README.md").read_text()
    assert ", ".join(sorted([first, COMMIT])) in readme
    assert "cant.host.1" in readme and "cant.device.1" not in readme


def test_a_part_needs_the_set_as_it_was_written(returned, part, capsys):
    run, results, target = returned
    assert run(part, "--part", "host") == 2
    assert "--part host: there is no " in capsys.readouterr().err
    assert run(results) == 0
    (target / "transpose.jsonl").write_text("")
    assert run(part, "--part", "host") == 2
    assert "transpose.jsonl" in capsys.readouterr().err
    assert commits(target / "spmm.jsonl") != {COMMIT}


def test_records_of_one_side_are_of_one_commit(returned, part, tmp_path, capsys):
    run, results, target = returned
    assert run(results) == 0

    def on_the_device(folder):
        each_record(folder, lambda record: record.update(backend="cuda"))

    assert run(changed(part, tmp_path / "x.tar.gz", on_the_device), "--part", "device") == 0
    assert len(commits(target / "spmm.jsonl")) == 2
    capsys.readouterr()
    assert run(part, "--part", "host", "--dry-run") == 0
    assert "nothing was written" in capsys.readouterr().out
