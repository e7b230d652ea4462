"""Results that came back: what is refused, and what becomes of the sets that are there."""

import json
import tarfile
from pathlib import Path

import pytest

from bundle_support import ROOT, changed, each_record
from sparserepro.bundle import recorded
from sparserepro.config.matrix_list import load_matrix_list
from sparserepro.offline.packing import MANIFEST, Member, write_archive


def corrupted(folder):
    path = folder / "records/transpose/fem-small.1.jsonl"
    path.write_text(path.read_text().replace("0.001,", "0.0001,"))


def strange(folder):
    (folder / "records/transpose/more.jsonl").write_text("")


def lost(folder):
    (folder / "records/transpose/fem-small.1.jsonl").unlink()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (corrupted, "fem-small.1.jsonl: other content"),
        (strange, "more.jsonl: not in the manifest"),
        (lost, "fem-small.1.jsonl: missing"),
    ],
)
def test_every_file_of_results_has_its_hash(returned, tmp_path, capsys, change, words):
    run, results, target = returned
    assert run(changed(results, tmp_path / "x.tar.gz", change, hashed=False)) == 2
    assert words in capsys.readouterr().err
    assert not target.exists()


def of(**values):
    """A change of each record: machine__id="x" and the like."""

    def change(record):
        for path, value in values.items():
            *above, last = path.split("__")
            place = record
            for key in above:
                place = place[key]
            place[last] = value

    return lambda folder: each_record(folder, change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (of(machine__id="elsewhere"), "is of machine elsewhere, the results are of box"),
        (of(build__commit="b" * 40), f"is of commit {'b' * 40}, the results are of"),
        (of(build__dirty=True), "8 records: built from a tree with changes"),
        (of(timing__kernel_s=[1e-3] * 9), "fewer than 10 samples"),
        (of(backend="gpu"), "records/spmm/uniform-small.1.jsonl:1: backend: 'gpu' is not one"),
        (lambda folder: (folder / "records/catalogue/spmm.json").unlink(), "no catalogue of: spmm"),
    ],
)
def test_results_keep_schema_and_rules(returned, tmp_path, capsys, change, words):
    run, results, target = returned
    assert run(changed(results, tmp_path / "x.tar.gz", change)) == 2
    assert words in capsys.readouterr().err
    assert not target.exists()


HOSTILE = ("[" * 100_000, "[]", "7", "{", "null", '{"problem": []}', '{"name": [], "schema": 1}')


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "name", [MANIFEST, "records/catalogue/spmm.json", "records/matrices/uniform-small.json"]
)
def test_hostile_files_are_named(name, text, returned, tmp_path, capsys):
    run, results, target = returned
    path = tmp_path / "x.tar.gz"
    if name == MANIFEST:
        write_archive(path, "results", [Member(MANIFEST, text.encode())])
    else:
        changed(results, path, lambda folder: (folder / name).write_text(text))
    assert run(path) == 2
    told = capsys.readouterr().err
    assert "x.tar.gz" in told and (name == MANIFEST or f"x.tar.gz: {name}: " in told)
    assert not target.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (of(matrix__source="uniform:rows=9,cols=9,nnz=9"), "uniform-small: source uniform:rows=9"),
        (of(matrix__source="uniform-small.mtx"), "uniform-small: source uniform-small.mtx"),
        (of(matrix__name="cant", matrix__rows=4), "cant: rows 4, expected 62451"),
        (of(matrix__name="cant", matrix__rows=62451, matrix__cols=62451), "cant: stored 20"),
    ],
)
def test_results_of_another_matrix_are_refused(returned, tmp_path, capsys, change, words):
    run, results, target = returned
    assert run(changed(results, tmp_path / "x.tar.gz", change)) == 2
    assert f"of another matrix: {words}" in capsys.readouterr().err
    assert not target.exists()


def test_files_of_one_name_are_one_matrix(returned, tmp_path, capsys):
    run, results, _ = returned

    def change(folder):
        for number, problem in enumerate(("spmm", "transpose")):
            digest = str(number) * 64
            own = of(matrix__name="mine", matrix__origin="file", matrix__sha256=digest)
            own(folder / "records" / problem)

    assert run(changed(results, tmp_path / "x.tar.gz", change)) == 2
    assert f"of another matrix: mine: sha256 {'0' * 64}, and {'1' * 64}" in capsys.readouterr().err


def test_a_drawn_matrix_is_compared_with_what_the_bundle_says(returned, tmp_path, capsys):
    run, results, _ = returned
    drawn = {"unseen-7": {"spec": "mesh:width=3,height=3"}}

    def result(name, source):
        change = of(matrix__name="unseen-7", matrix__source=source)
        return changed(results, tmp_path / name, change, matrices=drawn)

    assert run(result("x.tar.gz", "mesh:width=3,height=4,permute=0,seed=1")) == 2
    assert "unseen-7: source mesh:width=3,height=4" in capsys.readouterr().err
    run(result("y.tar.gz", "mesh:width=3.0,height=3,permute=0,seed=1"))
    assert "of another matrix" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["h100", "h200"])
def test_the_sets_that_are_here_are_of_their_matrices(name):
    folder = ROOT / "report/measurements" / name
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
    facts = [json.loads(path.read_text()) for path in folder.glob("matrices/*.json")]
    matrices = [*(json.loads(line)["matrix"] for line in lines), *facts]
    assert len(matrices) > 1000
    assert recorded.wrong(matrices, {}, load_matrix_list(ROOT / "config/matrices.yaml")) == []


