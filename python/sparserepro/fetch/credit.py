"""Who a matrix is from, as the head of its file says: the comments that the SuiteSparse Matrix
Collection writes into its Matrix Market files."""

import re
from pathlib import Path

from sparserepro.fetch.matrix_file import open_text

_FIELDS = {
    "name": "name",
    "id": "id",
    "date": "date",
    "author": "author",
    "ed": "editor",
    "kind": "kind",
}
"""Keys of the comments, and what they are called here."""
_COLLECTION = re.compile(r"% (UF|SuiteSparse) Sparse Matrix Collection|% SuiteSparse Matrix Coll")
_MOST_LINES, _MOST_BYTES = 100, 1000

Credit = dict[str, str]


def read_credit(path: Path) -> Credit:
    """What the head of a .mtx or .mtx.gz says, by name, id, title, date, author, editor and kind;
    nothing where it is not one of the collection's. Raises OSError."""
    found: Credit = {}
    of_collection = False
    with open_text(path) as text:
        for _ in range(_MOST_LINES):
            line = text.readline(_MOST_BYTES).decode("utf-8", "replace").strip()
            if not line.startswith("%"):
                break
            of_collection = of_collection or _COLLECTION.match(line) is not None
            key, _, value = line.removeprefix("% ").partition(": ")
            if key in _FIELDS and value.strip():
                found.setdefault(_FIELDS[key], _plain(value))
            elif line.startswith("% [") and line.endswith("]"):
                found.setdefault("title", _plain(line[3:-1]))
    return found if of_collection and {"name", "id"} <= found.keys() else {}


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text).strip()
