"""Transposition: CSR of A in, CSR of A^T out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sparserepro.kernels.frameworks import HOST, described, dtype_of, integer
from sparserepro.kernels.matrices import (
    WIDTHS,
    Csr,
    CsrArrays,
    as_csr,
    check_array,
    check_writable,
    width_of,
)
from sparserepro.kernels.native import module_for


def transpose(
    indptr: Any,
    indices: Any = None,
    data: Any = None,
    shape: tuple[int, int] | None = None,
    permutation: bool = False,
    *,
    threads: int = 0,
    check: bool = False,
) -> Any:
    """A^T in CSR, or A in CSC. The answer is unique: entries of a column of A keep the order of
    their rows, and those of one position the order in which they are stored.

    Parameters:
        indptr: A in CSR, of SciPy, CuPy, PyTorch or JAX; or the row pointers [rows + 1] of bare
            arrays, int32 or int64, on the host or on a CUDA device
        indices: the columns [entries], int32 or int64
        data: the values [entries], of 2, 4 or 8 bytes each, whatever they mean; None for a pattern
        shape: (rows, columns), with bare arrays
        permutation: whether to give the order of the entries as well
        threads: on the host; 0: all processors that this process may use
        check: whether to look for broken index arrays first, on the host; without it they make
            wrong answers or worse

    Returns:
        A^T as A came: a matrix of the same kind, or CsrArrays; with `permutation` a pair of it and
        an array [entries] of int32 (int64 beyond 2^31 - 1 entries): entry q of A^T is entry
        permutation[q] of A. On a device the work is queued on the current stream.

    Raises:
        TypeError: an argument is of a wrong type; ValueError: shapes do not fit together, a limit
        is exceeded, `check` found something; MemoryError.
    """
    threads = integer("threads", threads)
    a = as_csr(indptr, indices, data, shape)
    if check:
        a.validate()
    if permutation:
        plan = _Plan(a, None if a.data is None else dtype_of(a.data), True, threads, once=True)
        moved = None if a.data is None else plan.move(a.data, None)
        arrays = CsrArrays(plan.pattern.indptr, plan.pattern.indices, moved)
        return a.rebuild(arrays, a.shape[::-1]), plan.permutation
    out = a.empty_transposed()
    with a.framework.current(a.device):
        exported = [None if array is None else a.framework.exported(array) for array in out]
        if a.device == HOST:
            module_for(HOST).transpose(*a.exported(), a.shape[1], *exported, threads)
        else:
            job = module_for(a.device).Transposer(*a.exported(), a.shape[1])
            workspace = a.framework.exported(a.empty((job.workspace_bytes,), "uint8"))
            job(*a.exported(), *exported, workspace, a.framework.stream(a.device))
    return a.rebuild(out, a.shape[::-1])


class TransposePlan:
    """A pattern that is transposed once, for values that are moved as often as they change.

    Parameters as those of `transpose`; besides, for bare arrays without data on a device:
        dtype: that of the values to come ("float64", ...), 8 bytes wide unless it says otherwise.
            A plan on a device is for values of one width, that of A's; on the host, for any.

    The arrays of A are not used after the constructor. On the host any number of threads may call
    one plan at once; on a device calls follow each other, on the stream of each call. On the host
    1.5M scattered entries and more are moved in two passes: the plan then takes 8 bytes an entry,
    and the first call allocates the values once more.
    """

    def __init__(
        self,
        indptr: Any,
        indices: Any = None,
        data: Any = None,
        shape: tuple[int, int] | None = None,
        permutation: bool = False,
        *,
        dtype: str | None = None,
        threads: int = 0,
        check: bool = False,
    ) -> None:
        threads = integer("threads", threads)
        a = as_csr(indptr, indices, data, shape)
        if check:
            a.validate()
        if a.data is not None:
            dtype = dtype_of(a.data)
        self._plan = _Plan(a, dtype, permutation, threads)
        self._rebuild = a.rebuild

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of A^T."""
        return self._plan.shape

    @property
    def indptr(self) -> Any:
        """Row pointers of A^T [columns of A + 1], of the type of A's."""
        return self._plan.given_back(self._plan.pattern.indptr)

    @property
    def indices(self) -> Any:
        """Columns of A^T [entries], of the type of A's."""
        return self._plan.given_back(self._plan.pattern.indices)

    @property
    def permutation(self) -> Any:
        """[entries] int32 or int64: entry q of A^T is entry permutation[q] of A. On the host it is
        the plan's own, read-only; of PyTorch a copy. On a device it is there where the plan was
        made with permutation=True; ValueError otherwise."""
        return self._plan.permutation

    @property
    def workspace_bytes(self) -> int:
        """Memory that the plan holds besides the pattern of A^T."""
        return self._plan.workspace_bytes

    def __call__(self, data: Any, out: Any = None) -> Any:
        """The values of A^T [entries] from those of A [entries], of 2, 4 or 8 bytes each; in
        `out`, of the same dtype and apart from `data`, where it is given. TypeError and ValueError
        as of `transpose`."""
        return self._plan.move(data, out)

    def matrix(self, data: Any) -> Any:
        """A^T with the values of A [entries], as A came. Answers share the pattern's arrays."""
        pattern = self._plan.pattern
        return self._rebuild(CsrArrays(pattern.indptr, pattern.indices, self(data)), self.shape)


