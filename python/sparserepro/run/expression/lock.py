"""The lock that the drivers take, so that nobody else measures at the same time."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def opened(path: Path) -> int:
    """The descriptor of the lock, as drivers/common/lock.cpp opens it. Raises OSError."""
    present = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW
    try:
        # Another user's file must be opened without O_CREAT: kernels refuse that in sticky folders.
        lock = os.open(path, present)
    except FileNotFoundError:
        try:
            lock = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
            os.fchmod(lock, 0o666)  # the umask would lock other users out
        except FileExistsError:
            lock = os.open(path, present)
    if not stat.S_ISREG(os.fstat(lock).st_mode):
        os.close(lock)
        raise OSError(f"the measurement lock {path} is not a plain file")
    return lock


@contextmanager
def measurement_lock() -> Iterator[None]:
    """Waits for the lock, and says so once."""
    path = Path(os.environ.get("SPARSEREPRO_LOCK") or "/tmp/sparserepro-measurement.lock")
    lock = opened(path)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting: another measurement holds {path}", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
