"""Configures and builds the drivers of a bundle, with what the other machine has of tools."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from sparserepro.offline.errors import MeasureError

OLDEST_CMAKE = (3, 25)
# What CMake says of CUDA and of the libraries to compare with.
_FOUND = re.compile(
    r"-- ((?:CUDA|cuSPARSE|CUB|Eigen|SuiteSparse:GraphBLAS|igraph|NetworKit|AOCL-Sparse|oneMKL)"
    r": .*)"
)


def check_tools() -> str:
    """Raises MeasureError for a tool that is missing; the generator for CMake."""
    if shutil.which("cmake") is None:
        raise MeasureError("cmake is not on PATH; load its module, or install CMake 3.25 or newer")
    told = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+)\.(\d+)", told.stdout)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_CMAKE:
        version = told.stdout.partition("\n")[0] or "this cmake"
        raise MeasureError(f"{version} is too old; CMake 3.25 or newer is needed")
    compiler = os.environ.get("CXX", "").split()[:1] or ["c++", "g++", "clang++"]
    if not any(shutil.which(name) for name in compiler):
        raise MeasureError(
            f"no C++ compiler is on PATH ({', '.join(compiler)}); one with C++20 and OpenMP is "
            "needed, and CXX may name it"
        )
    for program, generator in (("ninja", "Ninja"), ("make", "Unix Makefiles")):
        if shutil.which(program):
            return generator
    raise MeasureError("neither ninja nor make is on PATH")


def configure(bundle: Path, build: Path, given: list[str]) -> None:
    """Configures the build tree once, and again with other options. Raises MeasureError."""
    generator = check_tools()
    marker = build / "configured.txt"
    wanted = "\n".join(given)
    known = marker.read_text() if marker.exists() else None
    if known is not None and (not given or known == wanted):
        return
    line = ["cmake", "-S", str(bundle / "sources"), "-B", str(build)]
    if not (build / "CMakeCache.txt").exists():
        line += ["-G", generator]
    line += ["-DCMAKE_BUILD_TYPE=Release", "-DSPARSEREPRO_TESTS=OFF"]
    print("Configuring the build", flush=True)
    _run([*line, *given], build / "configure.log", _show_found, _with_prefix(bundle / "prefix"))
    marker.write_text(wanted)


def _with_prefix(prefix: Path) -> dict[str, str]:
    """The environment in which CMake finds the headers of the bundle, unless told of others."""
    places = [str(prefix), os.environ.get("CMAKE_PREFIX_PATH", "")]
    return {**os.environ, "CMAKE_PREFIX_PATH": os.pathsep.join(filter(None, places))}


def _show_found(text: str) -> None:
    if found := _FOUND.match(text):
        print(f"  {found[1]}", flush=True)


def compile_drivers(build: Path, drivers: list[str], parallel: int) -> None:
    """Raises MeasureError. What is up to date takes no time."""
    told = 0

    def show(text: str) -> None:
        nonlocal told
        if (share := _share(text)) >= told + 10:
            told = share - share % 10
            print(f"  {told} % of the build", flush=True)

    line = ["cmake", "--build", str(build), "--parallel", str(parallel), "--target", *drivers]
    print(f"Building {', '.join(drivers)}", flush=True)
    _run(line, build / "build.log", show, dict(os.environ))


def _share(text: str) -> int:
    """Percent of a build that a line of ninja ("[3/40]") or make ("[ 7%]") tells; 0 for a line of
    another kind, and of a build so small that little is made anew."""
    if found := re.match(r"\[(\d+)/(\d+)\]", text):
        return 100 * int(found[1]) // int(found[2]) if int(found[2]) > 10 else 0
    found = re.match(r"\[ *(\d+)%\]", text)
    return int(found[1]) if found else 0


def _run(
    line: list[str], log: Path, show: Callable[[str], None], variables: dict[str, str]
) -> None:
    """Runs a command with its output in the log and in `show`. Raises MeasureError."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        process = subprocess.Popen(
            line,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=variables,
        )
        try:
            for text in process.stdout or ():
                out.write(text)
                show(text)
            code = process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if code != 0:
        said = [text for text in log.read_text(errors="replace").splitlines() if text.strip()]
        end = "\n".join(f"  {text}" for text in said[-15:])
        raise MeasureError(
            f"{' '.join(line[:2])} failed with exit code {code}; {log} has the whole output\n{end}"
        )
