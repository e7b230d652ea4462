"""Runs of Snakemake, which a server forks (support/snakemake_server.py)."""

import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

SERVER = Path(__file__).resolve().parent / "support/snakemake_server.py"
READ_AT_START = ("PYTHON", "XDG_", "HOME", "LC_", "LANG", "VIRTUAL_ENV", "SNAKEMAKE")
"""Beginnings of the names of variables that the server's modules may have read."""

_busy = threading.Lock()


@functools.cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, SERVER, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _at_start(environment: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in environment.items() if k.startswith(READ_AT_START)}


_STARTED_WITH = _at_start(dict(os.environ))


def run(
    words: list[str], folder: Path, environment: dict[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """What `python -m snakemake` with these arguments does in a folder."""
    if _at_start(environment) != _STARTED_WITH or not _busy.acquire(blocking=False):
        return fresh(words, folder, environment, timeout)
    try:
        return _forked(words, folder, environment, timeout)
    finally:
        _busy.release()


def fresh(
    words: list[str], folder: Path, environment: dict[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """By a process that imports all itself."""
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def _forked(
    words: list[str], folder: Path, environment: dict[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    request = {"words": words, "folder": str(folder), "environment": environment}
    text = json.dumps(request).encode()
    server = _server()
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    socket.send_fds(server, [len(text).to_bytes(4, "big")], [out_end, err_end])
    os.close(out_end)
    os.close(err_end)
    server.sendall(text)
    process = int.from_bytes(server.recv(4, socket.MSG_WAITALL), "big")
    ended = threading.Timer(timeout, os.kill, (process, signal.SIGKILL))
    ended.start()
    said: dict[int, str] = {}

    def read(pipe: int) -> None:
        with open(pipe, errors="replace") as file:
            said[pipe] = file.read()

    reader = threading.Thread(target=read, args=(err,))
    reader.start()
    read(out)
    reader.join()
    code = int.from_bytes(server.recv(4, socket.MSG_WAITALL), "big", signed=True)
    ended.cancel()
    if code == -signal.SIGKILL:
        raise subprocess.TimeoutExpired(words, timeout, said[out], said[err])
    return subprocess.CompletedProcess(words, code, said[out], said[err])
