"""Resolution of matrices: staging folders, downloads from a loopback server, and their failures."""

import contextlib
import gzip
import http.server
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from matrix_server import ENTRY, MTX, Handler, answer, archive, leftovers, place, run, server
from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.availability import Missing, worth_another_try
from sparserepro.fetch.download import Source
from sparserepro.fetch.host import Host
from sparserepro.fetch.matrix_file import sha256_of
from sparserepro.fetch.resolve import file_mark

__all__ = ["place", "server"]  # fixtures


def test_generated_matrix_needs_no_file(place):
    entry = MatrixEntry(id="u", cls="uniform", spec="uniform:rows=3")
    result = run(place, entry, enabled=False)
    assert (result["name"], result["path"]) == ("u", None)
    assert result["source"] == "uniform:rows=3"


def test_download(place, server):
    server.answers = [answer(body=archive())]
    result = run(place, replace(ENTRY, sha256=sha256_of_bytes(place)), server.url)
    assert Path(result["path"]).read_bytes() == MTX
    assert (result["rows"], result["cols"]) == (3, 2)
    assert server.requests == ["GET /MM/Test/Tiny.tar.gz"]
    assert leftovers(place) == ["Tiny.mtx"]


def sha256_of_bytes(place):
    path = place / "sum.mtx"
    path.write_bytes(MTX)
    return sha256_of(path)


def test_earlier_download_is_used_again(place, server):
    server.answers = [answer(body=archive())]
    run(place, url=server.url)
    assert "path" in run(place, enabled=False)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answers", "requests", "words"),
    [
        ([answer(404)], 1, ["404", "/MM/Test/Tiny.tar.gz"]),
        ([answer(500)], 3, ["500"]),
        ([answer(403, b"", None, **{"Retry-After": "1"})], 3, ["403"]),
        ([answer(body=archive()[:40], length=len(archive()))], 3, ["40 of", "bytes"]),
        ([answer(body=b"")], 3, ["the answer is empty"]),
        ([answer(body=archive()[:-12])], 1, ["downloaded Tiny.tar.gz is damaged"]),
        ([answer(body=b"<html>busy</html>")], 1, ["damaged"]),
        ([answer(body=archive({"Tiny/Tiny_b.mtx": MTX}))], 1, ["no member Tiny/Tiny.mtx"]),
        ([answer(body=archive({"Other/Tiny.mtx": MTX}))], 1, ["no member Tiny/Tiny.mtx"]),
        ([answer(body=archive({"Tiny/Tiny.mtx": b"3 2 2\n"}))], 1, ["does not begin as"]),
    ],
)
def test_failed_download_says_why(place, server, answers, requests, words):
    server.answers = answers
    result = run(place, url=server.url)
    assert set(result) == {"name", "unavailable", "rejected", "expected_sha256"}
    assert [word for word in words if word not in result["unavailable"]] == [], result
    assert len(server.requests) == requests
    assert leftovers(place) == []


def test_refusal_then_success(place, server):
    server.answers = [answer(403), answer(503), answer(body=archive())]
    assert "path" in run(place, url=server.url)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (replace(ENTRY, sha256="0" * 64), "expected 000000000000"),
        (replace(ENTRY, rows=4), "has 3 rows, expected 4"),
        (replace(ENTRY, cols=3), "has 2 columns, expected 3"),
        (replace(ENTRY, entries=9), "has 2 entries, expected 9"),
    ],
)
def test_another_matrix_is_refused(place, server, entry, words):
    server.answers = [answer(body=archive())]
    assert words in run(place, entry, server.url)["unavailable"]
    assert leftovers(place) == []


def test_dead_host_is_tried_once_per_run(place, monkeypatch):
    monkeypatch.setenv("SPARSEREPRO_RUN", "one")
    reason = run(place)["unavailable"]
    assert "http://127.0.0.1:9/MM cannot be reached" in reason
    monkeypatch.setattr("sparserepro.fetch.resolve.fetch", lambda *_: pytest.fail("tried again"))
    assert run(place, replace(ENTRY, name="Other"))["unavailable"] == reason
    monkeypatch.setenv("SPARSEREPRO_RUN", "two")
    assert Host(place / "resources", "http://127.0.0.1:9/MM").dead() is None


