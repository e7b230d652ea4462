"""Downloads that go on where they stopped, second addresses, waits, and refused archives."""

import email.utils
import gzip
import hashlib
import io
import tarfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from matrix_server import ENTRY, MTX, answer, archive, leftovers, place, run, server
from sparserepro.fetch.download import asked_wait_s
from sparserepro.fetch.host import Host

__all__ = ["place", "server"]  # fixtures

VERSION = {"ETag": '"v1"', "Accept-Ranges": "bytes"}


def cut(body: bytes, at: int):
    """An answer that stops after `at` bytes, of a server that can give the rest."""
    return answer(200, body[:at], len(body), **VERSION)


def rest(body: bytes, at: int):
    told = f"bytes {at}-{len(body) - 1}/{len(body)}"
    return answer(206, body[at:], None, **{"Content-Range": told, **VERSION})


def test_a_download_goes_on_where_it_stopped(place, server):
    body = archive()
    server.answers = [cut(body, 40), rest(body, 40)]
    assert Path(run(place, url=server.url)["path"]).read_bytes() == MTX
    assert server.headers[1]["Range"] == "bytes=40-"
    assert server.headers[1]["If-Range"] == '"v1"'
    assert leftovers(place) == ["Tiny.mtx"]


def test_a_later_run_goes_on_where_one_stopped(place, server):
    body = archive()
    server.answers = [cut(body, 40), answer(404)]
    assert "404" in run(place, url=server.url)["unavailable"]
    assert leftovers(place) == ["Tiny.tar.gz.part", "Tiny.tar.gz.part.version"]
    server.answers = [rest(body, 40)]
    assert "path" in run(place, url=server.url)
    assert leftovers(place) == ["Tiny.mtx"]


@pytest.mark.parametrize(
    "second",
    [
        answer(200, archive(), None, **VERSION),  # another version, so the server sends all of it
        answer(416),
        answer(206, b"zz", None, **{"Content-Range": "bytes 7-8/99"}),
    ],
)
def test_another_part_than_the_rest_is_not_added(place, server, second):
    server.answers = [cut(archive(), 40), second, answer(body=archive())]
    assert Path(run(place, url=server.url)["path"]).read_bytes() == MTX
    assert "Range" not in server.headers[-1] or second[0] == 200
    assert leftovers(place) == ["Tiny.mtx"]


def test_the_second_address_is_asked_where_the_first_has_nothing(place, server):
    server.answers = [answer(404), answer(body=archive())]
    result = run(place, url=[server.url, server.url.replace("/MM", "/copy")])
    assert Path(result["path"]).read_bytes() == MTX
    assert server.requests == ["GET /MM/Test/Tiny.tar.gz", "GET /copy/Test/Tiny.tar.gz"]


def test_the_second_address_is_asked_where_the_first_host_is_dead(place, server, monkeypatch):
    monkeypatch.setenv("SPARSEREPRO_RUN", "one")
    server.answers = [answer(body=archive())]
    dead = "http://127.0.0.2:9/MM"
    assert "path" in run(place, url=[dead, server.url], retries=0)
    assert "cannot be reached" in Host(place / "resources", dead).dead()
    assert Host(place / "resources", server.url).dead() is None


def test_an_archive_that_will_not_do_leaves_the_second_address(place, server):
    server.answers = [answer(body=b"busy"), answer(body=archive())]
    assert "path" in run(place, url=[server.url, server.url + "2"])


def test_no_more_is_asked_of_a_server_that_wants_a_long_rest(place, server):
    server.answers = [answer(429, **{"Retry-After": "3600"})]
    assert "with a wait of 3600 s" in run(place, url=server.url)["unavailable"]
    assert len(server.requests) == 1


def test_a_wait_may_be_a_date():
    assert 90 < asked_wait_s(email.utils.formatdate(time.time() + 100, usegmt=True)) <= 100
    assert asked_wait_s(email.utils.formatdate(time.time() - 100, usegmt=True)) == 0
    assert [asked_wait_s(text) for text in ("7", "", "soon", "\u00b2")] == [7, 0, 0, 0]


def test_the_server_is_told_who_asks(place, server):
    server.answers = [answer(body=archive())]
    run(place, url=server.url)
    assert server.headers[0]["User-Agent"].startswith("sparserepro/")


def test_a_download_larger_than_the_disk_is_not_begun(place, server, monkeypatch):
    server.answers = [answer(body=archive())]
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    assert "10 are free on the disk" in run(place, url=server.url)["unavailable"]
    assert len(server.requests) == 1
    assert leftovers(place) == []


def member(name="Tiny/Tiny.mtx", content=MTX, **fields):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def packed(*members, format=tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=format) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def links(kind):
    return packed(member(type=kind, linkname="/etc/passwd", content=b""), member())


HOSTILE = {
    "a symbolic link": (links(tarfile.SYMTYPE), "is no plain file"),
    "a hard link": (links(tarfile.LNKTYPE), "is no plain file"),
    "a device": (links(tarfile.CHRTYPE), "is no plain file"),
    "a pipe": (links(tarfile.FIFOTYPE), "is no plain file"),
    "a folder": (links(tarfile.DIRTYPE), "is no plain file"),
    "the matrix twice": (packed(member(), member()), "Tiny/Tiny.mtx twice"),
    "another path": (packed(member("/Tiny/Tiny.mtx"), member("../Tiny.mtx")), "has no member"),
    "a name of several lines": (packed(member("x\n\x1b[2Jy" * 30)), "has no member"),
    "an endless member": (packed(member("big", b"\0" * (300 << 20))), "more than its matrix needs"),
    "an endless header": (
        packed(member(pax_headers={"comment": "x" * (2 << 20)})), "more than its matrix needs",
    ),
    "an endless rest": (
        packed(member()) + gzip.compress(b"\0" * (8 << 20)), "more than its matrix needs",
    ),
    "another size": (packed(member(content=MTX + b"\n")), "holds 78 bytes, expected 77"),
    "numbers that are none": (
        packed(member(pax_headers={"GNU.sparse.map": "a,b", "GNU.sparse.size": "x"})),
        "is damaged: invalid literal",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_refused_in_a_line_and_leaves_nothing(place, server, what):
    body, words = HOSTILE[what]
    server.answers = [answer(body=body)]
    said = run(place, replace(ENTRY, stored=2, size=len(MTX)), server.url)["unavailable"]
    assert words in said
    assert said.isprintable()
    assert len(said) < 300
    assert leftovers(place) == []


def test_a_mismatch_names_both_hashes_in_full(place, server):
    server.answers = [answer(body=archive())]
    said = run(place, replace(ENTRY, sha256="0" * 64), server.url)["unavailable"]
    assert hashlib.sha256(MTX).hexdigest() in said
    assert "0" * 64 in said


@pytest.mark.parametrize("stored", [3, 1])
def test_a_file_of_another_number_of_entries_is_refused(place, server, stored):
    server.answers = [answer(body=archive())]
    said = run(place, replace(ENTRY, entries=None, stored=stored), server.url)["unavailable"]
    assert f"has 2 entries (general), expected a matrix of {stored}" in said
