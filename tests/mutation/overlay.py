"""Copies of the checkout in which one file of Python at a time is a mutant's."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from mutation.definitions import ROOT, Mutant, mutated

_times = count(1)
_EPOCH = 1_000_000_000


class Overlay:
    """A copy of all files of the checkout; tests that run in it see no other one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        shutil.rmtree(folder, ignore_errors=True)
        for name in filter(None, done.stdout.split("\0")):
            source, target = ROOT / name, folder / name
            if source.is_file() or source.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)

    @contextmanager
    def with_mutant(self, mutant: Mutant) -> Iterator[None]:
        """The copy with this mutant; afterwards it is as before."""
        path = self.folder / mutant.file
        before = path.read_text(encoding="utf-8")
        try:
            self._write(path, mutated(mutant, before))
            yield
        finally:
            self._write(path, before)

    def _write(self, path: Path, text: str) -> None:
        """Each text has a time of its own: compiled files are told by their source's seconds."""
        path.write_text(text, encoding="utf-8")
        seconds = _EPOCH + next(_times)
        os.utime(path, (seconds, seconds))
