"""Triangles of graphs that are given as edges, as NetworkX and scikit-network count them.

Edges may come in any order and direction, more than once, and with loops, which are left out.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sparserepro.kernels.counting import triangle_count
from sparserepro.kernels.frameworks import (
    CUPY,
    NUMPY,
    TORCH,
    described,
    dtype_of,
    framework_of,
    integer,
)
from sparserepro.kernels.matrices import INDEX_TYPES, MOST, CsrArrays
from sparserepro.kernels.transposition import transpose

_MOST_INT32 = 2**31 - 1


def adjacency(edges: Any, num_vertices: int | None = None) -> CsrArrays:
    """The adjacency matrix in CSR of the simple undirected graph with these edges.

    Parameters:
        edges: [m, 2] int32 or int64 of NumPy, CuPy or PyTorch, on the host or on a CUDA device;
            m below 2^31
        num_vertices: n; one more than the largest number where it is not given

    Returns:
        indptr [n + 1] and indices of the framework of `edges`, int32 where that suffices. Two
        stable transpositions sort the edges, in linear time. Waits for the device.

    Raises:
        TypeError, ValueError: `edges` is no such array, or a vertex is not in [0, n).
    """
    framework = framework_of("edges", edges)
    if framework not in (NUMPY, CUPY, TORCH):
        raise TypeError(
            f"edges is {described(edges)} of {framework.name}; "
            "edges are in arrays of NumPy, CuPy and PyTorch"
        )
    if len(edges.shape) != 2 or edges.shape[1] != 2:
        raise ValueError(f"edges is {described(edges)}; it must have the shape [m, 2]")
    if dtype_of(edges) not in INDEX_TYPES:
        raise TypeError(f"edges is {described(edges)}; it must be of int32 or int64")
    device = framework.device(edges)
    with framework.current(device):
        count = _vertices(edges, num_vertices)
        xp = _Operations(edges)
        first, second = xp.narrow(edges[:, 0]), xp.narrow(edges[:, 1])
        low, high = xp.minimum(first, second), xp.maximum(first, second)
        apart = low != high
        upper, rows = _upper(xp, low[apart], high[apart], count)
        return _both_triangles(xp, upper, rows, count)


def _vertices(edges: Any, num_vertices: int | None) -> int:
    if num_vertices is not None:
        num_vertices = integer("num_vertices", num_vertices)
        if num_vertices < 0:
            raise ValueError(f"num_vertices is {num_vertices}; it must not be negative")
    if edges.shape[0] == 0:
        return num_vertices or 0
    least, most = int(edges.min()), int(edges.max())
    count = most + 1 if num_vertices is None else num_vertices
    if least < 0 or most >= count:
        wrong = least if least < 0 else most
        raise ValueError(
            f"edges is {described(edges)} and has the vertex {wrong}; there are {count}"
        )
    if count > MOST:  # before numbers become int32
        raise ValueError(f"the graph has {count} vertices; at most {MOST} are taken")
    return count


def _upper(xp: _Operations, low: Any, high: Any, count: int) -> tuple[CsrArrays, Any]:
    """Each edge once, in the row of its lower end and in order; and the row of each entry."""
    # Matrix [m, n]: row e has one entry, in the column of the upper end of edge e.
    by_high = transpose(xp.arange(low.shape[0] + 1), high, low, (int(low.shape[0]), count))
    ends = transpose(by_high.indptr, by_high.data, by_high.data, (count, count))
    columns, rows = ends.indices, ends.data
    new = xp.ones(rows.shape[0])
    new[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    kept = xp.counted(new)
    return CsrArrays(kept[xp.wide(ends.indptr)], columns[new]), rows[new]


def _both_triangles(xp: _Operations, upper: CsrArrays, rows: Any, count: int) -> CsrArrays:
    """A = U + U^T of strictly upper triangular U: row v has that of U^T, then that of U."""
    lower = transpose(upper.indptr, upper.indices, upper.indices, (count, count))
    entries = 2 * int(rows.shape[0])
    indices = xp.empty(entries, dtype_of(upper.indices))
    places = xp.arange(rows.shape[0])
    indices[places + lower.indptr[xp.wide(rows) + 1]] = upper.indices
    indices[places + upper.indptr[xp.wide(lower.data)]] = lower.indices
    indptr = upper.indptr + lower.indptr
    return CsrArrays(xp.narrow(indptr) if entries <= _MOST_INT32 else indptr, indices)


class _Operations:
    """The operations on arrays that NumPy, CuPy and PyTorch do not name alike."""

    def __init__(self, like: Any) -> None:
        self._framework = framework_of("edges", like)
        self._device = self._framework.device(like)
        self._torch = self._framework is TORCH
        name = "torch" if self._torch else "numpy" if self._framework is NUMPY else "cupy"
        self._module = sys.modules[name]
        self._where = {"device": like.device} if self._torch else {}

    def minimum(self, one: Any, other: Any) -> Any:
        return self._module.minimum(one, other)

    def maximum(self, one: Any, other: Any) -> Any:
        return self._module.maximum(one, other)

    def empty(self, count: int, dtype: str) -> Any:
        return self._framework.empty((count,), dtype, self._device)

    def arange(self, count: int) -> Any:
        return self._module.arange(count, dtype=self._module.int64, **self._where)

    def ones(self, count: int) -> Any:
        marks = self._module.bool if self._torch else bool
        return self._module.ones(count, dtype=marks, **self._where)

    def narrow(self, array: Any) -> Any:
        """As int32; vertices are below 2^31."""
        return array.to(self._module.int32) if self._torch else array.astype("int32")

    def wide(self, array: Any) -> Any:
        return array.to(self._module.int64) if self._torch else array.astype("int64")

    def counted(self, marks: Any) -> Any:
        """[count + 1] int64: how many are set before each."""
        total = self.empty(int(marks.shape[0]) + 1, "int64")
        total[:1] = 0
        total[1:] = self._module.cumsum(marks, 0)
        return total


def count_triangles(edges: Any, num_vertices: int | None = None) -> int:
    """The number of triangles; parameters and errors are those of `adjacency`. The name is
    scikit-network's."""
    return int(triangle_count(adjacency(edges, num_vertices)))


def triangles(graph: Any, num_vertices: int | None = None) -> Any:
    """The triangles with each vertex: a dictionary by node of an undirected graph of NetworkX, as
    networkx.triangles gives it; int64 [n] of an edge list (see `adjacency`).

    Raises TypeError and ValueError as `adjacency` does, and for a directed graph.
    """
    if not hasattr(graph, "is_directed"):
        return triangle_count(adjacency(graph, num_vertices), per_vertex=True)
    if graph.is_directed():
        raise ValueError(f"{type(graph).__name__} is directed; triangles are of undirected graphs")
    numbers = {node: number for number, node in enumerate(graph)}
    ends = [numbers[node] for edge in graph.edges() for node in edge[:2]]
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return dict(zip(numbers, triangles(edges, len(numbers)).tolist(), strict=True))
