"""What a driver's timings depend on: its sources, the compilers and options, processor and GPUs.

One small file for each driver. It changes when, and only when, the driver's measurements are out of
date; the executable itself would not do, since every commit links it anew.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.data.rows import PROBLEMS

DRIVERS = (*PROBLEMS, "matrix_info")
_SUFFIXES = frozenset({".cpp", ".hpp", ".def", ".h", ".cu", ".cuh"})
_INCLUDE = re.compile(r'^\s*#\s*include\s+"(\w+)/', re.MULTILINE)
# CMake's cache variables that change the code, with the project's defaults.
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "CMAKE_CXX_FLAGS": None,
    "CMAKE_CUDA_ARCHITECTURES": "",
    "SPARSEREPRO_CUDA": "ON",
    "SPARSEREPRO_NATIVE": "ON",
    "SPARSEREPRO_MARCH": "",
    "SPARSEREPRO_SANITIZE": "OFF",
    "SPARSEREPRO_SANITIZE_THREADS": "OFF",
    "SPARSEREPRO_FUZZ": "OFF",
    "SPARSEREPRO_EIGEN": "ON",
    "SPARSEREPRO_GRAPHBLAS": "ON",
    "SPARSEREPRO_GRAPHBLAS_ROOT": "",
    "SPARSEREPRO_IGRAPH": "ON",
    "SPARSEREPRO_NETWORKIT": "ON",
    "SPARSEREPRO_NETWORKIT_ROOT": "",
    "SPARSEREPRO_MKL": "ON",
    "SPARSEREPRO_NCCL": "ON",
    "SPARSEREPRO_NCCL_ROOT": "",
    "SPARSEREPRO_AOCL": "ON",
    "SPARSEREPRO_AOCL_ROOT": "",
    "SPARSEREPRO_RODE_ROOT": "",
    "SPARSEREPRO_SPUTNIK_ROOT": "",
    "SPARSEREPRO_GESPMM_ROOT": "",
}
# Comments of CMake, and what may hold a "#" that begins none: brackets, quotes, escaped characters.
_CMAKE = re.compile(
    r"(?P<comment>#\[(=*)\[.*?\]\2\]|#[^\n]*)"
    r'|\[(=*)\[.*?\]\3\]|"(?:\\.|[^"\\])*"|\\.|\s+|.',
    re.DOTALL,
)
# Debian packages of the libraries that peers wrap.
_PEERS = ("libeigen3-dev", "libgraphblas-dev", "libigraph-dev")


def _sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES)


def build_files(root: Path) -> list[Path]:
    """CMake's files that the drivers are built by."""
    fixed = [root / name for name in ("CMakeLists.txt", "CMakePresets.json")]
    rest = [root / "kernels/CMakeLists.txt", root / "drivers/CMakeLists.txt"]
    return [*fixed, *rest, *sorted((root / "cmake").glob("*.cmake"))]


@cache
def _includes(path: Path) -> frozenset[str]:
    return frozenset(_INCLUDE.findall(path.read_text(errors="replace")))


def driver_sources(root: Path, driver: str) -> list[Path]:
    """C++ and CUDA sources of a driver: the shared ones and the public headers, its problem's
    folder, and each folder of kernels/ that those include from, directly or not."""
    main = root / "drivers" / f"{driver}.cpp"
    sources = [main] if main.exists() else []
    sources += _sources(root / "drivers" / "common") + _sources(root / "include")
    waiting, folders = (
        ["formats", "generate", "io", "harness", *([driver] if driver in PROBLEMS else [])],
        set(),
    )
    for path in sources:
        waiting += _includes(path)
    while waiting:
        folder = waiting.pop()
        if folder in folders or not (root / "kernels" / folder).is_dir():
            continue
        folders.add(folder)
        found = _sources(root / "kernels" / folder)
        sources += found
        for path in found:
            waiting += _includes(path)
    return sorted(sources)


def _cmake_words(text: str) -> list[str]:
    """CMake code at its blanks outside of quotes and brackets, without comments."""
    words, word = [], ""
    for match in _CMAKE.finditer(text):
        if match["comment"] is None and not match[0].isspace():
            word += match[0]
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words


