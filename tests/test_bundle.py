"""From one machine to another and back: what is packed, and what is refused of it."""

import json
import subprocess
import sys
import tarfile

import pytest

import bundle_support
from bundle_support import CANT, Home, Other, git
from sparserepro.data import archive, sets


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def test_there_and_back(home, tmp_path, monkeypatch, capsys):
    bundle = home.export(monkeypatch)
    assert "without cant: not staged, and downloads are off" in capsys.readouterr().out
    other = Other(tmp_path / "other", bundle)
    done = other.measure("--machine-id", "box")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cant is missing; name a folder with cant.mtx or" in done.stdout
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
    assert "were built from other sources than the commit" in capsys.readouterr().err


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


def test_other_commands_do_not_load_what_bundles_need():
    code = "import sys, sparserepro.cli; sys.exit(bool({'jsonschema', 'yaml'} & set(sys.modules)))"
    path = str(bundle_support.ROOT / "python")
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": path})
    assert done.returncode == 0