def test_results_of_two_machines_with_one_name_are_refused(returned, tmp_path, capsys):
    run, results, _ = returned

    def change(folder):
        of(machine__cpu="another")(folder / "records/spmm")

    assert run(changed(results, tmp_path / "x.tar.gz", change)) == 2
    assert "of several machines with one name: processor: " in capsys.readouterr().err


def test_a_set_is_replaced_only_when_asked(returned, capsys):
    run, results, target = returned
    assert run(results, "--dry-run") == 0
    assert not target.exists()
    assert run(results) == 0
    (target / "old.jsonl").write_text("")
    assert run(results) == 2
    assert "report/measurements/box exists; --replace" in capsys.readouterr().err
    assert run(results, "--replace") == 0
    assert not (target / "old.jsonl").exists()
    assert [path.name for path in target.parent.iterdir()] == ["box"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (of(machine__cpu="faster"), "processor: test, and faster"),
        (of(machine__memory_bytes=2**33), "memory: 0.0 GiB, and 8.0 GiB"),
    ],
)
def test_other_hardware_needs_another_name(returned, tmp_path, capsys, change, words):
    run, results, target = returned
    assert run(results) == 0
    before = (target / "spmm.jsonl").read_bytes()
    capsys.readouterr()
    assert run(changed(results, tmp_path / "x.tar.gz", change), "--replace") == 2
    told = capsys.readouterr().err
    assert "is the set of another machine" in told
    assert words in told
    assert (target / "spmm.jsonl").read_bytes() == before


def test_a_set_has_the_name_in_its_records(returned, capsys):
    run, results, target = returned
    assert run(results, "--name", "mine") == 2
    assert "./measure --machine-id mine gives them that name" in capsys.readouterr().err
    assert run(results, "--name", "box") == 0
    assert target.exists()


def test_a_commit_that_is_not_here_is_named(returned, tmp_path, capsys):
    run, results, _ = returned
    commit = "c" * 40
    path = changed(results, tmp_path / "x.tar.gz", of(build__commit=commit), commit=commit)
    assert run(path) == 0
    assert f"Warning: this repository lacks commit {commit}" in capsys.readouterr().out


def test_several_files_become_one_set(returned, tmp_path, capsys):
    run, results, target = returned
    missing = {"transpose/fem-small.1.jsonl": "no time was left", "spmm/cant.1.jsonl": "lost"}
    part = changed(results, tmp_path / "part.tar.gz", lost, missing=missing)
    assert run(part) == 0
    assert "2 of 4 jobs have no records" in capsys.readouterr().out

    def rest(folder):
        for path in folder.glob("records/*/*.jsonl"):
            if path.name != "fem-small.1.jsonl":
                path.unlink()

    more = changed(results, tmp_path / "more.tar.gz", rest, missing={"spmm/cant.1.jsonl": "lost"})
    assert run(part, more, "--replace") == 0
    assert "1 of 4 jobs have no records:\n  spmm/cant.1.jsonl: lost" in capsys.readouterr().out
    assert len((target / "transpose.jsonl").read_text().splitlines()) == 6


def test_jobs_that_were_measured_otherwise_are_named(returned, tmp_path, capsys):
    run, results, target = returned
    name = "spmm/uniform-small.1.jsonl"
    how = {name: "measured with --algorithms serial"}
    part = changed(results, tmp_path / "part.tar.gz", lambda _: None, changed=how)
    assert run(part) == 0
    told = capsys.readouterr().out
    assert f"1 of 4 jobs differ:\n  {name}: measured with --algorithms serial" in told
    assert f"- `{name}`: measured with --alg" in (target / "README.md").read_text()
    assert run(part, results, "--replace") == 0
    assert "jobs differ" not in capsys.readouterr().out


def packed(path, *names, kind=tarfile.REGTYPE):
    with tarfile.open(path, "w:gz") as out:
        for name in names:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd" if kind != tarfile.REGTYPE else ""
            out.addfile(info)
    return path


@pytest.mark.parametrize(
    ("names", "kind", "words"),
    [
        (["/tmp/x"], tarfile.REGTYPE, "lies outside"),
        (["results/../../x"], tarfile.REGTYPE, "lies outside"),
        (["results/x"], tarfile.SYMTYPE, "not a regular file"),
        (["results/x"], tarfile.LNKTYPE, "not a regular file"),
        (["results/x", "results/x"], tarfile.REGTYPE, "occurs twice"),
        (["results/x", "other/x"], tarfile.REGTYPE, "second folder"),
        (["results/x"], tarfile.REGTYPE, "has no manifest"),
    ],
)
def test_unsafe_archives_are_refused(returned, tmp_path, capsys, names, kind, words):
    run, _, target = returned
    path = packed(tmp_path / "x.tar.gz", *names, kind=kind)
    assert run(path) == 2
    assert words in capsys.readouterr().err
    assert not target.exists()
    assert not (tmp_path / "x").exists()


def test_a_damaged_archive_is_refused(returned, tmp_path, capsys):
    run, results, _ = returned
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(results.read_bytes()[:-500])
    assert run(cut) == 2
    assert "cut.tar.gz cannot be read" in capsys.readouterr().err
    for path, why in ((Path(__file__), "it is no archive of tar"), (tmp_path, "Is a directory")):
        assert (run(path), capsys.readouterr().err[-len(why) - 1 : -1]) == (2, why)
