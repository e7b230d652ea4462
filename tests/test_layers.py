"""The includes of the kernels follow the arrows that kernels/README.md draws."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
# Each layer with those that it may include from, besides itself.
BELOW = ("formats", "generate", "io", "harness")
LAYERS = {layer: BELOW[:number] for number, layer in enumerate(BELOW)} | {
    "cuda": BELOW,
    "peers": BELOW,
}
PROBLEMS = ("primitives", "transpose", "convert", "spmm", "triangles")
GENERATED = {"revision.hpp"}


def includes() -> Iterator[tuple[str, str]]:
    """(file, included file), both relative to kernels/."""
    for path in sorted(KERNELS.rglob("*")):
        if path.suffix in SUFFIXES:
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                yield path.relative_to(KERNELS).as_posix(), name


def objection(file: str, included: str) -> str:
    """Why `file` may not include `included`; "" where it may. Both are relative to kernels/."""
    here, there = file.split("/")[:-1], included.split("/")[:-1]
    layer, other = here[0], there[0] if there else ""
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


def test_every_included_file_exists() -> None:
    missing = {
        f"{file}: {name}"
        for file, name in includes()
        if name not in GENERATED and not (KERNELS / name).is_file()
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
    ],
)
def test_objections(file: str, included: str, allowed: bool) -> None:
    assert (objection(file, included) == "") is allowed


def test_the_folders_are_those_of_the_picture() -> None:
    folders = {path.name for path in KERNELS.iterdir() if path.is_dir()}
    assert folders == {*LAYERS, *PROBLEMS}
    text = (KERNELS / "README.md").read_text()
    for folder in folders:
        assert f"`{folder}/`" in text, f"kernels/README.md does not name {folder}/"
