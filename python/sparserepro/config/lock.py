"""config/matrices.lock: hashes and sizes of the collection's own files.

They lie apart from the list, so that a new one changes no definition of a matrix and has nothing
measured again.
"""

import os
from pathlib import Path

from sparserepro.config.check import validate
from sparserepro.config.file import load_config_file

Lock = dict[str, tuple[str, int]]
"""By id of the matrix: SHA-256 and bytes of its uncompressed .mtx."""

_HEAD = """\
# SHA-256 and bytes of the .mtx files as the collection publishes them, by id of matrices.yaml.
# Written by `sparserepro lock`; a file that differs is refused.
"""


def load(path: Path) -> Lock:
    """Nothing where there is no such file. Raises ConfigError."""
    if not path.exists():
        return {}
    checked = validate(load_config_file(path), "matrices_lock.schema.yaml", path.name)
    return {id_: (fields["sha256"], fields["size"]) for id_, fields in checked["matrices"].items()}


def write(path: Path, lock: Lock) -> None:
    lines = [
        f'  "{id_}": {{sha256: "{sha256}", size: {size}}}'
        for id_, (sha256, size) in sorted(lock.items())
    ]
    text = "\n".join(["matrices:", *lines] if lines else ["matrices: {}"])
    partial = path.with_name(f"{path.name}.part{os.getpid()}")
    partial.write_text(f"{_HEAD}{text}\n")
    partial.replace(path)
