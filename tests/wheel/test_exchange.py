"""Arrays of libraries that are known by DLPack alone: JAX, and small classes of this test."""

import importlib
import os
import sys

import numpy as np
import pytest
from homes import devices, random_csr, transposed

import sparserepro
from sparserepro import SpmmPlan, TransposePlan, edge_support, spmm, transpose, triangle_count
from sparserepro.adapters import graphs

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # not most of a device's memory


class Array:
    """A producer with DLPack, shape and dtype alone, on an array of another library."""

    __module__ = "nowhere"  # no package, and so no from_dlpack

    def __init__(self, array):
        self._array = array
        self.shape, self.dtype = tuple(array.shape), array.dtype
        self.streams = []

    def __dlpack__(self, *, stream=None, **options):
        self.streams.append(stream)
        if stream is not None:
            options["stream"] = stream
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def numpy(self):
        return np.from_dlpack(self._array)


class Namespaced(Array):
    """One with the array API's namespace, whose from_dlpack makes such arrays."""

    def __array_namespace__(self):
        return sys.modules[__name__]


def from_dlpack(array):
    return Namespaced(np.from_dlpack(array))


class Jax:
    """JAX on one of its devices, as the homes of homes.py."""

    def __init__(self, platform):
        self.jax = pytest.importorskip("jax")
        self.on_device = platform == "cuda"
        if self.on_device and not (sparserepro.has_cuda() and devices()):
            pytest.skip("the wheel is built without CUDA, or there is no device")
        try:
            self.place = self.jax.devices(platform)[0]
        except RuntimeError as error:
            pytest.skip(f"jax: {error}".splitlines()[0])

    def put(self, array):
        return self.jax.device_put(array, self.place)

    def get(self, array):
        assert isinstance(array, self.jax.Array)
        assert array.devices() == {self.place}
        return np.asarray(array)


@pytest.fixture(params=["cpu", "cuda"])
def jax(request):
    home = Jax(request.param)
    # Named jax.enable_x64 from JAX 0.8 on.
    named = home.jax if hasattr(home.jax, "enable_x64") else home.jax.experimental
    with named.enable_x64(True):
        yield home


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int32", None])
def test_transpose(jax, dtype, index):
    a = random_csr(index=index)
    indptr, indices, order = transposed(a)
    values = None if dtype is None else jax.jax.numpy.asarray(a.data).astype(dtype)
    data = None if dtype is None else jax.put(values)
    t, permutation = transpose(
        jax.put(a.indptr), jax.put(a.indices), data, a.shape, permutation=True
    )
    assert np.array_equal(jax.get(t.indptr), indptr)
    assert np.array_equal(jax.get(t.indices), indices)
    assert np.array_equal(jax.get(permutation), order)
    once = transpose(jax.put(a.indptr), jax.put(a.indices), data, a.shape)
    assert np.array_equal(jax.get(once.indices), indices)
    if dtype is None:
        assert t.data is None
    else:
        for answer in (t.data, once.data):
            assert answer.dtype == dtype
            assert np.array_equal(jax.get(answer), np.asarray(values)[order])


def test_a_plan(jax):
    a = random_csr()
    order = transposed(a)[2]
    plan = TransposePlan(jax.put(a.indptr), jax.put(a.indices), shape=a.shape)
    for factor in (1, 3):
        data = jax.put(a.data) * factor  # of a computation that may not have ended
        assert np.array_equal(jax.get(plan(data)), factor * a.data[order])
        assert np.array_equal(jax.get(plan.matrix(data).indices), jax.get(plan.indices))


@pytest.mark.parametrize("transposing", [False, True])
@pytest.mark.parametrize("k", [None, 1, 5])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_products(jax, dtype, k, transposing):
    a = random_csr(density=0.02)
    a.data = np.sign(a.data)
    arrays = (jax.put(a.indptr), jax.put(a.indices), jax.put(a.data).astype(dtype))
    rows = a.shape[0 if transposing else 1]
    x = np.random.default_rng(1).integers(-3, 4, (rows,) if k is None else (rows, k))
    wanted = (a.T if transposing else a) @ x.astype("float64")
    given = jax.put(x).astype(dtype)
    y = spmm(arrays, given, transpose=transposing, shape=a.shape)
    assert y.dtype == dtype
    assert np.array_equal(jax.get(y).astype("float64"), wanted)
    plan = SpmmPlan(arrays, k or 1, transposing, shape=a.shape)
    plan.set_values(arrays[2] * 2)
    assert np.array_equal(jax.get(plan(given, alpha=0.5)).astype("float64"), wanted)
    with pytest.raises(ValueError, match="read-only"):
        plan(given, out=y)


def test_triangles(jax):
    edges = np.random.default_rng(3).integers(0, 60, (500, 2))
    adjacency = graphs.adjacency(edges)
    graph = tuple(map(jax.put, adjacency[:2]))
    assert triangle_count(graph) == triangle_count(adjacency)
    for count in (edge_support, lambda a: triangle_count(a, per_vertex=True)):
        assert np.array_equal(jax.get(count(graph)), count(adjacency))
    with pytest.raises(TypeError, match=r"edges is .*NumPy, CuPy and PyTorch"):
        graphs.adjacency(jax.put(edges))


