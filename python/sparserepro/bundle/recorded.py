"""Whether the matrices of results that came back are those that the list and the bundle name."""

from pathlib import Path

from sparserepro.bundle.errors import BundleError
from sparserepro.config.check import ConfigError
from sparserepro.config.matrix_list import MatrixEntry, MatrixList, load_matrix_list
from sparserepro.offline.matrices import Listed, Matrix, differences, mixed


def listed(entry: MatrixEntry) -> Listed:
    """What a bundle says of a matrix."""
    if entry.spec is not None:
        return {"spec": entry.spec}
    known = {key: getattr(entry, key) for key in ("rows", "cols", "stored", "sha256")}
    return {key: value for key, value in known.items() if value is not None}


def _expected(name: str, sent: dict[str, Listed], known: MatrixList) -> list[Listed]:
    """Of the bundle, and of the list: of a generated matrix only where the bundle has nothing, as
    the list may have another spec by now."""
    found = [sent[name]] if name in sent else []
    entry = known.entries.get(name)
    if entry is not None and (not found or entry.spec is None):
        found.append(listed(entry))
    return found


def wrong(matrices: list[Matrix], sent: dict[str, Listed], known: MatrixList) -> list[str]:
    """What of the matrices of records is not as the bundle (`sent`) and the list say."""
    files = [matrix for matrix in matrices if matrix["origin"] != "array"]
    lines = [
        f"{matrix['name']}: {line}"
        for matrix in files
        for expected in _expected(matrix["name"], sent, known)
        for line in differences(matrix, expected)
    ]
    return list(dict.fromkeys([*lines, *mixed(files)]))


def list_of(path: Path) -> MatrixList:
    """Raises BundleError."""
    try:
        return load_matrix_list(path)
    except ConfigError as error:
        raise BundleError(str(error)) from None
