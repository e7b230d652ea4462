"""triangle_count, edge_support, and the adapters for edge lists, against products of NumPy."""

import numpy as np
import pytest
import scipy.sparse
from homes import random_csr

from sparserepro import edge_support, triangle_count
from sparserepro.adapters import graphs


def random_edges(vertices=200, edges=3000):
    """In both directions, with loops and repetitions."""
    return np.random.default_rng(11).integers(0, vertices, (edges, 2))


def dense(edges, vertices):
    a = np.zeros((vertices, vertices), dtype=np.int64)
    a[edges[:, 0], edges[:, 1]] = a[edges[:, 1], edges[:, 0]] = 1
    np.fill_diagonal(a, 0)
    return a


def counted(a):
    """Triangles with each vertex."""
    return np.diagonal(a @ a @ a) // 2


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("density", [0.01, 0.1, 0.9])
def test_counts(home, index, density):
    vertices = 120
    a = dense(random_edges(vertices, int(density * vertices**2)), vertices)
    csr = scipy.sparse.csr_array(a.astype("float32"))
    csr.indptr, csr.indices = csr.indptr.astype(index), csr.indices.astype(index)
    graph = home.csr(csr)
    assert triangle_count(graph) == counted(a).sum() // 3
    at = triangle_count(graph, per_vertex=True)
    assert np.array_equal(home.get(at), counted(a))
    assert home.get(at).dtype == np.int64
    bare = (home.put(csr.indptr), home.put(csr.indices))
    assert triangle_count(bare) == counted(a).sum() // 3


def supported(a):
    """Triangles with the edge of each entry, in the order of CSR."""
    return (a @ a)[a > 0]


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("density", [0.01, 0.1, 0.9])
def test_support_of_edges(home, index, density):
    vertices = 120
    a = dense(random_edges(vertices, int(density * vertices**2)), vertices)
    csr = scipy.sparse.csr_array(a.astype("float32"))
    csr.indptr, csr.indices = csr.indptr.astype(index), csr.indices.astype(index)
    for graph in (home.csr(csr), (home.put(csr.indptr), home.put(csr.indices))):
        support = home.get(edge_support(graph))
        assert support.dtype == np.int64
        assert np.array_equal(support, supported(a))
        assert support.sum() == 6 * triangle_count(graph)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_matter(threads):
    a = dense(random_edges(), 200)
    csr = scipy.sparse.csr_array(a)
    assert triangle_count(csr, threads=threads) == counted(a).sum() // 3
    assert np.array_equal(triangle_count(csr, True, threads=threads), counted(a))
    assert np.array_equal(edge_support(csr, threads=threads), supported(a))


def test_no_edges(home):
    for vertices in (0, 1, 5):
        graph = (home.put(np.zeros(vertices + 1, np.int32)), home.put(np.zeros(0, np.int32)))
        assert triangle_count(graph) == 0
        assert np.array_equal(home.get(triangle_count(graph, True)), np.zeros(vertices))
        assert home.get(edge_support(graph)).shape == (0,)


def test_wrong_graphs(home):
    for count in (triangle_count, edge_support):
        with pytest.raises(ValueError, match=r"\[300, 200\]; that of a graph is square"):
            count(home.csr(random_csr()))
        with pytest.raises(ValueError, match="tuple of 1"):
            count((home.put(np.zeros(1, np.int32)),))
        with pytest.raises(TypeError, match=r"indptr is a builtins\.list"):
            count(([0, 1], [0]))
        with pytest.raises(ValueError, match=r"indptr is int32 \[2, 2\] .*one extent"):
            count((home.put(np.zeros((2, 2), np.int32)), home.put(np.zeros(0, np.int32))))
        with pytest.raises(ValueError, match=r"indptr is int32 \[\] .*one extent"):
            count((home.put(np.zeros((), np.int32)), home.put(np.zeros(0, np.int32))))
    broken = scipy.sparse.csr_array(np.ones((3, 3)))
    broken.indices[0] = 3
    for count in (triangle_count, edge_support):
        with pytest.raises(ValueError, match="3"):
            count(broken, check=True)


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_adjacency_of_edges(home, index):
    edges = random_edges().astype(index)
    wanted = scipy.sparse.csr_array(dense(edges, 200))
    answer = graphs.adjacency(home.put(edges), 200)
    assert np.array_equal(home.get(answer.indptr), wanted.indptr)
    assert np.array_equal(home.get(answer.indices), wanted.indices)
    assert home.get(answer.indptr).dtype == home.get(answer.indices).dtype == np.int32


def test_counts_of_edges(home):
    edges = random_edges()
    edges[0] = 3, 199
    wanted = counted(dense(edges, 200))
    assert graphs.count_triangles(home.put(edges)) == wanted.sum() // 3
    assert np.array_equal(home.get(graphs.triangles(home.put(edges))), wanted)
    alone = home.get(graphs.triangles(home.put(edges), 205))
    assert np.array_equal(alone, np.append(wanted, np.zeros(5)))


def test_edges_that_are_none(home):
    none = home.put(np.zeros((0, 2), np.int64))
    assert graphs.count_triangles(none) == 0
    assert home.get(graphs.triangles(none, 4)).tolist() == [0] * 4
    loops = home.put(np.array([[2, 2], [0, 0]]))
    assert home.get(graphs.adjacency(loops).indptr).tolist() == [0] * 4


def test_wrong_edges(home):
    with pytest.raises(ValueError, match=r"edges is int64 \[3\].*\[m, 2\]"):
        graphs.adjacency(home.put(np.arange(3)))
    with pytest.raises(TypeError, match="edges is float64"):
        graphs.adjacency(home.put(np.zeros((3, 2))))
    for vertex in (-1, 5):
        with pytest.raises(ValueError, match=rf"vertex {vertex}; there are 5"):
            graphs.adjacency(home.put(np.array([[0, vertex]])), 5)


def test_a_graph_of_networkx():
    networkx = pytest.importorskip("networkx")
    graph = networkx.gnp_random_graph(60, 0.2, seed=3)
    graph = networkx.relabel_nodes(graph, {node: f"node {node}" for node in graph})
    graph.add_edge("node 1", "node 1")
    assert graphs.triangles(graph) == networkx.triangles(graph)
    with pytest.raises(ValueError, match="DiGraph is directed"):
        graphs.triangles(networkx.DiGraph())