def what_counts(path: Path) -> bytes:
    """The content of a file without what cannot change a binary: in CMake's files comments and
    the width of blanks, in JSON the layout. C++ counts as it is."""
    if path.suffix == ".json":
        return json.dumps(json.loads(path.read_text()), sort_keys=True).encode()
    if path.suffix == ".cmake" or path.name == "CMakeLists.txt":
        return " ".join(_cmake_words(path.read_text())).encode()
    return path.read_bytes()


def sources_sha256(root: Path, driver: str) -> str:
    digest = hashlib.sha256()
    for path in sorted([*build_files(root), *driver_sources(root, driver)]):
        content = hashlib.sha256(what_counts(path)).hexdigest()
        digest.update(f"{path.relative_to(root)} {content}\n".encode())
    return digest.hexdigest()


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def cmake_cache(build: Path) -> dict[str, str]:
    """The cache variables of a build tree; none of one that is not configured."""
    path = build / "CMakeCache.txt"
    if not path.exists():
        return {}
    entries = re.findall(r"^([A-Za-z_]+):\w+=(.*)$", path.read_text(), re.MULTILINE)
    return dict(entries)


def toolchain(build: Path, root: Path, cuda: str = "auto") -> dict[str, str]:
    """Compilers, options, processor and GPUs of a build of `root` in `build`, made already or not.
    `cuda` is ON, OFF, or auto for what the build has."""
    cached = cmake_cache(build)
    if cuda != "auto":
        cached["SPARSEREPRO_CUDA"] = cuda
    facts = {}
    for name, default in OPTIONS.items():
        fallback = os.environ.get("CXXFLAGS", "") if default is None else default
        facts[name] = cached.get(name, fallback)
    cxx = cached.get("CMAKE_CXX_COMPILER") or os.environ.get("CXX") or "c++"
    facts["cxx"] = _output(cxx, "--version").partition("\n")[0]
    nvcc = cached.get("CMAKE_CUDA_COMPILER") or shutil.which(os.environ.get("CUDACXX") or "nvcc")
    if not nvcc or nvcc.endswith("NOTFOUND") or facts["SPARSEREPRO_CUDA"] != "ON":
        facts["cuda"] = ""
    else:
        facts["cuda"] = _output(nvcc, "--version").rpartition("\n")[2]
    facts["peers"] = "\n".join(_output("dpkg-query", "-W", name) for name in _PEERS)
    ready = root / ".peers/ready"
    facts["newest_peers"] = ready.read_text() if ready.exists() else ""
    facts["mkl"] = os.environ.get("MKLROOT", "")
    cpuinfo = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo.read_text(), re.MULTILINE)
    facts["processor"] = model[1] if model else ""
    gpus = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    facts["gpus"] = gpus
    return facts


def facts(root: Path, driver: str, built_by: dict[str, str]) -> dict[str, Any]:
    """What the timings of a driver depend on; `built_by` is what `toolchain` returns."""
    return {
        "driver": driver,
        "sources_sha256": sources_sha256(root, driver),
        "toolchain": built_by,
    }


def is_current(wanted: dict[str, Any], shared: Path) -> bool:
    """Whether the driver has been built as the facts say, and its catalogue been made."""
    driver = wanted["driver"]
    try:
        if driver in PROBLEMS:
            program.read_json(shared / "catalogue" / f"{driver}.json")
        written = program.read_json(shared / "build" / f"{driver}.json")
    except program.FileError:  # not there, or damaged
        return False
    return bool(written == wanted)


def write(every: list[dict[str, Any]], folder: Path) -> None:
    """A file for each of what `facts` returns."""
    for built in every:
        text = json.dumps(built, indent=1) + "\n"
        (folder / f"{built['driver']}.json").write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes down what the drivers were built from.")
    parser.add_argument("--facts", required=True, help="JSON list of what `facts` returns")
    parser.add_argument(
        "--output", type=Path, required=True, help="folder to write a file per driver to"
    )
    options = parser.parse_args()
    write(json.loads(options.facts), options.output)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
