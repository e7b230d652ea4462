"""Products of sparse matrices and dense ones: Y = alpha op(A) X + beta Y, op(A) = A or A^T."""

from __future__ import annotations

from typing import Any

from sparserepro.kernels.frameworks import (
    HOST,
    described,
    dtype_of,
    framework_of,
    integer,
    real,
)
from sparserepro.kernels.matrices import as_csr, check_place, check_writable
from sparserepro.kernels.native import module_for

VALUE_TYPES = ("float64", "float32", "float16", "bfloat16")


def spmm(
    A: Any,  # noqa: N803  the field's names of the matrices
    X: Any,  # noqa: N803
    out: Any = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    transpose: bool = False,
    *,
    shape: tuple[int, int] | None = None,
    threads: int = 0,
    check: bool = False,
) -> Any:
    """Y = alpha op(A) X + beta Y once, op(A) = A, or A^T with `transpose`. For repeated products
    with one A make an SpmmPlan: the preparation costs up to some products.

    Parameters:
        A: [m, n] in CSR, of SciPy, CuPy, PyTorch or JAX; or (indptr, indices, data) with `shape`.
            Values of float64; or of float32, float16 or bfloat16, with sums in float32
        X: [columns of op(A), k] or [columns of op(A)], of A's framework, device and dtype, in rows
            or in columns, gaps between these allowed
        out: Y [rows of op(A), k] or [rows of op(A)], likewise. It shares no memory with X or A;
            columns of one array, some for X and some for out, are apart
        alpha, beta: with beta = 0, Y is not read; else `out` is needed
        threads: on the host; 0: all processors that this process may use
        check: whether to look for broken index arrays first, on the host; without it they make
            wrong answers or worse

    Returns:
        Y: `out` where it is given, else a new array of X's framework in rows. On a device the
        product is queued on the current stream, after a look at A that waits for the device.

    Raises:
        TypeError: a dtype or an object that the product does not take; ValueError: shapes do not
        fit together, a limit is exceeded, `out` shares memory with X or A, `check` found something;
        MemoryError.
    """
    framework_of("X", X)
    if len(X.shape) not in (1, 2):
        raise ValueError(f"X is {described(X)}; it must have one extent or two")
    k = int(X.shape[1]) if len(X.shape) == 2 else 1
    plan = SpmmPlan(A, k, transpose, shape=shape, threads=threads, check=check)
    return plan(X, out, alpha, beta)


class SpmmPlan:
    """A prepared for products op(A) X with X of `k` columns. Parameters as those of `spmm`.

    The plan holds the arrays of A, whose contents stay; `set_values` takes new values for the same
    pattern. On the host one product of a plan runs at a time, and others wait for it.
    """

    def __init__(
        self,
        A: Any,  # noqa: N803
        k: int,
        transpose: bool = False,
        *,
        shape: tuple[int, int] | None = None,
        threads: int = 0,
        check: bool = False,
    ) -> None:
        k, threads = integer("k", k), integer("threads", threads)
        a = as_csr(A, shape=shape)
        if check:
            a.validate()
        if a.data is None:
            raise TypeError("the matrix is a pattern; a product needs values, data is None")
        if dtype_of(a.data) not in VALUE_TYPES:
            raise TypeError(f"data is {described(a.data)}; it must be of {_one_of(VALUE_TYPES)}")
        self._a = a
        self._k = k
        self._shape = a.shape[::-1] if transpose else a.shape
        native = module_for(a.device)
        self._memory = None
        if a.device == HOST:
            self._native = native.SpmmPlan(*a.exported(), a.shape[1], k, bool(transpose), threads)
            return
        with a.framework.current(a.device):
            self._native = native.SpmmPlan(*a.exported(), a.shape[1], k, bool(transpose))
            self._memory = a.empty((self._native.analysis_bytes,), "uint8")
            self._native.analyse(a.framework.exported(self._memory), a.framework.stream(a.device))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of op(A)."""
        return self._shape

    @property
    def workspace_bytes(self) -> int:
        """Memory that the plan holds besides A, X and Y."""
        on_host = self._a.device == HOST
        return int(self._native.workspace_bytes if on_host else self._native.analysis_bytes)

    def set_values(self, data: Any) -> None:
        """From now on A has the values `data` [entries], of A's dtype, in the order of A's entries.
        On the host this copies them; on a device it queues what is to be done on the current
        stream."""
        a = self._a
        a.check_values("data", data)
        if dtype_of(data) != dtype_of(a.data):
            raise TypeError(f"data is {described(data)}; the plan is of {dtype_of(a.data)}")
        if a.device == HOST:
            self._native.set_values(a.framework.exported(data))
            return
        with a.framework.current(a.device):
            self._native.set_values(a.framework.exported(data), a.framework.stream(a.device))
            a.framework.used_on_current_stream(self._memory)

    def __call__(
        self,
        X: Any,  # noqa: N803
        out: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
    ) -> Any:
        """Y = alpha op(A) X + beta Y; arguments, answer and errors are those of `spmm`."""
        a, framework = self._a, self._a.framework
        alpha, beta = real("alpha", alpha), real("beta", beta)
        self._check("X", X, self._shape[1])
        if out is None:
            if beta != 0:
                raise ValueError(f"beta is {beta}, and out is missing: there is no Y to add to")
            out = a.empty((self._shape[0], *X.shape[1:]), dtype_of(X))
        self._check("out", out, self._shape[0])
        check_writable("out", out, framework)
        if len(out.shape) != len(X.shape):
            raise ValueError(f"X is {described(X)}; out is {described(out)}")
        if a.device == HOST:
            self._native(alpha, framework.exported(X), beta, framework.exported(out))
            return framework.given_back(out)
        with framework.current(a.device):
            x, y = framework.exported(X), framework.exported(out)
            # A capsule serves once.
            needed = self._native.product_bytes(framework.exported(X), framework.exported(out))
            workspace = a.empty((needed,), "uint8")
            self._native(
                alpha,
                x,
                beta,
                y,
                framework.exported(workspace),
                framework.stream(a.device),
            )
            framework.used_on_current_stream(self._memory)
        return framework.given_back(out)

    def _check(self, name: str, array: Any, rows: int) -> None:
        a = self._a
        check_place(name, array, a.framework, a.device)
        extents = tuple(array.shape)
        if extents != (rows, self._k) and not (self._k == 1 and extents == (rows,)):
            raise ValueError(
                f"{name} is {described(array)}; for op(A) of {list(self._shape)} and k = {self._k} "
                f"it must have the shape {[rows, self._k]}"
            )
        if dtype_of(array) != dtype_of(a.data):
            raise TypeError(f"{name} is {described(array)}; the matrix is {described(a.data)}")


def _one_of(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + " or " + names[-1]
