"""Running drivers: in which environment, for how long, and what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_EXPORTED_THREADS = (
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def driver_environment(environment: dict[str, str]) -> dict[str, str]:
    """Without thread counts and OpenMP settings of whoever started us: a driver makes its own,
    which fit the libraries that it is linked with (drivers/common/restart.hpp)."""
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith(("OMP_", "GOMP_", "KMP_")) and name not in _EXPORTED_THREADS
    }


def with_libraries(environment: dict[str, str], folders: list[str]) -> dict[str, str]:
    """The environment of a driver that looks for shared libraries in the folders first."""
    variables = driver_environment(environment)
    if folders:
        whole = [str(Path(folder).absolute()) for folder in folders]
        paths = [*whole, variables.get("LD_LIBRARY_PATH", "")]
        variables["LD_LIBRARY_PATH"] = ":".join(path for path in paths if path)
    return variables


def run_driver(
    line: list[str], folder: Path, variables: dict[str, str], log: Path, limit: float | None
) -> int | None:
    """The exit code of the command, which runs in `folder`; None when `limit` seconds did not
    suffice. The log has what was said."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        out.write("$ " + " ".join(line) + "\n")
        out.flush()
        try:
            process = subprocess.Popen(
                line, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=variables
            )
        except OSError as error:
            out.write(f"{error}; --build names the build tree\n")
            return 127
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:  # also when we are interrupted: a driver must not go on measuring alone
            if process.poll() is None:
                process.terminate()
                process.wait()


def describe(line: list[str], output: Path, variables: dict[str, str]) -> bool:
    """What a driver or matrix_info says with --json, in `output`; whether it is there."""
    if output.exists():
        return True
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_suffix(".part")
    command = [*line, "--json", str(partial)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    except OSError as error:
        print(f"{line[0]}: {error.strerror}", file=sys.stderr)
        return False
    if done.returncode != 0 or not partial.exists():
        print(done.stderr.strip() or f"{line[0]} wrote nothing", file=sys.stderr)
        return False
    partial.replace(output)
    return True
