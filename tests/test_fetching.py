"""`sparserepro fetch` and `sparserepro lock`: forecasts, progress, what is refused, credit."""

import hashlib
import io
import json
import tarfile
from pathlib import Path

import jsonschema
import pytest

from matrix_server import answer, leftovers, place, run, server
from sparserepro.cli import main
from sparserepro.config import lock
from sparserepro.config.matrix_list import MatrixEntry, load_matrix_list
from sparserepro.fetch.credit import read_credit
from sparserepro.fetch.forecast import forecast, note

__all__ = ["place", "server"]  # fixtures

ROOT = Path(__file__).resolve().parent.parent
HEAD = b"""%%MatrixMarket matrix coordinate real general
%-------------------------------------------------------------------------------
% UF Sparse Matrix Collection, Tim Davis
% http://www.cise.ufl.edu/research/sparse/matrices/Test/One
% name: Test/One
% [A matrix of two entries, by nobody]
% id: 905
% date: 2003
% author: A. Author, B. Author
% ed: T. Davis
% fields: title A name id date author ed kind
% kind: directed weighted graph
%-------------------------------------------------------------------------------
"""
MTX = HEAD + b"3 2 2\n1 1 1.5\n3 2 -2\n"
LIST = """matrices:
  One: {class: fem, group: Test, rows: 3, cols: 2, stored: 2}
  Two: {class: fem, group: Test, rows: 3, cols: 2, stored: 2}
"""


def archive(name: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        info = tarfile.TarInfo(f"{name}/{name}.mtx")
        info.size = len(MTX)
        tar.addfile(info, io.BytesIO(MTX))
    return out.getvalue()


@pytest.fixture
def command(place, server, monkeypatch):
    """Runs `sparserepro NAME --configfile ...` over a list of two matrices."""
    (place / "matrices.yaml").write_text(LIST)
    for module in ("wanted", "locking"):
        monkeypatch.setattr(f"sparserepro.fetch.{module}.MATRIX_LIST", place / "matrices.yaml")
    monkeypatch.setenv("SPARSEREPRO_RUN", "one")
    (place / "test.json").write_text(
        json.dumps(
            {
                "matrices": ["@suitesparse"],
                "problems": {"transpose": {}},
                "download": {"base_url": server.url, "retries": 0, "timeout_s": 5},
            }
        )
    )
    return lambda *options: main([options[0], "--configfile", "test.json", *options[1:]])


def test_one_that_is_missing_leaves_the_others(command, place, server, capsys):
    server.answers = [answer(404), answer(body=archive("Two"))]
    assert command("fetch") == 1
    said = capsys.readouterr().out
    assert "2 matrices are files; 0 of them are here" in said
    assert "[1/2] One  unavailable:" in said
    assert "404" in said
    assert "[2/2] Two  0.0 MB in 0 s" in said
    assert "Fetched 1 of 2 matrices" in said
    assert leftovers(place) == ["Two.mtx"]
    server.answers = [answer(body=archive("One"))]
    assert command("fetch") == 0
    assert "1 of them are here" in capsys.readouterr().out
    assert len(server.requests) == 3
    assert command("fetch") == 0
    assert len(server.requests) == 3


def test_a_dry_run_asks_nobody(command, server, capsys):
    assert command("fetch", "--dry-run", "--matrix", "Two") == 0
    said = capsys.readouterr().out
    assert "To fetch: 1 matrices: about 0 MB to fetch, 0 MB on disk, less than a minute" in said
    assert "4.0 MB/s, since none is known" in said
    assert server.requests == []


def test_what_the_disk_cannot_hold_is_not_begun(command, server, capsys, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    assert command("fetch") == 1
    assert "the disk is too small" in capsys.readouterr().err
    assert server.requests == []


def test_an_unknown_matrix_is_refused(command, capsys):
    assert command("fetch", "--matrix", "Oen") == 2
    assert "--matrix Oen: no such file to fetch" in capsys.readouterr().err


def test_a_forecast_knows_earlier_downloads(tmp_path):
    entries = [MatrixEntry("a", stored=1000), MatrixEntry("b", size=8_000_000)]
    before = forecast(entries, tmp_path)
    assert (before.fetched, before.on_disk) == (6250 + 2_000_000, 8_025_000)
    note(tmp_path, "b", 1_000_000, 10.0)
    after = forecast(entries, tmp_path)
    assert after.fetched == 6250 + 1_000_000
    assert after.seconds == pytest.approx(after.fetched / 1e5)
    assert "0.1 MB/s, as 1 downloads had" in after.assumed


def test_lock_keeps_the_collection_s_own_files_alone(command, place, capsys):
    (place / "staging/One.mtx").write_bytes(MTX)
    (place / "staging/Two.mtx").write_bytes(MTX)
    assert command("lock", "--staging", "staging") == 0
    said = capsys.readouterr().out
    assert "1 written, 1 in all; 0 files are not here" in said
    assert "not the collection's own files, so not locked: Two" in said
    digest = hashlib.sha256(MTX).hexdigest()
    assert lock.load(place / "matrices.lock") == {"One": (digest, len(MTX))}
    assert load_matrix_list(place / "matrices.yaml").entries["One"].sha256 == digest


def test_another_file_than_was_locked_is_named_with_both_hashes(command, place, capsys):
    lock.write(place / "matrices.lock", {"One": ("a" * 64, 7)})
    (place / "staging/One.mtx").write_bytes(MTX)
    digest = hashlib.sha256(MTX).hexdigest()
    assert command("lock", "--staging", "staging") == 1
    said = capsys.readouterr().err
    assert "a" * 64 in said
    assert digest in said
    assert lock.load(place / "matrices.lock") == {"One": ("a" * 64, 7)}
    assert command("lock", "--staging", "staging", "--replace") == 0
    assert lock.load(place / "matrices.lock") == {"One": (digest, len(MTX))}


def test_credit_is_what_the_head_says(place):
    file = place / "staging/One.mtx"
    file.write_bytes(MTX)
    credit = {
        "name": "Test/One",
        "title": "A matrix of two entries, by nobody",
        "id": "905",
        "date": "2003",
        "author": "A. Author, B. Author",
        "editor": "T. Davis",
        "kind": "directed weighted graph",
    }
    assert read_credit(file) == credit
    entry = MatrixEntry("One", group="Test", name="One")
    facts = run(place, entry, enabled=False)
    schema = json.loads((ROOT / "workflow/schemas/matrix_facts.schema.json").read_text())
    assert facts["credit"] == credit
    jsonschema.validate(facts["credit"], schema["properties"]["credit"])
    file.write_bytes(MTX.replace(b"% UF Sparse Matrix Collection", b"% converted"))
    assert read_credit(file) == {}
    assert "credit" not in run(place, entry, enabled=False)
