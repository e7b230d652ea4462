"""Which files of the package a module needs: itself and all that it imports."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]


def imported(text: str) -> set[str]:
    """The modules that a source file imports; of `from a.b import c` both a.b and a.b.c."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def needed(*modules: str, folder: Path = FOLDER) -> list[Path]:
    """The files of `modules` and of what they import from `folder`, directly or not; sorted."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        path = folder / f"{waiting.pop().replace('.', '/')}.py"
        if path.is_file() and path not in found:
            found.add(path)
            waiting += imported(path.read_text())
    return sorted(found)