class _Plan:
    """A plan on the host or on a device, on checked arrays."""

    def __init__(
        self, a: Csr, dtype: str | None, permutation: bool, threads: int, once: bool = False
    ) -> None:
        """`once`: values are moved once at most, on the host."""
        self.pattern = a.empty_transposed(with_data=False)
        self.shape = a.shape[::-1]
        # A's own arrays are not kept.
        self._checks = replace(
            a, indptr=self.pattern.indptr, indices=self.pattern.indices, data=None
        )
        if not isinstance(dtype, str | None):
            raise TypeError(f'dtype is {dtype!r}; it is the name of a type, such as "float64"')
        self._width = 8 if dtype is None else width_of(dtype)
        if self._width not in WIDTHS:
            raise TypeError(f"dtype is {dtype!r}; values have 2, 4 or 8 bytes")
        self._permutation = None
        self._memory = None
        self._once = once
        native = module_for(a.device)
        if a.device == HOST:
            self._native = native.TransposePlan(
                *a.exported()[:2],
                a.shape[1],
                *map(a.framework.exported, self.pattern[:2]),
                threads,
                once,
            )
            return
        exported = a.framework.exported
        with a.framework.current(a.device):
            self._native = native.TransposePlan(*a.exported()[:2], a.shape[1], self._width)
            self._memory = a.empty((self._native.plan_bytes,), "uint8")
            scratch = a.empty((self._native.analysis_bytes,), "uint8")
            if permutation:
                self._permutation = a.empty((a.entries,), "int32")
            self._native.analyse(
                *a.exported()[:2],
                exported(self.pattern.indptr),
                exported(self.pattern.indices),
                None if self._permutation is None else exported(self._permutation),
                exported(self._memory),
                exported(scratch),
                a.framework.stream(a.device),
            )

    def given_back(self, array: Any) -> Any:
        return self._checks.framework.given_back(array)

    @property
    def permutation(self) -> Any:
        if self._checks.device == HOST:
            framework, array = self._checks.framework, self._native.permutation
            return framework.taken(array) if self._once else framework.not_to_be_written(array)
        if self._permutation is None:
            raise ValueError("the plan was made without permutation=True")
        return self.given_back(self._permutation)

    @property
    def workspace_bytes(self) -> int:
        return int(
            self._native.workspace_bytes if self._checks.device == HOST else self._native.plan_bytes
        )

    def move(self, values: Any, out: Any) -> Any:
        a, framework = self._checks, self._checks.framework
        a.check_values("data", values)
        if out is None:
            out = a.empty((a.entries,), dtype_of(values))
        check_array("out", out, (a.entries,), framework, a.device)
        check_writable("out", out, framework)
        if dtype_of(out) != dtype_of(values):
            raise TypeError(f"out is {described(out)}; data is {described(values)}")
        if a.device == HOST:
            self._native(framework.exported(values), framework.exported(out))
            return self.given_back(out)
        if width_of(dtype_of(values)) != self._width:
            raise TypeError(
                f"data is {described(values)}; the plan is for {self._width} bytes a value"
            )
        with framework.current(a.device):
            workspace = a.empty((self._native.call_bytes,), "uint8")
            self._native(
                framework.exported(values),
                framework.exported(out),
                framework.exported(workspace),
                framework.stream(a.device),
            )
            framework.used_on_current_stream(self._memory)
        return self.given_back(out)