def test_stalled_download_leaves_the_host_alive(place, server, monkeypatch):
    monkeypatch.setenv("SPARSEREPRO_RUN", "one")
    server.answers = [answer(body=archive())]
    server.stalled = "Slow"
    slow = run(place, replace(ENTRY, name="Slow"), server.url, timeout_s=0.2)
    assert "/MM/Test/Slow.tar.gz: nothing came for 0.2 s" in slow["unavailable"]
    assert server.requests == ["GET /MM/Test/Slow.tar.gz"] * 3
    assert Path(run(place, url=server.url)["path"]).read_bytes() == MTX
    assert leftovers(place) == ["Tiny.mtx"]


def test_server_that_never_answers_one_request_is_alive(place, server, monkeypatch):
    monkeypatch.setenv("SPARSEREPRO_RUN", "one")
    monkeypatch.setattr(Handler, "do_GET", lambda self: server.end.wait(30))
    slow = run(place, replace(ENTRY, name="Slow"), server.url, timeout_s=0.2)
    assert "nothing came for 0.2 s" in slow["unavailable"]
    assert Host(place / "resources", server.url).dead() is None


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_dead_host_is_tried_as_often_as_retries_say(place, monkeypatch, retries):
    waits = []
    monkeypatch.setattr("sparserepro.fetch.download.time.sleep", waits.append)
    assert "Connection refused" in run(place, retries=retries)["unavailable"]
    assert len(waits) == retries
    assert waits == sorted(waits)


def test_file_that_a_folder_lacks_leaves_the_folder_alive(place, monkeypatch):
    monkeypatch.setenv("SPARSEREPRO_RUN", "one")
    mirror = place / "mirror" / "Test"
    mirror.mkdir(parents=True)
    (mirror / "Tiny.tar.gz").write_bytes(archive())
    url = mirror.parent.as_uri()
    lost = run(place, replace(ENTRY, name="Other"), url)["unavailable"]
    assert "Test/Other.tar.gz: No such file or directory" in lost
    assert "path" in run(place, url=url)


def test_odd_wait_of_a_server_is_ignored(place, server):
    server.answers = [answer(503, **{"Retry-After": "\u00b2"}), answer(body=archive())]
    assert "path" in run(place, url=server.url)


@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".tar.gz"])
@pytest.mark.parametrize("folder", ["staging", "staging/Test"])
def test_staged_file_comes_before_the_network(place, server, suffix, folder):
    content = {".mtx": MTX, ".mtx.gz": gzip.compress(MTX), ".tar.gz": archive()}[suffix]
    file = place / folder / f"Tiny{suffix}"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    result = run(place, url=server.url)
    assert server.requests == []
    if suffix == ".tar.gz":
        assert Path(result["path"]).read_bytes() == MTX
    else:
        assert result["path"] == str(file)
        assert leftovers(place) == []


def test_bad_staged_file_gives_way_to_the_network(place, server):
    (place / "staging" / "Tiny.mtx").write_bytes(MTX.replace(b"3 2 2", b"3 3 2"))
    server.answers = [answer(body=archive())]
    assert Path(run(place, url=server.url)["path"]).read_bytes() == MTX
    shutil.rmtree(place / "resources")
    assert "staged Tiny.mtx has 3 columns" in run(place, enabled=False)["unavailable"]


def test_matrix_that_the_reader_refuses_is_unavailable(place):
    (place / "staging" / "Tiny.mtx").write_bytes(MTX.replace(b"real", b"complex"))
    assert "complex matrices are not supported" in run(place, enabled=False)["unavailable"]


def missing(rejected):
    return [Missing(ENTRY, "reason", rejected)]


