"""Sparse matrices of the caller as arrays in CSR, and back: nothing is copied."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sparserepro.kernels.frameworks import (
    HOST,
    NUMPY,
    Framework,
    described,
    dtype_of,
    framework_of,
    integer,
)
from sparserepro.kernels.native import module_for

INDEX_TYPES = ("int32", "int64")
MOST = 2**31 - 1
"""Rows and columns."""
WIDTHS = (2, 4, 8)
"""Bytes of the values that are moved."""


class CsrArrays(NamedTuple):
    """A matrix in compressed sparse rows (CSR) as bare arrays."""

    indptr: Any
    """[rows + 1] int32 or int64"""
    indices: Any
    """[entries] int32 or int64"""
    data: Any = None
    """[entries], or None for a pattern"""


@dataclass(frozen=True)
class Csr:
    """A matrix of the caller: its arrays, checked, and how one of its kind is made."""

    indptr: Any
    indices: Any
    data: Any
    shape: tuple[int, int]
    framework: Framework
    device: int
    rebuild: Callable[[CsrArrays, tuple[int, int]], Any]

    @property
    def entries(self) -> int:
        return int(self.indices.shape[0])

    def exported(self) -> tuple[Any, Any, Any]:
        """indptr, indices and data for the extension modules."""
        data = None if self.data is None else self.framework.exported(self.data)
        return self.framework.exported(self.indptr), self.framework.exported(self.indices), data

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self.framework.empty(shape, dtype, self.device)

    def empty_transposed(self, with_data: bool = True) -> CsrArrays:
        """Arrays for A^T, of the types of A's."""
        data = None
        if with_data and self.data is not None:
            data = self.empty((self.entries,), dtype_of(self.data))
        return CsrArrays(
            self.empty((self.shape[1] + 1,), dtype_of(self.indptr)),
            self.empty((self.entries,), dtype_of(self.indices)),
            data,
        )

    def validate(self) -> None:
        """ValueError that names the first pointer or column out of range. Reads all of them."""
        if self.device != HOST:
            raise ValueError(
                f"check looks at arrays on the host; indices is {described(self.indices)}"
            )
        module_for(HOST).validate(*self.exported()[:2], self.shape[1])

    def check_values(self, name: str, values: Any) -> None:
        """ValueError or TypeError unless `values` are an array of values for this pattern."""
        check_array(name, values, (self.entries,), self.framework, self.device)
        check_width(name, values)
        if self.framework is NUMPY and dtype_of(values) == "bfloat16":
            raise TypeError(
                f"{name} is {described(values)}, of a package that adds the type to NumPy, whose "
                "arrays cannot be handed over; PyTorch and JAX have bfloat16"
            )


def as_csr(
    matrix: Any, indices: Any = None, data: Any = None, shape: tuple[int, int] | None = None
) -> Csr:
    """A matrix of SciPy, CuPy, PyTorch or JAX in CSR, CsrArrays, or `matrix` as indptr of bare
    arrays.

    TypeError where it is none of them or an array is of a wrong dtype, ValueError where shapes do
    not fit together; the text has them.
    """
    if indices is not None:
        if shape is None:
            raise ValueError(
                f"shape is missing: (rows, columns) of arrays in CSR, indptr {_size(matrix)}"
            )
        return _checked(CsrArrays(matrix, indices, data), shape, lambda arrays, _: arrays)
    if isinstance(matrix, tuple):
        if not 2 <= len(matrix) <= 3:
            raise ValueError(
                f"a tuple of {len(matrix)}; it is (indptr, indices) or (indptr, indices, data)"
            )
        return as_csr(*CsrArrays(*matrix), shape=shape)
    if data is not None or shape is not None:
        raise TypeError("data and shape go with bare arrays; indices is missing")
    if is_of_library(matrix):
        return of_library(matrix)
    if "torch" in sys.modules and isinstance(matrix, sys.modules["torch"].Tensor):
        return _of_torch(matrix)
    if hasattr(matrix, "indptr") and hasattr(matrix, "n_batch"):
        return _of_jax(matrix)
    raise TypeError(
        f"{type(matrix).__module__}.{type(matrix).__qualname__} is no matrix in CSR; the kernels "
        "take those of SciPy, CuPy, PyTorch and JAX, and (indptr, indices, data) with shape"
    )


