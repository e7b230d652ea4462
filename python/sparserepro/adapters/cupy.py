"""What users of CuPy (and SciPy) swap in for `A.T.tocsr()`."""

from __future__ import annotations

from typing import Any

from sparserepro.kernels.frameworks import dtype_of
from sparserepro.kernels.matrices import (
    WIDTHS,
    CsrArrays,
    is_of_library,
    maker,
    of_library,
    width_of,
)
from sparserepro.kernels.transposition import TransposePlan, transpose


def transposed(A: Any) -> Any:  # noqa: N803  the field's name of the matrix
    """A.T.tocsr() of a matrix [m, n] in CSR of CuPy or SciPy, of any dtype: its columns ascend
    within each row of the answer. Queued on the current stream.

    Where the values change and the pattern stays, make a TransposePlan of A once;
    `plan.matrix(A.data)` is the answer for each step.

    Raises TypeError and ValueError as `transpose` does.
    """
    if not is_of_library(A) or width_of(dtype_of(A.data)) in WIDTHS:
        return transpose(A)
    # Values of another width follow the order of the entries.
    pattern = of_library(A, with_data=False)
    plan = TransposePlan(pattern.indptr, pattern.indices, shape=pattern.shape, permutation=True)
    values = A.data[: pattern.entries]
    moved = CsrArrays(plan.indptr, plan.indices, values[plan.permutation])
    return maker(A)(moved, plan.shape)