def test_probe_finds_what_can_be_had_now(place, server):
    source = Source(enabled=True, base_url=server.url, timeout_s=5, retries=3)
    server.answers = [answer(404)]
    assert worth_another_try(missing({}), [], source) == []
    server.answers = [answer(200, b"x" * 7)]
    assert worth_another_try(missing({}), [], source) == missing({})
    same = {next(iter(source.urls(ENTRY))): "7||"}
    assert worth_another_try(missing(same), [], source) == []
    assert server.requests[0] == "HEAD /MM/Test/Tiny.tar.gz"


def test_probe_looks_for_staged_files_that_are_new(place):
    source = Source(enabled=False, base_url="http://127.0.0.1:9", timeout_s=5, retries=3)
    folders = [str(place / "staging")]
    assert worth_another_try(missing({}), folders, source) == []
    file = place / "staging" / "Tiny.mtx"
    file.write_bytes(MTX)
    assert len(worth_another_try(missing({}), folders, source)) == 1
    assert worth_another_try(missing({str(file): file_mark(file)}), folders, source) == []


def test_dead_host_is_probed_once(place, monkeypatch):
    probes = []

    def probe(url, timeout_s):
        probes.append(url)
        from sparserepro.fetch.download import Unreachable

        raise Unreachable("no route")

    monkeypatch.setattr("sparserepro.fetch.availability.probe", probe)
    source = Source(enabled=True, base_url="http://127.0.0.1:9", timeout_s=5, retries=3)
    assert worth_another_try(missing({}) * 3, [], source) == []
    assert len(probes) == 1


class Dripping(http.server.BaseHTTPRequestHandler):
    """A byte at a time: of the header for paths with `header`, else of the body."""

    def do_GET(self):
        text = b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n" + 1000 * b"x"
        whole = 0 if "header" in self.path else text.index(b"x")
        self.wfile.write(text[:whole])
        with contextlib.suppress(OSError):
            for byte in text[whole:]:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if self.server.end.wait(0.01):
                    return

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(("part", "words"), [("header", "nothing came"), ("body", "a second")])
def test_a_download_of_a_byte_at_a_time_ends(place, server, part, words):
    server.RequestHandlerClass = Dripping
    begin = time.monotonic()
    said = run(place, replace(ENTRY, group=part), server.url, retries=0, timeout_s=0.05)
    assert words in said["unavailable"]
    assert time.monotonic() - begin < 5
    assert leftovers(place) == []


COMPLEX = MTX.replace(b"real", b"complex")


def test_a_wrong_body_is_deleted_and_fetched_again_when_the_server_has_another(place, server):
    server.answers = [answer(body=archive({"Tiny/Tiny.mtx": COMPLEX}))]
    said = run(place, url=server.url)
    assert "complex matrices are not supported" in said["unavailable"]
    assert leftovers(place) == []
    source = Source(enabled=True, base_url=server.url, timeout_s=5, retries=0)
    assert worth_another_try(missing(said["rejected"]), [], source) == []
    server.answers = [answer(body=archive() + b"\0" * 512)]
    assert len(worth_another_try(missing(said["rejected"]), [], source)) == 1
    server.answers = [answer(body=archive())]
    assert Path(run(place, url=server.url)["path"]).read_bytes() == MTX


def test_a_wrong_body_of_an_earlier_run_is_fetched_again(place, server):
    kept = place / "resources/Test/Tiny.mtx"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(COMPLEX)
    server.answers = [answer(body=archive())]
    assert Path(run(place, url=server.url)["path"]).read_bytes() == MTX
    assert server.requests == ["GET /MM/Test/Tiny.tar.gz"]


def test_a_member_that_is_too_large_is_not_unpacked(place, monkeypatch):
    file = place / "staging/Tiny.tar.gz"
    file.write_bytes(archive({"Tiny/Tiny.mtx": MTX + b"\n" * (65 << 20)}))
    said = run(place, enabled=False)["unavailable"]
    assert "bytes for a matrix of 2 entries" in said
    file.write_bytes(archive())
    monkeypatch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(10, 0, 10))
    assert "10 are free on the disk" in run(place, enabled=False)["unavailable"]
    assert leftovers(place) == []
