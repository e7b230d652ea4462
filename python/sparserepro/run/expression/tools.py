"""The interpreters that evaluate sum((A*A).*A)/6 for the 0/1 adjacency matrix A of a graph.

A has fp64 ones, as MATLAB's sparse matrices do; the sum is exact to 2^53. A*A is formed whole. Both
interpreters multiply with one thread.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sparserepro import program

TOOLS = ("octave", "scipy")
_OCTAVE = "octave-cli"
_BANNER = "GNU Octave, version "
# Reads from its standard input n and nnz (int64), row_ptr [n+1] (int64) and col_idx [nnz] (int32),
# answers "ready", then each byte by the value of the expression; ends with its input. It does not
# read by lines: fgetl looks at the byte behind the newline, and waits for it.
_OCTAVE_WORKER = """\
size_ = fread(stdin, 2, 'int64=>double');
row_ptr = fread(stdin, size_(1) + 1, 'int64=>double');
column = fread(stdin, size_(2), 'int32=>double');
row = lookup(row_ptr, (0:size_(2) - 1)');
A = sparse(row, column + 1, 1, size_(1), size_(1));
clear row_ptr column row;
puts("ready\\n"); fflush(stdout);
while ! isempty(fread(stdin, 1))
  T = sum(sum((A * A) .* A)) / 6;
  printf("%.17g\\n", full(T)); fflush(stdout);
end
"""


class ToolError(Exception):
    """An interpreter ended, or said something else than a number."""


@dataclass(frozen=True)
class Graph:
    """Adjacency in CSR: NumPy's arrays row_ptr [n+1] (int64) and col_idx [2 edges] (int32)."""

    vertices: int
    row_ptr: Any
    col_idx: Any


def read_graph(path: Path) -> Graph:
    """Of the file that `matrix_info --graph` writes: each edge once, no loop."""
    import numpy as np
    from scipy.io import mmread  # type: ignore[import-untyped]

    matrix = mmread(path).tocsr()  # a symmetric file gives both triangles
    matrix.sort_indices()
    return Graph(
        vertices=matrix.shape[0],
        row_ptr=matrix.indptr.astype(np.int64),
        col_idx=matrix.indices.astype(np.int32),
    )


class Expression(ABC):
    """A tool that holds A."""

    @abstractmethod
    def evaluate(self) -> float:
        """sum((A*A).*A)/6."""

    def close(self) -> None:  # noqa: B027 (most have nothing to end)
        """Ends what the tool started."""


class SciPy(Expression):
    """In this process."""

    def __init__(self, graph: Graph) -> None:
        import numpy as np
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

        ones = np.ones(len(graph.col_idx))
        shape = (graph.vertices, graph.vertices)
        self._a = csr_matrix((ones, graph.col_idx, graph.row_ptr), shape=shape)

    def evaluate(self) -> float:
        return float((self._a @ self._a).multiply(self._a).sum() / 6)


class Octave(Expression):
    """A child that is sent the graph once, then a byte for each evaluation."""

    def __init__(self, graph: Graph) -> None:
        import numpy as np

        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (close ends it)
        self._process = subprocess.Popen(
            [_OCTAVE, "--norc", "--no-history", "--eval", _OCTAVE_WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            preexec_fn=program.ending_with_us(),
        )
        size = np.array([graph.vertices, len(graph.col_idx)], dtype=np.int64)
        try:
            self._send(size.tobytes() + graph.row_ptr.tobytes() + graph.col_idx.tobytes())
            if (line := self._receive()) != "ready":
                raise ToolError(f"GNU Octave answered {line!r} instead of 'ready'")
        except BaseException:
            self.close()
            raise

    def evaluate(self) -> float:
        self._send(b"\n")
        line = self._receive()
        try:
            return float(line)
        except ValueError:
            raise ToolError(f"GNU Octave answered {line!r} instead of a count") from None

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def _receive(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._ended()
        return line.decode(errors="replace").rstrip("\n")

    def _ended(self) -> ToolError:
        """With its status and the last line of its standard error."""
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ToolError("GNU Octave stopped answering")
        how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
        self._errors.seek(0)
        said = self._errors.read().strip().rpartition("\n")[2]
        return ToolError(f"GNU Octave {how}" + (f": {said}" if said else ""))


@cache
def octave_version() -> str:
    """ "7.3.0" of the octave-cli on PATH; "" without one that works."""
    if shutil.which(_OCTAVE) is None:
        return ""
    done = subprocess.run([_OCTAVE, "--version"], capture_output=True, text=True, check=False)
    line = done.stdout.partition("\n")[0]
    return line.removeprefix(_BANNER) if line.startswith(_BANNER) else ""


def has_scipy() -> bool:
    return importlib.util.find_spec("scipy") is not None


def preferred() -> str:
    return "octave" if octave_version() else "scipy"


def missing(tool: str) -> str:
    """Why a tool cannot run here, or ""."""
    if tool not in TOOLS:
        return f"tool = {tool}: allowed are {', '.join(TOOLS)}"
    if not has_scipy():  # which reads the graph for both
        return "SciPy is not installed"
    return f"no {_OCTAVE} on PATH" if tool == "octave" and not octave_version() else ""


def version(tool: str) -> str:
    """Of a tool that is not missing."""
    if tool == "octave":
        return octave_version()
    import scipy  # type: ignore[import-untyped]

    return str(scipy.__version__)


def title(tool: str) -> str:
    """Tool and version, as records name a library."""
    return f"{'GNU Octave' if tool == 'octave' else 'SciPy'} {version(tool)}"


def start(tool: str, graph: Graph) -> Expression:
    return Octave(graph) if tool == "octave" else SciPy(graph)
