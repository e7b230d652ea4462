"""One checked download at a time from the SuiteSparse Matrix Collection."""

import contextlib
import email.utils
import http.client
import random
import re
import shutil
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any, BinaryIO

from sparserepro.config.matrix_list import MatrixEntry

# Answers after which the same request may succeed a little later.
_TRANSIENT = frozenset({403, 408, 425, 429, 500, 502, 503, 504})
_NO_SUCH_RANGE = 416
_LONGEST_WAIT_S = 30.0
_PATIENCE = 4
"""A try is given up when its answer takes so many times `timeout_s` to begin, or brings less than
`_LEAST_BYTES_PER_S` in so long a time."""
_LEAST_BYTES_PER_S = 1000
_AGENT = {"User-Agent": "sparserepro/0.1 (measurements of sparse kernels)"}
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
Progress = Callable[[int, int | None], None]
"""Is told the bytes of a file that are here, and of how many, as they come."""


def _cause(error: Exception) -> str:
    """What went wrong, without the number that the system gives it."""
    reason = getattr(error, "reason", None) or error
    return getattr(reason, "strerror", None) or str(reason)


class DownloadError(Exception):
    """The file could not be fetched; the message says why."""


class _TooSlow(Exception):
    """The message says how slow."""


class _NoRoom(Exception):
    """The disk has too little room; the message says how much."""


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
    base_url: str | list[str]
    timeout_s: float
    retries: int

    def urls(self, entry: MatrixEntry) -> dict[str, str]:
        """The addresses of the matrix, in the order of trying, each with its base."""
        path = urllib.parse.quote(f"{entry.group}/{entry.name}.tar.gz")
        bases = [self.base_url] if isinstance(self.base_url, str) else self.base_url
        return {f"{base.rstrip('/')}/{path}": base for base in bases}


class Part:
    """What an earlier try left of a file, which a server that can goes on with.

    A second file beside it holds the address and what tells this version from another; without it
    the rest is not worth keeping.
    """

    def __init__(self, url: str, target: Path):
        self._url = url
        self.path = target.with_name(f"{target.name}.part")
        self._version = target.with_name(f"{target.name}.part.version")

    def rest(self) -> dict[str, str]:
        """The headers that ask for the rest, or none."""
        if not (self.path.exists() and self._version.exists()):
            return {}
        url, _, version = self._version.read_text().partition("\n")
        size = self.path.stat().st_size
        return {"Range": f"bytes={size}-", "If-Range": version} if size and url == self._url else {}

    def remember(self, headers: Message) -> None:
        version = headers.get("ETag", "W/")
        if version.startswith("W/"):  # does not tell bytes apart
            version = headers.get("Last-Modified", "")
        if version and headers.get("Accept-Ranges") == "bytes":
            self._version.write_text(f"{self._url}\n{version}")
        else:
            self._version.unlink(missing_ok=True)

    def clean(self) -> None:
        """Deletes what cannot be gone on with."""
        if not self.rest():
            self.forget()

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)
        self._version.unlink(missing_ok=True)


def fingerprint(headers: Message, length: int | None = None) -> str:
    """What tells one version of a file on a server from another; `length` is that of the whole file
    where the headers are of a part."""
    told = headers.get("Content-Length") if length is None else str(length)
    return "|".join([told or "", headers.get("ETag") or "", headers.get("Last-Modified") or ""])


