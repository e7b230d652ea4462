"""Triangles of simple undirected graphs: exact counts."""

from __future__ import annotations

from typing import Any

from sparserepro.kernels.frameworks import HOST
from sparserepro.kernels.matrices import Csr, as_csr
from sparserepro.kernels.native import module_for


def triangle_count(
    A: Any,  # noqa: N803  the field's name of the matrix
    per_vertex: bool = False,
    *,
    threads: int = 0,
    check: bool = False,
) -> Any:
    """The triangles of a simple undirected graph.

    Parameters:
        A: the adjacency matrix [n, n] in CSR, of SciPy, CuPy or PyTorch, or (indptr, indices), on
            the host or on a CUDA device: each edge {u, v} in row u and in row v, the columns of a
            row strictly ascending, no row with its own number. Values are not read.
            sparserepro.graphs.adjacency makes it of an edge list
        per_vertex: whether the triangles with each vertex are wanted
        threads: on the host; 0: all processors that this process may use
        check: whether to look at the index arrays first, on the host: their range, not whether the
            graph is simple

    Returns:
        Their number; with `per_vertex` int64 [n], of A's framework. On a device the number waits
        for the current stream; the array is queued, after a look at A that waits.

    Raises:
        TypeError, ValueError: what is given is no square matrix in CSR, or a limit is exceeded;
        MemoryError.
    """
    a = _graph(A)
    if check:
        a.validate()
    if a.device == HOST:
        if not per_vertex:
            return module_for(HOST).triangle_count(*a.exported()[:2], None, threads)
        of_vertex = a.empty((a.shape[0],), "int64")
        module_for(HOST).triangle_count(*a.exported()[:2], a.framework.exported(of_vertex), threads)
        return of_vertex
    return _on_device(a, per_vertex)


def _on_device(a: Csr, per_vertex: bool) -> Any:
    framework = a.framework
    with framework.current(a.device):
        stream = framework.stream(a.device)
        counter = module_for(a.device).TriangleCounter(*a.exported()[:2])
        workspace = a.empty((counter.workspace_bytes,), "uint8")
        counter.prepare(framework.exported(workspace), stream)
        total = a.empty((1,), "int64")
        of_vertex = a.empty((a.shape[0],), "int64") if per_vertex else None
        counter.count(
            framework.exported(total),
            None if of_vertex is None else framework.exported(of_vertex),
            stream,
        )
        return int(total[0]) if of_vertex is None else of_vertex


def _graph(matrix: Any) -> Csr:
    if isinstance(matrix, tuple):
        if len(matrix) < 2:
            raise ValueError(f"a tuple of {len(matrix)}; a graph is (indptr, indices)")
        vertices = int(matrix[0].shape[0]) - 1
        return as_csr(matrix[0], matrix[1], None, (vertices, vertices))
    a = as_csr(matrix)
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"the matrix is {list(a.shape)}; that of a graph is square")
    return a
