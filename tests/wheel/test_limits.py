"""What docs/python.md says under "Determinism and limits": the same bits, the largest sizes, the
bytes of workspaces, what waits."""

import re
from pathlib import Path

import numpy as np
import pytest
from homes import random_csr

import sparserepro
from sparserepro import SpmmPlan, TransposePlan, edge_support, spmm, transpose, triangle_count
from sparserepro.adapters import graphs

PAGE = (Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
TABLE = PAGE.partition("## Determinism and limits")[2].partition("\n## ")[0]
ADAPTERS = ("cupy.transposed", "graphs.adjacency", "graphs.count_triangles", "graphs.triangles",
            "pytorch.spmm")  # fmt: skip


def test_every_public_function_has_a_row():
    rows = set(re.findall(r"^\| `([\w.]+)`", TABLE, re.MULTILINE))
    kernels = set(sparserepro.__all__) - {"CsrArrays", "has_cuda", "load_cells"}
    assert rows == kernels | set(ADAPTERS)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_products_are_the_same_bits(home, dtype, transposed):
    a = random_csr(4000, 3000, density=0.01)
    a.data = (a.data / 1000).astype(dtype)
    arrays = (home.put(a.indptr), home.put(a.indices), home.put(a.data))
    rows = a.shape[0] if transposed else a.shape[1]
    x = home.put(np.random.default_rng(1).standard_normal((rows, 5)).astype(dtype))
    threads = (1, 2, 3, 4) if not home.on_device else (0, 0, 0, 0)
    answers = [
        home.get(spmm(arrays, x, transpose=transposed, shape=a.shape, threads=t)).view(np.uint8)
        for t in threads
    ]
    assert all(np.array_equal(answer, answers[0]) for answer in answers[1:])
    plan = SpmmPlan(arrays, 5, transposed, shape=a.shape)
    for _ in range(3):
        assert np.array_equal(home.get(plan(x)).view(np.uint8), answers[0])


def test_too_many_rows_or_columns_are_refused(home):
    indptr, none = home.put(np.zeros(3, np.int64)), home.put(np.zeros(0, np.int64))
    values = home.put(np.zeros(0))
    for call in (transpose, TransposePlan):
        with pytest.raises(ValueError, match=r"2147483648.*2147483647"):
            call(indptr, none, values, (2, 2**31))
    with pytest.raises(ValueError, match=r"2147483648.*2147483647"):
        SpmmPlan((indptr, none, values), 1, shape=(2, 2**31))


def test_too_many_columns_of_x_are_refused(home):
    a = random_csr()
    with pytest.raises(ValueError, match=f"k is {2**28 + 1}.*{2**28}"):
        SpmmPlan(home.csr(a), 2**28 + 1)


@pytest.mark.parametrize("threads", [-1, 100_000, 2**31 - 1])
def test_numbers_of_threads_that_cannot_be_are_refused(threads):
    """OpenMP's runtime would end the process."""
    a = random_csr()
    words = rf"threads is {threads}; it must be from 0 to \d+"
    for call in (transpose, TransposePlan, lambda m, threads: SpmmPlan(m, 2, threads=threads)):
        with pytest.raises(ValueError, match=words):
            call(a, threads=threads)
    square = (np.zeros(2, np.int32), np.zeros(0, np.int32))
    for count in (triangle_count, edge_support):
        with pytest.raises(ValueError, match=words):
            count(square, threads=threads)


def test_bytes_of_a_plan(home):
    """4 bytes an entry; on a device besides tables of at most 2 bytes an entry, and 64 KiB."""
    a = random_csr(4000, 3000)
    plan = TransposePlan(home.csr(a))
    assert plan.workspace_bytes >= 4 * a.nnz
    assert plan.workspace_bytes <= (6 * a.nnz + 65536 if home.on_device else 4 * a.nnz)


@pytest.mark.parametrize("transposed", [False, True])
def test_bytes_of_products(home, transposed):
    """At most 64 bytes an entry and 64 a row, in fp64."""
    a = random_csr(4000, 3000, density=0.01)
    plan = SpmmPlan(home.csr(a), 8, transposed)
    rows = sum(a.shape)
    assert 0 <= plan.workspace_bytes <= 64 * a.nnz + 64 * rows + (2**20 if home.on_device else 0)


def test_adjacency_is_unique(home):
    edges = np.random.default_rng(2).integers(0, 50, (600, 2))
    one = graphs.adjacency(home.put(edges), 50)
    other = graphs.adjacency(home.put(edges[::-1, ::-1].copy()), 50)
    for name in ("indptr", "indices"):
        assert np.array_equal(home.get(getattr(one, name)), home.get(getattr(other, name)))
