"""Reads the files that `./measure` wrote earlier, and names one that is not as it wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sparserepro.offline.errors import MeasureError


def lines_of(text: str) -> list[str]:
    """The lines of a file of records. A newline alone ends one: JSON may hold other line ends."""
    return [line for line in text.split("\n") if line.strip()]


def command_of(path: Path) -> dict[str, Any]:
    """What a NAME.command says. Raises MeasureError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if all(
            isinstance(found[key], list) and all(isinstance(word, str) for word in found[key])
            for key in ("algorithms", "options", "libraries")
        ):
            return dict(found)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise _damaged(path)


def machine_in(path: Path) -> str | None:
    """The machine that the first record names; None in an empty file. Raises MeasureError."""
    try:
        with path.open(encoding="utf-8") as lines:
            first = lines.readline()
        machine = json.loads(first)["machine"]["id"] if first.strip() else None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _damaged(path) from None
    if machine is not None and not isinstance(machine, str):
        raise _damaged(path)
    return machine


def _damaged(path: Path) -> MeasureError:
    return MeasureError(
        f"{path} is not as ./measure wrote it: delete the files of that name, and the job is "
        "measured again"
    )