def test_a_sparse_matrix_of_jax(jax):
    sparse = importlib.import_module("jax.experimental.sparse")
    dense = np.zeros((4, 3))
    dense[[0, 1, 3, 3], [2, 0, 0, 1]] = 1, 2, 3, 4
    a = sparse.BCSR.fromdense(jax.put(dense))
    t = transpose(a)
    assert type(t) is sparse.BCSR
    assert t.shape == (3, 4)
    assert np.array_equal(t.todense(), dense.T)
    assert np.array_equal(jax.get(spmm(a, jax.put(np.eye(3)))), dense)
    with pytest.raises(ValueError, match="n_dense = 1"):
        transpose(sparse.BCSR.fromdense(jax.put(np.ones((2, 2, 2))), n_dense=1))


@pytest.mark.parametrize("padding", [1, 40])
def test_padding_of_a_sparse_matrix_of_jax(jax, padding):
    sparse = importlib.import_module("jax.experimental.sparse")
    dense = np.random.default_rng(5).integers(-3, 4, (90, 70)) * 1.0
    stored = np.count_nonzero(dense)
    a = sparse.BCSR.fromdense(jax.put(dense), nse=stored + padding)
    assert a.indices[-1] == 70  # out of range
    for t in (transpose(a), TransposePlan(a).matrix(a.data[:stored])):
        assert t.nse == stored
        assert np.array_equal(t.todense(), dense.T)
    x = np.random.default_rng(6).integers(-3, 4, (90, 4)) * 1.0
    assert np.array_equal(jax.get(spmm(a, jax.put(x), transpose=True)), dense.T @ x)
    assert np.array_equal(jax.get(spmm(a, jax.put(x[:70]))), dense @ x[:70])


def test_32_bits_are_what_jax_has_by_default():
    jax = Jax("cpu")
    a = random_csr(dtype="float32")
    t = transpose(jax.put(a.indptr), jax.put(a.indices), jax.put(a.data), a.shape)
    assert np.array_equal(jax.get(t.data), a.data[transposed(a)[2]])


def test_any_library_with_a_namespace():
    a = random_csr()
    indptr, indices, order = transposed(a)
    t = transpose(*map(Namespaced, (a.indptr, a.indices, a.data)), a.shape)
    assert [type(array) for array in t] == [Namespaced] * 3
    assert np.array_equal(t.indptr.numpy(), indptr)
    assert np.array_equal(t.indices.numpy(), indices)
    assert np.array_equal(t.data.numpy(), a.data[order])


def test_answers_of_a_library_without_an_importer_have_dlpack():
    a = random_csr()
    square = graphs.adjacency(np.random.default_rng(3).integers(0, 60, (500, 2)))
    support = edge_support(tuple(map(Array, square[:2])))
    assert (support.shape, support.dtype) == (square.indices.shape, "int64")
    assert np.array_equal(np.from_dlpack(support), edge_support(square))
    values = Array(a.data)
    plan = TransposePlan(Array(a.indptr), Array(a.indices), shape=a.shape)
    moved = plan(values)
    assert np.array_equal(np.from_dlpack(moved), a.data[transposed(a)[2]])
    assert np.array_equal(np.from_dlpack(plan(moved)), np.from_dlpack(moved)[transposed(a)[2]])


def test_what_is_refused_of_other_libraries():
    a = random_csr()
    arrays = [Array(array) for array in (a.indptr, a.indices)]
    with pytest.raises(ValueError, match="with gaps"):
        transpose(*arrays, Array(np.repeat(a.data, 2)[::2]), a.shape)
    with pytest.raises(ValueError, match=r"NumPy; the matrix is on the host, of .*Array"):
        transpose(*arrays, a.data, a.shape)
    elsewhere = Array(a.data)
    elsewhere.__class__ = type("Elsewhere", (Array,), {"__dlpack_device__": lambda self: (7, 0)})
    with pytest.raises(TypeError, match="kind 7"):
        transpose(*arrays, elsewhere, a.shape)
    with pytest.raises(TypeError, match=r"list; the kernels take .*DLPack, shape and dtype"):
        transpose([0, 1], [0], None, (1, 1))


def test_the_producer_is_asked_for_the_stream_of_the_work():
    """On a device: DLPack's 1 is the legacy default stream, where the kernels are queued."""
    cupy = pytest.importorskip("cupy")
    if not (sparserepro.has_cuda() and devices()):
        pytest.skip("the wheel is built without CUDA, or there is no device")
    a = random_csr()
    arrays = [Array(cupy.asarray(array)) for array in (a.indptr, a.indices, a.data)]
    t = transpose(*arrays, a.shape)
    assert np.array_equal(cupy.from_dlpack(t.data).get(), a.data[transposed(a)[2]])
    assert all(set(array.streams) == {1} for array in arrays)
