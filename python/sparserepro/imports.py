"""Which files of the package a module needs: itself and all that it imports."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]


# An import at the beginning of a line. So may a sentence begin; what parses counts, and no harm is
# done by a module too many.
_IMPORT = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]*\)|[^(\n]+))|import[ \t]+[^\n]+)",
    re.MULTILINE,
)


def _imports(text: str) -> ast.Module:
    """A tree with all imports of a source file. To parse these alone takes a tenth of the time."""
    try:
        return ast.parse("\n".join(_IMPORT.findall(text)))
    except SyntaxError:
        return ast.parse(text)


@cache
def imported(text: str) -> frozenset[str]:
    """The modules that a source file imports; of `from a.b import c` both a.b and a.b.c."""
    found: set[str] = set()
    for node in ast.walk(_imports(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def modules_of(package: str, folder: Path = FOLDER) -> list[str]:
    """The modules that lie in a package."""
    files = sorted((folder / package.replace(".", "/")).glob("*.py"))
    return [f"{package}.{path.stem}" for path in files if path.stem != "__init__"]


def needed(*modules: str, folder: Path = FOLDER) -> list[Path]:
    """The files of `modules` and of what they import from `folder`, directly or not; sorted. A name
    such as a.b.* means all modules of the package a.b."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name.endswith(".*"):
            waiting += modules_of(name.removesuffix(".*"), folder)
            continue
        path = folder / f"{name.replace('.', '/')}.py"
        if path.is_file() and path not in found:
            found.add(path)
            waiting += imported(path.read_text())
    return sorted(found)
