"""What the processes of a run know of a host together."""

import contextlib
import fcntl
import os
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path


class Host:
    """Lets one process at a time talk to the host, and remembers for this run that it is dead.

    A run is named by SPARSEREPRO_RUN, which the workflow sets; without it nothing is remembered.
    """

    def __init__(self, folder: Path, base_url: str):
        host = re.sub(r"[^A-Za-z0-9.-]", "-", urllib.parse.urlsplit(base_url).netloc) or "files"
        self._lock = folder / f".download-{host}.lock"
        self._dead = folder / f".unreachable-{host}"
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
