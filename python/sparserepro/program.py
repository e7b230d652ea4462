"""What the programs of the workflow share: a file that cannot be read or written is told in one
line with its name, one that is interrupted or whose reader has seen enough ends quietly, and no
program outlives the workflow that started it."""

import ctypes
import json
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

WORKFLOW = "SPARSEREPRO_WORKFLOW_PID"
"""Environment variable: the process of Snakemake that starts the programs."""
_SET_PARENT_DEATH_SIGNAL = 1
_LIBC = ctypes.CDLL(None)


class FileError(Exception):
    """A file is not what it should be; the message names it and says why."""


def read_text(path: Path) -> str:
    """Raises FileError."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def json_of(text: str) -> Any:
    """Raises ValueError for all that is not JSON, or nested too deeply to be read."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a file of JSON objects that are not blank, and their numbers. A newline alone
    ends one: a string of JSON may hold other ends of lines that Unicode knows."""
    return ((n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip())


def read_json(path: Path) -> Any:
    """Raises FileError."""
    try:
        return json_of(read_text(path))
    except ValueError as error:
        raise FileError(f"{path}: not JSON: {error}") from None


def run(main: Callable[[], int | None]) -> int:
    """The exit code of a program. Where nobody reads its output any more, as after `| head`, and
    after an interrupt, it is what shells give for the signal that ends other programs then."""
    end_with_workflow()
    try:
        try:
            return main() or 0
        finally:  # also of --help, which ends by SystemExit
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The interpreter flushes at its end once more: what is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except FileError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        where = error.filename or Path(sys.argv[0]).name
        print(f"{where}: {error.strerror or error}", file=sys.stderr)
    return 1


def end_with_workflow() -> None:
    """Ends this process at once when Snakemake is gone, be it killed."""
    number = os.environ.get(WORKFLOW, "")
    if not number.isdigit():
        return
    try:
        workflow = os.pidfd_open(int(number))
    except ProcessLookupError:
        os._exit(1)
    except OSError:  # an old kernel
        return

    def wait() -> None:
        select.select([workflow], [], [])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def ending_with_us() -> Callable[[], None]:
    """For `preexec_fn`: sends the child SIGTERM when this process is gone, be it killed."""
    parent = os.getpid()

    def prepare() -> None:
        _LIBC.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return prepare
