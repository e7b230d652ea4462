"""A server of matrices on the loopback, with the answers that a test wants, and a folder into which
they are resolved."""

import http.server
import io
import sys
import tarfile
import threading
from pathlib import Path

import pytest

from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.download import Source
from sparserepro.fetch.resolve import resolve

MTX = b"%%MatrixMarket matrix coordinate real general\n% comment\n3 2 2\n1 1 1.5\n3 2 -2\n"
ENTRY = MatrixEntry(id="tiny", cls="uniform", group="Test", name="Tiny", rows=3, cols=2, entries=2)


def archive(members=None) -> bytes:
    """A .tar.gz; by default as SuiteSparse packs it, an auxiliary file first."""
    members = members or {"Tiny/Tiny_b.mtx": b"wrong file", "Tiny/Tiny.mtx": MTX}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


class Server(http.server.ThreadingHTTPServer):
    """Gives its `answers` one after the other, the last one for ever: (status, body, announced
    length, headers). For paths that contain `stalled` it stops in the middle of the body."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = []
        self.requests = []
        self.headers = []
        self.stalled = "no such path"
        self.end = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/MM"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(f"{self.command} {self.path}")
        server.headers.append(self.headers)
        answers = server.answers
        status, body, length, headers = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET" and server.stalled in self.path:
            self.wfile.write(body[: len(body) // 2])
            server.end.wait(30)
        elif self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_):
        pass


def answer(status=200, body=b"", length=None, **headers):
    return status, body, length, headers


@pytest.fixture
def server():
    instance = Server()
    thread = threading.Thread(target=instance.serve_forever, args=(0.01,))
    thread.start()
    yield instance
    instance.end.set()
    instance.shutdown()
    thread.join()
    instance.server_close()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where resolution works: a folder with staging/ and a stand-in for matrix_info."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sparserepro.fetch.download.time.sleep", lambda seconds: None)
    (tmp_path / "staging").mkdir()
    stand_in = Path(__file__).parent / "support" / "fake_driver.py"
    text = stand_in.read_text().partition("\n")[2]
    (tmp_path / "matrix_info").write_text(f"#!{sys.executable}\n{text}")
    (tmp_path / "matrix_info").chmod(0o755)
    return tmp_path


def run(place, entry=ENTRY, url="http://127.0.0.1:9/MM", enabled=True, retries=2, timeout_s=5):
    source = Source(enabled=enabled, base_url=url, timeout_s=timeout_s, retries=retries)
    staging = [str(place / "staging")]
    return resolve(entry, str(place / "matrix_info"), staging, source, place / "resources")


def leftovers(place):
    return sorted(
        p.name for p in (place / "resources").rglob("*") if p.is_file() and p.name[0] != "."
    )
