"""From one machine to another and back: what is packed, what is refused, what becomes a set."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import archive
import bundle_support
import sets
from bundle_support import CANT, Home, Other, changed, each_record, git


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """A repository, and the results of its bundle on another machine."""
    folder = tmp_path_factory.mktemp("sent")
    home = Home(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        other = Other(folder / "other", home.export(patch))
    done = other.measure("--machine-id", "box")
    assert done.returncode == 0, done.stdout + done.stderr
    return home, other.bundle / "results-box.tar.gz"


@pytest.fixture
def returned(sent, monkeypatch):
    """The same without the sets that earlier tests imported; runs `sparserepro import`."""
    home, results = sent
    target = home.path / "report/measurements/box"
    subprocess.run(["rm", "-rf", target], check=True)

    def run(*words):
        return home.run(monkeypatch, "import", *map(str, words))

    return run, results, target


def test_there_and_back(home, tmp_path, monkeypatch, capsys):
    bundle = home.export(monkeypatch)
    assert "without cant: not staged, and downloads are off" in capsys.readouterr().out
    other = Other(tmp_path / "other", bundle)
    done = other.measure("--machine-id", "box")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cant is not here; --matrices names a folder with cant.mtx or" in done.stdout
    assert "1 without its matrix: spmm/cant.1.jsonl" in done.stdout

    results = other.bundle / "results-box.tar.gz"
    assert home.run(monkeypatch, "import", str(results)) == 0
    told = capsys.readouterr().out
    assert "transpose: 6 cells measured, 0 skipped" in told
    assert "1 of 4 jobs have no records:\n  spmm/cant.1.jsonl: its matrix is not there" in told
    assert "Warning" not in told
    folder = home.path / "report/measurements/box"
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
    records = [json.loads(line) for line in lines]
    assert len(records) == 8
    assert {record["build"]["commit"] for record in records} == {home.commit}
    assert archive.refusals(records) == []
    assert sets.lacking_in(folder, records) == []
    assert "- `spmm/cant.1.jsonl`: its matrix is not there" in (folder / "README.md").read_text()


def test_matrices_that_are_here_go_along(home, tmp_path, monkeypatch):
    (tmp_path / "staged").mkdir()
    (tmp_path / "staged/cant.mtx").write_text(CANT)
    matrices = home.path / "config/matrices.yaml"
    text = matrices.read_text()
    (entry,) = [line for line in text.splitlines() if line.startswith("  cant:")]
    matrices.write_text(text.replace(entry, entry.partition(", sha256")[0] + "}"))
    git(home.path, "commit", "-aqm", "no hash")
    bundle = home.export(monkeypatch, "--staging", str(tmp_path / "staged"))
    other = Other(tmp_path / "other", bundle)
    assert "matrices/Williams/cant.mtx" in other.manifest["files"]
    done = other.measure("--only", "spmm")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "without its matrix" not in done.stdout
    assert any("matrices/Williams/cant.mtx --matrix-name cant" in call for call in other.calls())

    home.export(monkeypatch, "--staging", str(tmp_path / "staged"), "--without-matrices")
    with tarfile.open(bundle) as found:
        assert not [name for name in found.getnames() if "/matrices/Williams" in name]


def test_same_input_gives_the_same_bytes(home, monkeypatch):
    first = home.export(monkeypatch)
    second = home.export(monkeypatch, output="build/again.tar.gz")
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes()[4:8] == bytes(4)  # where gzip puts the time
    plain = home.export(monkeypatch, output="build/plain.tar")
    with tarfile.open(plain, "r:") as one, tarfile.open(first, "r:gz") as other:
        assert one.getnames() == other.getnames()


@pytest.mark.parametrize(
    ("name", "refused"),
    [("config/matrices.yaml", True), ("kernels/new.cpp", True), ("notes.txt", False)],
)
def test_records_name_a_commit_so_a_changed_tree_is_refused(
    home, monkeypatch, capsys, name, refused
):
    with (home.path / name).open("a") as file:
        file.write("\n")
    assert (home.export(monkeypatch) is None) == refused
    assert ("not committed" in (told := capsys.readouterr().err)) == refused
    assert (name in told) == refused


def test_drivers_of_other_sources_are_refused(home, monkeypatch, capsys):
    built = home.path / "build/generated/revision.hpp"
    built.parent.mkdir()
    text = '#define SPARSEREPRO_COMMIT "{}"\n#define SPARSEREPRO_DIRTY {}\n'
    old = home.commit
    built.write_text(text.format(old, "false"))
    (home.path / "notes.txt").write_text("x\n")
    git(home.path, "add", "notes.txt")
    git(home.path, "commit", "-qm", "a text")
    assert home.export(monkeypatch)
    built.write_text(text.format(old, "true"))
    assert home.export(monkeypatch) is None
    built.write_text(text.format(old, "false"))
    (home.path / "kernels/one.cpp").write_text("int one = 2;\n")
    git(home.path, "commit", "-aqm", "a kernel")
    assert home.export(monkeypatch) is None
    assert "are of other sources than the commit" in capsys.readouterr().err


def test_export_explains_what_it_cannot_do(home, monkeypatch, capsys):
    assert home.export(monkeypatch, output="build/box.zip") is None
    assert "ends with .tar or .tar.gz" in capsys.readouterr().err
    assert home.export(monkeypatch, "--build", "elsewhere") is None
    assert "elsewhere/bin/transpose is not built; --build names" in capsys.readouterr().err
    assert not list(home.path.glob("build/box*"))


def test_packages_go_along_when_asked(home, tmp_path, monkeypatch, capsys):
    pip = tmp_path / "pip"
    pip.write_text(
        '#!/bin/sh\necho "$*" >> pip.log\n'
        'while [ "$1" != --dest ]; do shift; done; echo x > "$2/one-1.0-py3-none-any.whl"\n'
    )
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    with tarfile.open(home.export(monkeypatch, "--wheels")) as packed:
        assert [
            name for name in packed.getnames() if name.endswith("/wheels/one-1.0-py3-none-any.whl")
        ]
    first, second = (home.path / "pip.log").read_text().splitlines()
    assert "--require-hashes --no-binary connection-pool -r requirements.txt" in first
    assert second.endswith("setuptools wheel")

    pip.write_text("#!/bin/sh\necho no network >&2\nexit 1\n")
    assert home.export(monkeypatch, "--wheels") is None
    assert "pip download failed:\n  no network" in capsys.readouterr().err


def test_a_changed_bundle_is_not_measured(home, tmp_path, monkeypatch):
    other = Other(tmp_path / "other", home.export(monkeypatch))
    (other.bundle / "sources/kernels/one.cpp").write_text("int one = 3;\n")
    (other.bundle / "sources/link").unlink()
    done = other.measure("--only", "transpose")
    assert done.returncode == 1
    assert "sources/kernels/one.cpp: other content" in done.stderr
    assert "sources/link: no link to config" in done.stderr
    assert other.calls() == []
    assert other.measure("--only", "transpose", "--no-verify").returncode == 0


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
        (of(machine__cores_available=64), "cores: 2, and 64"),
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
    assert "is of another machine than the results" in told
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
        (["results/x"], tarfile.SYMTYPE, "no regular file"),
        (["results/x"], tarfile.LNKTYPE, "no regular file"),
        (["results/x", "results/x"], tarfile.REGTYPE, "there twice"),
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
    assert run(Path(__file__)) == 2
    assert run(tmp_path / "nothing.tar.gz") == 2


def test_other_commands_do_not_load_what_bundles_need():
    code = "import sys, sparserepro.cli; sys.exit(bool({'jsonschema', 'yaml'} & set(sys.modules)))"
    path = str(bundle_support.ROOT / "python")
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": path})
    assert done.returncode == 0
