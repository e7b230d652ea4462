"""Which scripts of this folder a script needs: itself and all that it imports."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def modules(text: str) -> set[str]:
    """Top-level names of the modules that a source file imports."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.partition(".")[0])
    return found


def needed(*names: str, folder: Path = FOLDER) -> list[str]:
    """Names of the scripts `names` and of those that they import, directly or not; sorted."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        path = folder / f"{name}.py"
        if name not in found and path.is_file():
            found.add(name)
            waiting += modules(path.read_text())
    return sorted(found)
