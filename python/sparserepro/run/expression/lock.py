"""The lock that the drivers take, so that nobody else measures at the same time."""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def measurement_lock() -> Iterator[None]:
    """Waits for the lock, and says so once."""
    path = Path(tempfile.gettempdir()) / "sparserepro-measurement.lock"
    try:
        # Another user's file must be opened without O_CREAT: kernels refuse that in sticky folders.
        lock = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        lock = os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting: another measurement holds {path}", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