def _size(array: Any) -> str:
    return str(list(array.shape)) if hasattr(array, "shape") else "of no shape"


def maker(matrix: Any) -> Callable[[CsrArrays, tuple[int, int]], Any]:
    """Makes A^T in the class of A, of SciPy or CuPy, from arrays whose columns ascend."""
    kind = type(matrix)
    # Where the library knows that A stores no position twice, A^T is known to as well.
    canonical = bool(getattr(matrix, "_has_canonical_format", False))

    def make(arrays: CsrArrays, shape: tuple[int, int]) -> Any:
        # The constructor would read the index arrays, for CuPy with a wait for the device.
        made = kind(shape, dtype=arrays.data.dtype)
        made.indptr, made.indices, made.data = arrays
        made.has_sorted_indices = True
        if canonical:
            made.has_canonical_format = True
        return made

    return make


def is_of_library(matrix: Any) -> bool:
    """Whether it is a compressed matrix of SciPy or CuPy, which share their attributes."""
    return getattr(matrix, "format", None) is not None and hasattr(matrix, "indptr")


def of_library(matrix: Any, with_data: bool = True) -> Csr:
    """Of SciPy and CuPy; TypeError unless it is in CSR."""
    if matrix.format != "csr":
        raise TypeError(f"the matrix is in {matrix.format}, not in CSR: call .tocsr()")
    shape = tuple(int(extent) for extent in matrix.shape)
    if len(shape) != 2:
        raise ValueError(f"the matrix has the shape {shape}; it must have two extents")
    data = matrix.data if with_data else None
    arrays = CsrArrays(matrix.indptr, matrix.indices, data)
    # SciPy lets arrays go on behind the last row; CuPy takes their length for that of the matrix.
    room = framework_of("indptr", matrix.indptr) is NUMPY
    return _checked(arrays, shape, maker(matrix), room)


def _of_torch(matrix: Any) -> Csr:
    torch = sys.modules["torch"]
    if matrix.layout != torch.sparse_csr:
        raise TypeError(
            f"the tensor is {matrix.layout}, not torch.sparse_csr: call .to_sparse_csr()"
        )
    if matrix.dim() != 2:
        raise ValueError(f"the tensor has the shape {list(matrix.shape)}; it must have two extents")

    def rebuild(arrays: CsrArrays, shape: tuple[int, int]) -> Any:
        return torch.sparse_csr_tensor(*arrays, size=shape, check_invariants=False)

    arrays = CsrArrays(matrix.crow_indices(), matrix.col_indices(), matrix.values().detach())
    return _checked(arrays, (int(matrix.shape[0]), int(matrix.shape[1])), rebuild)


def _of_jax(matrix: Any) -> Csr:
    """Of jax.experimental.sparse.BCSR."""
    if matrix.n_batch != 0 or matrix.n_dense != 0:
        raise ValueError(
            f"the matrix has n_batch = {matrix.n_batch} and n_dense = {matrix.n_dense}; "
            "both must be 0"
        )

    def rebuild(arrays: CsrArrays, shape: tuple[int, int]) -> Any:
        return type(matrix)(
            (arrays.data, arrays.indices, arrays.indptr),
            shape=shape,
            indices_sorted=True,
            unique_indices=matrix.unique_indices,
        )

    arrays = CsrArrays(matrix.indptr, matrix.indices, matrix.data)
    # Behind the last row stands padding, whose column is out of range.
    return _checked(arrays, (int(matrix.shape[0]), int(matrix.shape[1])), rebuild, room=True)


