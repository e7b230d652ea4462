"""What is taken for the file of a matrix, what is remembered of others, and how long a server is
waited for."""

import gzip
import hashlib
from pathlib import Path

import pytest

from matrix_server import ENTRY, MTX, answer, archive, place, run, server
from sparserepro.fetch import download
from sparserepro.fetch.availability import Missing, worth_another_try
from sparserepro.fetch.download import Source
from sparserepro.fetch.matrix_file import MatrixFileError, sha256_of, unpack
from sparserepro.fetch.resolve import file_mark

__all__ = ["place", "server"]  # fixtures

OTHER = MTX.replace(b"3 2 2", b"4 2 2")


def test_the_member_is_the_one_in_its_own_folder(tmp_path):
    file, target = tmp_path / "Tiny.tar.gz", tmp_path / "Tiny.mtx"
    file.write_bytes(archive({"x/Tiny/Tiny.mtx": OTHER, "./Tiny/Tiny.mtx": MTX}))
    unpack(file, ENTRY, target)
    assert target.read_bytes() == MTX


def test_an_archive_is_read_to_its_end(tmp_path):
    """Behind the last member of an archive follow zeros, and behind these gzip's checksum."""
    tar = gzip.decompress(archive()) + bytes(1 << 20)
    file = tmp_path / "Tiny.tar.gz"
    file.write_bytes(gzip.compress(tar)[:-6])
    with pytest.raises(MatrixFileError, match="is damaged"):
        unpack(file, ENTRY, tmp_path / "Tiny.mtx")
    assert not (tmp_path / "Tiny.mtx").exists()


def test_the_checksum_is_of_the_uncompressed_bytes(tmp_path):
    plain, packed = tmp_path / "a.mtx", tmp_path / "a.mtx.gz"
    plain.write_bytes(MTX)
    packed.write_bytes(gzip.compress(MTX))
    assert sha256_of(plain) == sha256_of(packed) == hashlib.sha256(MTX).hexdigest()


def test_a_file_of_an_earlier_run_is_checked_again(place):
    kept = place / "resources/Test/Tiny.mtx"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(OTHER)
    assert "downloads are off" in run(place, enabled=False)["unavailable"]
    assert not kept.exists()
    kept.write_bytes(MTX)
    assert Path(run(place, enabled=False)["path"]).samefile(kept)


def test_what_was_refused_is_remembered(place, server):
    staged = place / "staging/Tiny.mtx"
    staged.write_bytes(OTHER)
    server.answers = [answer(body=archive({"Tiny/Tiny.mtx": OTHER}), ETag='"one"')]
    result = run(place, url=server.url)
    url = f"{server.url}/Test/Tiny.tar.gz"
    assert set(result["rejected"]) == {str(staged), url}
    assert result["rejected"][str(staged)] == file_mark(staged)
    assert '"one"' in result["rejected"][url]


def test_a_staged_file_that_has_changed_is_tried_again(tmp_path):
    staged = tmp_path / "Tiny.mtx"
    staged.write_bytes(OTHER)
    missing = [Missing(ENTRY, "has 4 rows", {str(staged): file_mark(staged)})]
    off = Source(enabled=False, base_url="http://127.0.0.1:9", timeout_s=1, retries=0)
    assert worth_another_try(missing, [str(tmp_path)], off) == []
    staged.write_bytes(MTX + b"\n")
    assert worth_another_try(missing, [str(tmp_path)], off) == missing


def test_a_server_is_given_the_time_that_it_asks_for(place, server, monkeypatch):
    waits = []
    monkeypatch.setattr(download.time, "sleep", waits.append)
    server.answers = [answer(503, **{"Retry-After": "7"}), answer(503), answer(body=archive())]
    assert Path(run(place, url=server.url)["path"]).read_bytes() == MTX
    first, second = waits
    assert first == 7.0
    assert 2.0 <= second <= 2.5  # of its own: twice the first wait and up to a quarter more