def asked_wait_s(text: str) -> float:
    """Seconds of a Retry-After header: a number or a date; 0 for anything else."""
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def fetch(
    url: str,
    target: Path,
    source: Source,
    progress: Progress = lambda *_: None,
    first_wait_s: float = 1.0,
) -> str:
    """Downloads to `target` and returns the server's fingerprint of it. Raises DownloadError.

    The file appears under its name only when it is complete. Waits longer after each failed try,
    and as long as the server asks for; one that asks for more than half a minute is not asked
    again. A further try, in a later run too, asks
    for the rest alone, where the server says that it can give ranges of bytes.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = Part(url, target)
    problem: DownloadError
    for attempt in range(source.retries + 1):
        asked = 0.0
        try:
            return _fetch_once(url, target, part, source.timeout_s, progress)
        except urllib.error.HTTPError as error:
            problem = DownloadError(f"{url}: {error.code} {error.reason}")
            if error.code == _NO_SUCH_RANGE:
                part.forget()
            elif error.code not in _TRANSIENT:
                break
            asked = asked_wait_s(error.headers.get("Retry-After", ""))
            if asked > _LONGEST_WAIT_S:
                problem = DownloadError(f"{problem}, with a wait of {asked:.0f} s")
                break
        except urllib.error.URLError as error:
            # urllib raises this one before the request is sent, or where a local file is missing.
            if url.startswith("file:"):
                problem = DownloadError(f"{url}: {_cause(error)}")
                break
            problem = Unreachable(f"{url}: {_cause(error)}")
        except TimeoutError:
            problem = DownloadError(f"{url}: nothing came for {source.timeout_s:g} s")
        except _NoRoom as error:
            problem = DownloadError(f"{url}: {error}")
            break
        except _TooSlow as error:
            problem = DownloadError(f"{url}: {error}")
        except (http.client.HTTPException, OSError) as error:
            problem = DownloadError(f"{url}: {_cause(error)}")
        if attempt < source.retries:
            backoff = first_wait_s * 2**attempt * random.uniform(1.0, 1.25)
            time.sleep(min(max(backoff, asked), _LONGEST_WAIT_S))
    raise problem


def _fetch_once(url: str, target: Path, part: Part, timeout_s: float, progress: Progress) -> str:
    headers = _AGENT | part.rest()
    try:
        with _at_most(_PATIENCE * timeout_s):
            opened = urllib.request.urlopen(
                urllib.request.Request(url, headers=headers), timeout=timeout_s
            )
        with opened as answer:
            begin, total = _range(answer, part)
            with part.path.open("ab" if begin else "wb") as out:
                if not begin:
                    part.remember(answer.headers)
                received = _receive(answer, out, begin, total, timeout_s, progress)
            mark = fingerprint(answer.headers, total)
        if received == 0:
            raise http.client.HTTPException("the answer is empty")
        if total is not None and received != total:
            raise http.client.HTTPException(f"the server sent {received} of {total} bytes")
        part.path.replace(target)
        part.forget()
        return mark
    finally:
        part.clean()


def _range(answer: Any, part: Part) -> tuple[int, int | None]:
    """Where the answer begins, and the bytes of the whole file, if they are known."""
    if answer.status != http.client.PARTIAL_CONTENT:
        length = answer.headers.get("Content-Length", "")
        return 0, int(length) if length.isascii() and length.isdigit() else None
    told = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if told is None or int(told[1]) != part.path.stat().st_size:
        part.forget()
        raise http.client.HTTPException("the server sent another part than was asked for")
    return int(told[1]), int(told[3])


def _receive(
    answer: Any, out: BinaryIO, begin: int, total: int | None, timeout_s: float, progress: Progress
) -> int:
    """Bytes of the file that are here when the answer ends."""
    room = begin + shutil.disk_usage(Path(out.name).parent).free
    if total is not None and total > room:
        raise _NoRoom(f"{total - begin} bytes to come, {room - begin} are free on the disk")
    received = counted = begin
    since = time.monotonic()
    while block := answer.read1(1 << 20):
        received += len(block)
        if received > room:
            raise _NoRoom(f"more than the {room - begin} bytes come that are free on the disk")
        out.write(block)
        progress(received, total)
        seconds = time.monotonic() - since
        if seconds > _PATIENCE * timeout_s:
            if received - counted < _LEAST_BYTES_PER_S * seconds:
                raise _TooSlow(
                    f"{received - counted} bytes came in {seconds:.0f} s, less than "
                    f"{_LEAST_BYTES_PER_S} a second"
                )
            since, counted = time.monotonic(), received
    return received


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
