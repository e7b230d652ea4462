"""Results of one part of a configuration, put into the set of their machine."""

import json

import pytest

from bundle_support import changed, each_record

COMMIT = "c" * 40


def products_of_another_commit(folder):
    for path in (folder / "records/transpose").glob("*.jsonl"):
        path.unlink()
    for path in (folder / "records/spmm").glob("*.1.jsonl"):
        path.rename(path.with_name(path.name.replace(".1.jsonl", ".host-small.1.jsonl")))
    each_record(folder, lambda record: record["build"].update(commit=COMMIT))


@pytest.fixture
def part(returned, tmp_path):
    """Products alone, measured later, with a lost job of the part, one of another and one of
    another problem."""
    _, results, _ = returned
    missing = {
        "spmm/cant.host-large.1.jsonl": "lost",
        "spmm/cant.device.1.jsonl": "not asked for",
        "triangles/cant.host-large.1.jsonl": "not asked for",
    }
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
    assert "1 of 4 jobs have no records:\n  spmm/cant.host-large.1.jsonl: lost" in told
    assert "device" not in told and "triangles" not in told
    assert (target / "transpose.jsonl").read_bytes() == transposed
    assert commits(target / "spmm.jsonl") == {COMMIT}
    assert len((target / "spmm.jsonl").read_text().splitlines()) == count
    readme = (target / "README.md").read_text()
    assert ", ".join(f"`{commit}`" for commit in sorted([first, COMMIT])) in readme
    assert "cant.host-large.1" in readme and "cant.device.1" not in readme
    assert "Of the other parts this page knows nothing" in readme


def test_a_part_needs_the_set_as_it_was_written(returned, part, capsys):
    run, results, target = returned
    assert run(part, "--part", "host") == 2
    assert "--part host: there is no " in capsys.readouterr().err
    assert run(results) == 0
    (target / "transpose.jsonl").write_text("")
    assert run(part, "--part", "host") == 2
    assert "transpose.jsonl" in capsys.readouterr().err
    assert commits(target / "spmm.jsonl") != {COMMIT}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--part", "hots"], "--part hots: the results have jobs of other parts: spmm/"),
        (["--part", "device"], "--part device: the results have jobs of other parts: spmm/"),
        (["--part", "host", "--replace"], "not allowed with argument"),
    ],
)
def test_a_part_is_that_of_its_jobs(returned, part, capsys, words, told):
    run, results, target = returned
    assert run(results) == 0
    before = (target / "spmm.jsonl").read_bytes()
    try:
        code = run(part, *words)
    except SystemExit as error:
        code = error.code
    assert code == 2
    assert told in capsys.readouterr().err
    assert (target / "spmm.jsonl").read_bytes() == before


def test_a_run_with_device_algorithms_is_the_devices_as_a_whole(returned, part, tmp_path):
    run, results, target = returned

    def serial_on_the_host(folder):
        each_record(
            folder,
            lambda r: r.update(backend="serial" if r["algorithm"] == "serial" else "cuda"),
        )

    assert run(changed(results, tmp_path / "x.tar.gz", serial_on_the_host)) == 0
    before = len((target / "spmm.jsonl").read_text().splitlines())
    assert run(part, "--part", "host") == 0
    assert len((target / "spmm.jsonl").read_text().splitlines()) == 2 * before
    assert len(commits(target / "spmm.jsonl")) == 2


def test_algorithms_that_the_build_of_the_part_lacks_stay_described(returned, part, tmp_path):
    run, results, target = returned
    assert run(results) == 0
    book = target / "catalogue/spmm.json"
    before = json.loads(book.read_text())["algorithms"]

    def without_the_first(folder):
        path = folder / "records/catalogue/spmm.json"
        told = json.loads(path.read_text())
        told["algorithms"][0].update(unavailable="built without CUDA", summary="?")
        told["algorithms"][1].update(summary="new")
        path.write_text(json.dumps(told))

    assert run(changed(part, tmp_path / "x.tar.gz", without_the_first), "--part", "host") == 0
    after = json.loads(book.read_text())["algorithms"]
    assert after[0] == before[0]
    assert after[1] == before[1] | {"summary": "new"}
