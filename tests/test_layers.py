"""Includes in the kernels follow the arrows of kernels/README.md; files are as short as it says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparserepro.data.rows import PROBLEMS

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
PUBLIC = ROOT / "include"  # headers of the installed package; every folder may include them
SUFFIXES = {".cpp", ".hpp", ".def", ".cu", ".cuh"}
# Each layer with those that it may include from, besides itself.
BELOW = ("formats", "generate", "io", "harness")
LAYERS = {layer: BELOW[:number] for number, layer in enumerate(BELOW)} | {
    "cuda": BELOW,
    "peers": BELOW,
}
GENERATED = {"revision.hpp"}


def includes() -> Iterator[tuple[str, str]]:
    """(file, included file), both relative to kernels/ or include/."""
    for root in (KERNELS, PUBLIC):
        for path in sorted(root.rglob("*")):
            if path.suffix in SUFFIXES:
                for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                    yield path.relative_to(root).as_posix(), name


def objection(file: str, included: str) -> str:
    """Why `file` may not include `included`; "" where it may. Both are relative to kernels/."""
    here, there = file.split("/")[:-1], included.split("/")[:-1]
    layer, other = here[0], there[0] if there else ""
    if layer == "sparserepro" or other == "sparserepro":
        return "" if other == "sparserepro" else "a public header includes public headers alone"
    if included in GENERATED:
        return "" if layer == "harness" else "only harness/ knows the revision"
    if layer in LAYERS:
        return "" if other in (layer, *LAYERS[layer]) else f"{layer}/ is below {other}/"
    if other in LAYERS:
        return ""
    if other != layer:
        # As in its source, the merge-based transposition is composed of the primitives.
        composed = other == "primitives" and "papers" in here and included.endswith(".cuh")
        return "" if composed else f"{layer}/ and {other}/ are two problems"
    # Within a problem a folder's files are its own business, and the problem's files everybody's.
    room, other_room = here[1:2], there[1:2]
    return "" if other_room in ([], room) else f"{'/'.join(there[:2])} is a room of its own"


def test_includes_follow_the_arrows() -> None:
    found = list(includes())
    assert len(found) > 500
    wrong = {
        f"{file} includes {name}: {why}" for file, name in found if (why := objection(file, name))
    }
    assert wrong == set()


def installed_sources() -> list[Path]:
    """The files that kernels/CMakeLists.txt makes the installed libraries of."""
    text = (KERNELS / "CMakeLists.txt").read_text()
    lists = re.findall(r"^set\((?:public|device)_rooms ([^)]+)\)", text, re.MULTILINE)
    rooms = [KERNELS / room for rooms in lists for room in rooms.split()]
    assert len(rooms) >= 3
    files = [path for room in rooms for path in room.rglob("*") if path.suffix in SUFFIXES]
    entries = {room / f"{room.name}{suffix}" for room in rooms for suffix in (".cpp", ".cu")}
    assert len(entries & set(files)) == len(rooms)
    return sorted(set(files) - entries)


def test_installed_libraries_need_no_drivers() -> None:
    """Whatever their sources include, directly or not, is below the harness."""
    pending, seen = installed_sources(), set[Path]()
    while pending:
        path = pending.pop()
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            found = next(root / name for root in (KERNELS, PUBLIC) if (root / name).is_file())
            assert not name.startswith(("harness/", "io/", "generate/", "peers/")), (path, name)
            if found not in seen:
                seen.add(found)
                pending.append(found)


def test_every_included_file_exists() -> None:
    missing = {
        f"{file}: {name}"
        for file, name in includes()
        if name not in GENERATED and not any((root / name).is_file() for root in (KERNELS, PUBLIC))
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("file", "included", "allowed"),
    [
        ("formats/csr.hpp", "formats/types.hpp", True),
        ("formats/csr.hpp", "harness/timer.hpp", False),
        ("harness/machine.cpp", "io/sha256.hpp", True),
        ("cuda/stream.hpp", "peers/mkl.hpp", False),
        ("spmm/check.cpp", "spmm/papers/cuda_elements.cuh", False),
        ("spmm/papers/csr/omp_csr.cpp", "spmm/host_run.hpp", True),
        ("spmm/papers/csr/omp_csr.cpp", "spmm/papers/transposed_run.hpp", True),
        ("spmm/peers/eigen_csr.cpp", "spmm/papers/transposed_run.hpp", False),
        ("transpose/papers/cuda_mergetrans.cu", "primitives/papers/rank_sort.cuh", True),
        ("transpose/omp_partition/direct.hpp", "primitives/host_run.hpp", False),
        ("triangles/serial.cpp", "spmm/spmm.hpp", False),
        ("formats/error.hpp", "sparserepro/error.hpp", True),
        ("sparserepro/spmm.hpp", "sparserepro/arrays.hpp", True),
        ("sparserepro/spmm.hpp", "formats/csr.hpp", False),
    ],
)
def test_objections(file: str, included: str, allowed: bool) -> None:
    assert (objection(file, included) == "") is allowed


def test_the_folders_are_those_of_the_picture() -> None:
    folders = {path.name for path in KERNELS.iterdir() if path.is_dir()}
    assert folders == {*LAYERS, *PROBLEMS}
    text = (KERNELS / "README.md").read_text()
    for folder in LAYERS:
        assert f"`{folder}/`" in text, f"kernels/README.md does not name {folder}/"


def test_a_file_has_at_most_as_many_lines_as_the_page_says() -> None:
    (most,) = re.findall(r"lines, at most (\d+)\.", (KERNELS / "README.md").read_text())
    sources = [
        path
        for root in (KERNELS, PUBLIC, ROOT / "drivers", ROOT / "bindings", ROOT / "tests")
        for path in root.rglob("*")
        if path.suffix in SUFFIXES
    ]
    assert len(sources) > 300
    longer = {
        str(path.relative_to(ROOT)): lines
        for path in sources
        if (lines := path.read_text().count("\n")) > int(most)
    }
    assert longer == {}
