"""Triangles of simple undirected graphs: exact counts, in all, at vertices and at edges."""

from __future__ import annotations

from typing import Any

from sparserepro.kernels.frameworks import HOST, described, framework_of, integer
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
        A: the adjacency matrix [n, n] in CSR, of SciPy, CuPy, PyTorch or JAX, or (indptr,
            indices), on the host or on a CUDA device: each edge {u, v} in row u and in row v, the
            columns of a row strictly ascending, no row with its own number. Values are not read.
            sparserepro.adapters.graphs.adjacency makes it of an edge list
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
    threads = integer("threads", threads)
    a = _graph(A, check)
    if a.device == HOST:
        of_vertex = a.empty((a.shape[0],), "int64") if per_vertex else None
        exported = None if of_vertex is None else a.framework.exported(of_vertex)
        count = module_for(HOST).triangle_count(*a.exported()[:2], exported, None, threads)
        return count if of_vertex is None else a.framework.given_back(of_vertex)
    with a.framework.current(a.device):
        counter, _workspace = _prepared(a)
        total = a.empty((1,), "int64")
        of_vertex = a.empty((a.shape[0],), "int64") if per_vertex else None
        exported = None if of_vertex is None else a.framework.exported(of_vertex)
        counter.count(a.framework.exported(total), exported, a.framework.stream(a.device))
        if of_vertex is None:
            return a.framework.number(total)
    return a.framework.given_back(of_vertex)


def edge_support(
    A: Any,  # noqa: N803
    *,
    threads: int = 0,
    check: bool = False,
) -> Any:
    """The triangles with each edge of a simple undirected graph, which are its support in
    decompositions into trusses.

    Parameters and errors are those of `triangle_count`.

    Returns:
        int64 [entries], of A's framework: that of the edge {u, v} of each stored entry (u, v), in
        the order of A's entries; the two entries of an edge have the same. Their sum is six times
        the number of triangles. On a device it is queued on the current stream, after a look at A
        that waits.
    """
    threads = integer("threads", threads)
    a = _graph(A, check)
    of_entry = a.empty((a.entries,), "int64")
    exported = a.framework.exported(of_entry)
    if a.device == HOST:
        module_for(HOST).triangle_count(*a.exported()[:2], None, exported, threads)
        return a.framework.given_back(of_entry)
    with a.framework.current(a.device):
        counter, _workspace = _prepared(a)
        counter.support(exported, a.framework.stream(a.device))
    return a.framework.given_back(of_entry)


def _prepared(a: Csr) -> tuple[Any, Any]:
    """A counter on a device, and the workspace that it uses."""
    counter = module_for(a.device).TriangleCounter(*a.exported()[:2])
    workspace = a.empty((counter.workspace_bytes,), "uint8")
    counter.prepare(a.framework.exported(workspace), a.framework.stream(a.device))
    return counter, workspace


def _graph(matrix: Any, check: bool) -> Csr:
    """The matrix of a graph; ValueError unless it is square."""
    a = _square(matrix)
    if check:
        a.validate()
    return a


def _square(matrix: Any) -> Csr:
    if isinstance(matrix, tuple):
        if len(matrix) < 2:
            raise ValueError(f"a tuple of {len(matrix)}; a graph is (indptr, indices)")
        framework_of("indptr", matrix[0])
        if len(matrix[0].shape) != 1 or matrix[0].shape[0] == 0:
            raise ValueError(
                f"indptr is {described(matrix[0])}; it must have one extent, of 1 or more"
            )
        vertices = int(matrix[0].shape[0]) - 1
        return as_csr(matrix[0], matrix[1], None, (vertices, vertices))
    a = as_csr(matrix)
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"the matrix is {list(a.shape)}; that of a graph is square")
    return a
