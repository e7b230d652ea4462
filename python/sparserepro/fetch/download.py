"""One checked download at a time from the SuiteSparse Matrix Collection."""

import contextlib
import fcntl
import http.client
import os
import random
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

from sparserepro.config.matrix_list import MatrixEntry

# Answers after which the same request may succeed a little later.
_TRANSIENT = frozenset({403, 408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT_S = 30.0
_PATIENCE = 4
"""A try is given up when its answer takes so many times `timeout_s` to begin, or brings less than
`_LEAST_BYTES_PER_S` in so long a time."""
_LEAST_BYTES_PER_S = 1000
_AGENT = {"User-Agent": "sparserepro"}


def _cause(error: Exception) -> str:
    """What went wrong, without the number that the system gives it."""
    reason = getattr(error, "reason", None) or error
    return getattr(reason, "strerror", None) or str(reason)


class DownloadError(Exception):
    """The file could not be fetched; the message says why."""


class _TooSlow(Exception):
    """The message says how slow."""


class Unreachable(DownloadError):
    """No connection to the host: no further file of it is tried in this run.

    A host that was reached is alive, even if it stops in the middle of a file.
    """


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises TimeoutError within, also where each byte comes in time. In the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Source:
    """The `download` part of the configuration."""

    enabled: bool
    base_url: str
    timeout_s: float
    retries: int

    def url(self, entry: MatrixEntry) -> str:
        path = urllib.parse.quote(f"{entry.group}/{entry.name}.tar.gz")
        return f"{self.base_url.rstrip('/')}/{path}"


def fingerprint(headers: Message) -> str:
    """What tells one version of a file on a server from another."""
    names = ("Content-Length", "ETag", "Last-Modified")
    return "|".join(headers.get(name) or "" for name in names)


def fetch(url: str, target: Path, source: Source, first_wait_s: float = 1.0) -> str:
    """Downloads to `target` and returns the server's fingerprint of it.

    The file appears under its name only when it is complete. Waits longer after each failed try,
    and as long as the server asks for, up to half a minute.
    """
    problem: DownloadError
    for attempt in range(source.retries + 1):
        asked = ""
        try:
            return _fetch_once(url, target, source.timeout_s)
        except urllib.error.HTTPError as error:
            problem = DownloadError(f"{url}: {error.code} {error.reason}")
            if error.code not in _TRANSIENT:
                break
            asked = error.headers.get("Retry-After", "")
        except urllib.error.URLError as error:
            # urllib raises this one before the request is sent, or where a local file is missing.
            if url.startswith("file:"):
                problem = DownloadError(f"{url}: {_cause(error)}")
                break
            problem = Unreachable(f"{url}: {_cause(error)}")
        except TimeoutError:
            problem = DownloadError(f"{url}: nothing came for {source.timeout_s:g} s")
        except _TooSlow as error:
            problem = DownloadError(f"{url}: {error}")
        except (http.client.HTTPException, OSError) as error:
            problem = DownloadError(f"{url}: {_cause(error)}")
        if attempt < source.retries:
            backoff = first_wait_s * 2**attempt * random.uniform(1.0, 1.25)
            wait = float(asked) if asked.isascii() and asked.isdigit() else 0.0
            time.sleep(min(max(backoff, wait), _LONGEST_WAIT_S))
    raise problem


def _fetch_once(url: str, target: Path, timeout_s: float) -> str:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".part")
    request = urllib.request.Request(url, headers=_AGENT)
    try:
        with _at_most(_PATIENCE * timeout_s):
            opened = urllib.request.urlopen(request, timeout=timeout_s)
        with opened as answer, partial.open("wb") as out:
            announced = answer.headers.get("Content-Length")
            received = counted = 0
            begin = time.monotonic()
            while block := answer.read1(1 << 20):
                received += len(block)
                out.write(block)
                seconds = time.monotonic() - begin
                if seconds > _PATIENCE * timeout_s:
                    if received - counted < _LEAST_BYTES_PER_S * seconds:
                        raise _TooSlow(
                            f"{received - counted} bytes came in {seconds:.0f} s, less than "
                            f"{_LEAST_BYTES_PER_S} a second"
                        )
                    begin, counted = time.monotonic(), received
            mark = fingerprint(answer.headers)
        if received == 0:
            raise http.client.HTTPException("the answer is empty")
        if announced is not None and received != int(announced):
            raise http.client.HTTPException(f"the server sent {received} of {announced} bytes")
        partial.replace(target)
        return mark
    finally:
        partial.unlink(missing_ok=True)


def probe(url: str, timeout_s: float) -> str | None:
    """The fingerprint that the server gives now, or None when it refuses.

    Raises Unreachable, also for a server that does not answer in time: a probe has to be short.
    """
    request = urllib.request.Request(url, headers=_AGENT, method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as answer:
            return fingerprint(answer.headers)
    except urllib.error.HTTPError:
        return None
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(_cause(error)) from None


class Host:
    """Lets one process at a time talk to the host, and remembers for this run that it is dead.

    A run is named by SPARSEREPRO_RUN, which the workflow sets; without it nothing is remembered.
    """

    def __init__(self, folder: Path, base_url: str):
        self._lock = folder / ".download.lock"
        self._dead = folder / ".unreachable"
        self._mark = f"{os.environ.get('SPARSEREPRO_RUN', '')} {base_url}"
        folder.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        with self._lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def dead(self) -> str | None:
        """Why the host was given up in this run, or None."""
        if "SPARSEREPRO_RUN" not in os.environ or not self._dead.exists():
            return None
        mark, _, reason = self._dead.read_text().partition("\n")
        return reason if mark == self._mark else None

    def give_up(self, reason: str) -> None:
        self._dead.write_text(f"{self._mark}\n{reason}")
