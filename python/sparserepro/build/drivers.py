"""Configures and builds drivers in the folder build, one process at a time."""

import argparse
import contextlib
import fcntl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from sparserepro import program
from sparserepro.build.facts import OPTIONS, cmake_cache
from sparserepro.paths import ROOT


def moved(folder: Path) -> list[str]:
    """CMake's options that make a build tree anew, with the options that it had, where it was made
    in another place."""
    cache = cmake_cache(folder)
    places = {"CMAKE_HOME_DIRECTORY": ROOT, "CMAKE_CACHEFILE_DIR": folder.resolve()}
    if all(cache.get(name, str(place)) == str(place) for name, place in places.items()):
        return []
    kept = [*OPTIONS, "CMAKE_CXX_COMPILER", "CMAKE_CUDA_COMPILER"]
    return ["--fresh", *(f"-D{name}={cache[name]}" for name in kept if cache.get(name))]


def build(
    folder: Path, drivers: list[str], parallel: str, cuda: str, held: Sequence[int] = (),
    out: int | None = None,
) -> int:  # fmt: skip
    """Builds in a tree; the exit code of the first command that fails, or 0. What CMake says goes
    to the file descriptor `out`; None: to standard output."""
    switch = [] if cuda == "auto" else [f"-DSPARSEREPRO_CUDA={cuda}"]
    tree = ["-S", str(ROOT), "-B", str(folder), *moved(folder)]
    configure = ["cmake", "--preset", "release", *tree, *switch]
    compile_all = ["cmake", "--build", str(folder), "--parallel", parallel]
    for command in (configure, [*compile_all, "--target", *drivers]):
        # Who is left of a build that was killed keeps the lock.
        if code := subprocess.run(command, check=False, pass_fds=held, stdout=out).returncode:
            return code
    return 0


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[list[int]]:
    """A build tree that no other process builds in; the file descriptors that keep it so."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".workflow.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield [lock.fileno()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drivers", nargs="+", help="names of drivers")
    parser.add_argument("--parallel", required=True, help="number of compilations at once")
    parser.add_argument(
        "--cuda", choices=("ON", "OFF", "auto"), default="auto", help="auto: as configured before"
    )
    parser.add_argument(
        "--missing", action="store_true", help="build only the drivers that build/bin lacks"
    )
    options = parser.parse_args()
    folder = Path("build")
    with locked(folder) as held:
        drivers = [
            name for name in options.drivers if not (options.missing and is_there(folder, name))
        ]
        return build(folder, drivers, options.parallel, options.cuda, held) if drivers else 0


def is_there(folder: Path, driver: str) -> bool:
    return (folder / "bin" / driver).exists()


if __name__ == "__main__":
    sys.exit(program.run(main))
