"""What downloads will cost: bytes to fetch, bytes on the disk, time.

Earlier downloads are kept in a file of the folder of downloads: a line for each, with the bytes of
the archive and the seconds that it took.
"""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sparserepro.config.matrix_list import MatrixEntry

_HISTORY = ".downloads.jsonl"
LINE_BYTES = 25
"""Of an entry in a .mtx file: files of the lock have 27, patterns without values about 13."""
PACKED = 4
"""How many times an archive is smaller than its .mtx; files of several kinds have 2.5 to 7."""
BYTES_PER_S = 4e6
"""Of a download, where none is known."""


def note(resources: Path, id_: str, size: int, seconds: float) -> None:
    """Keeps a download for later forecasts."""
    with (resources / _HISTORY).open("a") as out:
        out.write(json.dumps({"id": id_, "bytes": size, "seconds": round(seconds, 3)}) + "\n")


def _history(resources: Path) -> Iterator[tuple[str, int, float]]:
    path = resources / _HISTORY
    for line in path.read_text().split("\n") if path.exists() else []:
        try:
            told = json.loads(line)
            yield str(told["id"]), int(told["bytes"]), float(told["seconds"])
        except (ValueError, TypeError, LookupError):  # the line of a run that was killed
            continue


def disk_bytes(entry: MatrixEntry) -> int:
    """Of the .mtx: as the lock says, else by the number of entries."""
    entries = entry.entries if entry.entries is not None else entry.stored
    return entry.size or LINE_BYTES * (1_000_000 if entries is None else entries)


@dataclass(frozen=True)
class Forecast:
    """Of the downloads of some matrices."""

    files: int
    fetched: int
    """Bytes of the archives."""
    on_disk: int
    """Bytes of the .mtx files."""
    largest: int
    """Bytes of the largest archive, which lies beside its .mtx for a while."""
    seconds: float
    assumed: str
    """What is supposed, in words."""

    def __str__(self) -> str:
        minutes = self.seconds / 60
        return (
            f"{self.files} matrices: about {self.fetched / 1e6:.0f} MB to fetch, "
            f"{self.on_disk / 1e6:.0f} MB on disk, "
            f"{f'{minutes:.0f} minutes' if minutes >= 1 else 'less than a minute'}"
        )


def forecast(entries: Iterable[MatrixEntry], resources: Path) -> Forecast:
    wanted = list(entries)
    history = list(_history(resources))
    known = {id_: size for id_, size, _ in history}
    seconds = sum(took for _, _, took in history)
    rate = sum(size for _, size, _ in history) / seconds if seconds > 0 else BYTES_PER_S
    archives = [known.get(e.id) or disk_bytes(e) // PACKED for e in wanted]
    locked = sum(entry.size is not None for entry in wanted)
    assumed = [
        f"sizes: {locked} from the lock, the others by {LINE_BYTES} bytes an entry",
        f"archives {PACKED} times smaller",
        f"{rate / 1e6:.1f} MB/s"
        + (f", as {len(history)} downloads had" if seconds > 0 else ", since none is known"),
    ]
    return Forecast(
        files=len(wanted),
        fetched=sum(archives),
        on_disk=sum(map(disk_bytes, wanted)),
        largest=max(archives, default=0),
        seconds=sum(archives) / rate,
        assumed="; ".join(assumed),
    )


class Watch:
    """Counts the bytes of one download and the time that they take."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.received = 0
        self.total: int | None = None
        self._begin = time.monotonic()

    def __call__(self, received: int, total: int | None) -> None:
        if self.first is None:
            self.first = received
        self.received, self.total = received, total

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin
