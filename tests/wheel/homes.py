"""Where arrays live: NumPy, PyTorch on the host, CuPy, PyTorch on a device. Each test of the
kernels runs in all homes that there are."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse

import sparserepro


def devices() -> int:
    return importlib.import_module("sparserepro._cuda").device_count()


@dataclass(frozen=True)
class Home:
    """NumPy, and what the others share with it."""

    name: str = "numpy"
    module: str = "numpy"
    on_device: bool = False

    def __str__(self) -> str:
        return self.name

    def reason(self) -> str:
        """Why no test can run here; "" where one can."""
        try:
            importlib.import_module(self.module)
        except ImportError as error:
            return f"{self.module}: {error}"
        if not self.on_device:
            return ""
        if not sparserepro.has_cuda():
            return "the wheel is built without CUDA"
        return "" if devices() else "no CUDA device"

    def put(self, array: np.ndarray | None):
        return None if array is None else array

    def get(self, array) -> np.ndarray:
        assert type(array) is np.ndarray
        return array

    def csr(self, a: scipy.sparse.csr_array):
        """The matrix in the home's own class."""
        return a

    def parts(self, matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        assert type(matrix) is scipy.sparse.csr_array
        return tuple(map(self.get, (matrix.indptr, matrix.indices, matrix.data)))


class Torch(Home):
    def put(self, array):
        import torch

        if array is None:
            return None
        return torch.from_numpy(np.ascontiguousarray(array)).to("cuda" if self.on_device else "cpu")

    def get(self, array):
        import torch

        assert type(array) is torch.Tensor
        assert array.is_cuda is self.on_device
        return array.cpu().numpy()

    def csr(self, a):
        import torch

        parts = map(self.put, (a.indptr, a.indices, a.data))
        return torch.sparse_csr_tensor(*parts, size=a.shape, check_invariants=False)

    def parts(self, matrix):
        return tuple(map(self.get, (matrix.crow_indices(), matrix.col_indices(), matrix.values())))


class CuPy(Home):
    def put(self, array):
        import cupy

        return None if array is None else cupy.asarray(array)

    def get(self, array):
        import cupy

        assert type(array) is cupy.ndarray
        return array.get()

    def csr(self, a):
        import cupyx.scipy.sparse

        made = cupyx.scipy.sparse.csr_matrix(a.shape, dtype=a.dtype)
        made.indptr, made.indices, made.data = map(self.put, (a.indptr, a.indices, a.data))
        return made

    def parts(self, matrix):
        return tuple(map(self.get, (matrix.indptr, matrix.indices, matrix.data)))


HOMES = (
    Home(),
    Torch("torch-host", "torch"),
    CuPy("cupy", "cupy", on_device=True),
    Torch("torch-device", "torch", on_device=True),
)


def need(name: str) -> Home:
    """The home of this name; skips the test where it is not there."""
    (home,) = (home for home in HOMES if home.name == name)
    if reason := home.reason():
        pytest.skip(reason)
    return home


def random_csr(
    rows: int = 300, cols: int = 200, dtype="float64", index="int32", density: float = 0.05
) -> scipy.sparse.csr_array:
    """With entries in no order within their rows, and some positions stored twice."""
    rng = np.random.default_rng(7)
    lengths = rng.poisson(density * cols, rows)
    lengths[:2] = 0, cols
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = rng.integers(0, cols, indptr[-1]).astype(index)
    data = (rng.standard_normal(indptr[-1]) * 1000).astype(dtype)
    made = scipy.sparse.csr_array((rows, cols))
    made.indptr, made.indices, made.data = indptr, indices, data
    return made


def transposed(a: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """indptr and indices of A^T, and the permutation, by NumPy."""
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    order = np.argsort(a.indices, kind="stable")
    counts = np.bincount(a.indices, minlength=a.shape[1])
    return np.concatenate([[0], np.cumsum(counts)]), rows[order], order


def with_room(a, room=3):
    """The matrix with arrays that go on behind its last row, as SciPy allows."""
    made = scipy.sparse.csr_array(a.shape)
    made.indptr = a.indptr
    made.indices = np.append(a.indices, np.full(room, a.shape[1], a.indices.dtype))
    made.data = np.append(a.data, np.full(room, 7, a.data.dtype))
    return made
