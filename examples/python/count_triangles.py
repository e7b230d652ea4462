"""Triangles of a graph from an edge list.

Beside ours stand the matrix expression sum((A A) .* A) / 6 of SciPy, or of CuPy on a device, and
NetworkX and igraph where they are installed and the graph is small.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measuring import arguments, record, show, side_by_side

from sparserepro import triangle_count
from sparserepro.adapters import graphs

MOST_EDGES_OF_NETWORKX = 300_000


def random_edges(vertices: int, edges: int) -> np.ndarray:
    """Ends skewed to few vertices, as in social networks; some edges come more than once."""
    ends = np.random.default_rng(0).random((edges, 2))
    return np.minimum((vertices * ends**2).astype(np.int64), vertices - 1)


def matrix_expression(xp: Any, sparse: Any, edges: Any, vertices: int) -> int:
    """As users write it."""
    loops = edges[:, 0] == edges[:, 1]
    both = xp.concatenate([edges[~loops], edges[~loops][:, ::-1]])
    ones = xp.ones(len(both), dtype=xp.float64)
    a = sparse.coo_matrix((ones, (both[:, 0], both[:, 1])), shape=(vertices, vertices)).tocsr()
    a.data[:] = 1
    return round(float((a @ a).multiply(a).sum()) / 6)


def of_networkx(edges: np.ndarray, vertices: int) -> Callable[[], int] | None:
    try:
        import networkx
    except ImportError:
        return None

    def count() -> int:
        graph = networkx.Graph()
        graph.add_nodes_from(range(vertices))
        graph.add_edges_from(edges.tolist())
        graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
        return sum(networkx.triangles(graph).values()) // 3

    return count


def of_igraph(edges: np.ndarray, vertices: int) -> Callable[[], int] | None:
    try:
        import igraph
    except ImportError:
        return None

    def count() -> int:
        graph = igraph.Graph(vertices, edges.tolist())
        return len(graph.simplify().list_triangles())

    return count


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--vertices", type=int, default=20_000)
    parser.add_argument("--edges", type=int, default=200_000)
    parser.add_argument("--file", type=Path, help="two numbers a line, in place of a made graph")
    options = parser.parse_args()
    host_edges = random_edges(options.vertices, options.edges)
    if options.file is not None:
        host_edges = np.loadtxt(options.file, dtype=np.int64, usecols=(0, 1), comments=("#", "%"))
    vertices = int(host_edges.max()) + 1
    edges: Any = host_edges
    xp: Any = np
    synchronize: Callable[[], None] = lambda: None  # noqa: E731
    if options.device == "cuda":
        import cupy
        import cupyx.scipy.sparse

        xp, sparse, library = cupy, cupyx.scipy.sparse, "CuPy"
        edges = cupy.asarray(host_edges)
        synchronize = cupy.cuda.get_current_stream().synchronize
    else:
        import scipy.sparse

        sparse, library = scipy.sparse, "SciPy"

    adjacency = graphs.adjacency(edges, vertices)
    calls = {
        "sparserepro, from the edge list": lambda: graphs.count_triangles(edges, vertices),
        "sparserepro, the adjacency alone": lambda: graphs.adjacency(edges, vertices),
        "sparserepro, the count alone": lambda: triangle_count(adjacency),
        f"{library}, sum((A A) .* A) / 6, from edges": lambda: matrix_expression(
            xp, sparse, edges, vertices
        ),
    }
    if len(edges) <= MOST_EDGES_OF_NETWORKX:
        others = {"NetworkX": of_networkx, "igraph": of_igraph}
        for name, make in others.items():
            if call := make(host_edges, vertices):
                calls[f"{name}, from edges"] = call
    counts = {name: call() for name, call in calls.items() if "adjacency" not in name}
    assert len(set(counts.values())) == 1, counts
    at_vertices = graphs.triangles(edges, vertices)
    assert int(at_vertices.sum()) == 3 * next(iter(counts.values()))

    times = side_by_side(calls, options.samples, synchronize)
    stored = int(adjacency.indices.shape[0])
    sizes = {"vertices": vertices, "edges": stored // 2, "triangles": next(iter(counts.values()))}
    print(", ".join(f"{size} {name}" for name, size in sizes.items()))
    show("times", times)
    record(options, "count_triangles", sizes, times)


if __name__ == "__main__":
    main()
