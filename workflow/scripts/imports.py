"""Which files a script needs: itself and all of this project that it imports."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER.parents[1] / "python"


def modules(text: str) -> set[str]:
    """The modules that a source file imports; of `from a.b import c` both a.b and a.b.c."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def needed(*names: str, folder: Path = FOLDER, package: Path = PACKAGE) -> list[Path]:
    """The scripts `names` and the files of what they import, directly or not: scripts, and modules
    of the package; sorted."""
    found: set[Path] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        for path in (folder / f"{name}.py", package / f"{name.replace('.', '/')}.py"):
            if path.is_file() and path not in found:
                found.add(path)
                waiting += modules(path.read_text())
    return sorted(found)