def _checked(
    arrays: CsrArrays,
    shape: tuple[int, int],
    rebuild: Callable[[CsrArrays, tuple[int, int]], Any],
    room: bool = False,
) -> Csr:
    """`room`: whether arrays may go on behind the last row; what stands there is left out."""
    rows, cols = extents_of(shape)
    if not 0 <= min(rows, cols) <= max(rows, cols) <= MOST:
        raise ValueError(f"shape is {shape}; extents are from 0 to {MOST}")
    framework = framework_of("indptr", arrays.indptr)
    device = framework.device(arrays.indptr)
    check_array("indptr", arrays.indptr, (rows + 1,), framework, device)
    check_array("indices", arrays.indices, None, framework, device)
    for name, array in (("indptr", arrays.indptr), ("indices", arrays.indices)):
        if dtype_of(array) not in INDEX_TYPES:
            raise TypeError(f"{name} is {described(array)}; it must be of int32 or int64")
    if room and 0 <= (entries := framework.last(arrays.indptr)) < int(arrays.indices.shape[0]):
        data = None if arrays.data is None else arrays.data[:entries]
        arrays = CsrArrays(arrays.indptr, arrays.indices[:entries], data)

    def rebuilt(answers: CsrArrays, extents: tuple[int, int]) -> Any:
        return rebuild(CsrArrays(*map(framework.given_back, answers)), extents)

    csr = Csr(*arrays, (rows, cols), framework, device, rebuilt)
    if arrays.data is not None:
        csr.check_values("data", arrays.data)
    return csr


def extents_of(shape: Any) -> tuple[int, int]:
    """TypeError or ValueError unless `shape` is a pair of integers."""
    try:
        extents = tuple(shape)
    except TypeError:
        raise TypeError(f"shape is {shape!r}; it is (rows, columns)") from None
    if len(extents) != 2:
        raise ValueError(f"shape is {shape!r}; it is (rows, columns)")
    return integer("shape[0]", extents[0]), integer("shape[1]", extents[1])


def check_array(
    name: str, array: Any, shape: tuple[int, ...] | None, framework: Framework, device: int
) -> None:
    """The array is `framework`'s, on `device`, in rows, and has `shape` (None: one extent)."""
    check_place(name, array, framework, device)
    if len(array.shape) != 1 if shape is None else tuple(array.shape) != shape:
        wanted = "one extent" if shape is None else f"the shape {list(shape)}"
        raise ValueError(f"{name} is {described(array)}; it must have {wanted}")
    if not framework.in_rows(array):
        raise ValueError(f"{name} is {described(array)}, with gaps; it must be contiguous")


def check_place(name: str, array: Any, framework: Framework, device: int) -> None:
    """ValueError unless the array is `framework`'s and on `device`."""
    if framework_of(name, array) is not framework or framework.device(array) != device:
        place = "the host" if device == HOST else f"cuda:{device}"
        raise ValueError(
            f"{name} is {described(array)} of {framework_of(name, array).name}; "
            f"the matrix is on {place}, of {framework.name}"
        )


def check_writable(name: str, array: Any, framework: Framework) -> None:
    """ValueError where the array is read-only."""
    if not framework.writable(array):
        raise ValueError(f"{name} is {described(array)}, and read-only")


def width_of(dtype: str) -> int:
    """Bytes of an element; 0 of a type that is no number of NumPy or PyTorch."""
    match = re.fullmatch(r"(?:u?int|b?float|complex)(\d+)", dtype)
    return int(match[1]) // 8 if match else 0


def check_width(name: str, values: Any) -> None:
    """TypeError unless the values have 2, 4 or 8 bytes each."""
    if width_of(dtype_of(values)) not in WIDTHS:
        raise TypeError(f"{name} is {described(values)}; values have 2, 4 or 8 bytes")
