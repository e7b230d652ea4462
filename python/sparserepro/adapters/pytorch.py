"""The product as an operator of PyTorch, torch.ops.sparserepro.spmm, with derivatives in the values
and in X. It is registered by `torch.library`, so that torch.compile takes it as it is.

The derivative in X is a product with A^T. The plan of each product is made once and kept for
patterns that are used again; new values of a pattern cost no new plan. Plans are found by the
addresses of indptr and indices, which the cache keeps alive, and by the current stream: change a
pattern by new tensors, not in place.
"""

from __future__ import annotations

import atexit
import threading
from collections import OrderedDict
from typing import Any

import torch

from sparserepro.kernels.matrices import extents_of
from sparserepro.kernels.products import SpmmPlan

_MOST_PLANS = 64
_plans: OrderedDict[tuple[Any, ...], _CachedPlan] = OrderedDict()
_lock = threading.Lock()


class _CachedPlan:
    """A plan, and a lock: values and product of one call belong together."""

    def __init__(
        self, arrays: tuple[Any, Any, Any], shape: tuple[int, int], k: int, transpose: bool
    ) -> None:
        self._plan = SpmmPlan(arrays, k, transpose, shape=shape)
        self._lock = threading.Lock()

    def product(self, values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        with self._lock:
            # Each time: writes to values.data are not counted by PyTorch.
            self._plan.set_values(values)
            product: torch.Tensor = self._plan(x)
            return product


def _plan_for(
    arrays: tuple[Any, Any, Any], shape: tuple[int, int], k: int, transpose: bool
) -> _CachedPlan:
    indptr, indices, values = arrays
    stream = torch.cuda.current_stream(values.device).cuda_stream if values.is_cuda else 0
    pattern = [(a.data_ptr(), a.numel(), a.dtype) for a in (indptr, indices)]
    key = (*pattern, shape, k, transpose, values.dtype, values.device, stream)
    with _lock:
        if key in _plans:
            _plans.move_to_end(key)
            return _plans[key]
    plan = _CachedPlan(arrays, shape, k, transpose)
    with _lock:
        _plans[key] = plan
        while len(_plans) > _MOST_PLANS:
            _plans.popitem(last=False)
    return plan


def clear_plans() -> None:
    """Forgets all plans, with their memory and the patterns that they keep alive."""
    with _lock:
        _plans.clear()


def _ready(tensor: torch.Tensor) -> torch.Tensor:
    """Without gaps and aligned, as the kernels want it; a copy where it is not."""
    tensor = tensor.detach().contiguous()
    return tensor.clone() if tensor.is_cuda and tensor.data_ptr() % 16 else tensor


def _product(
    indptr: torch.Tensor,
    indices: torch.Tensor,
    values: torch.Tensor,
    x: torch.Tensor,
    cols: int,
    transpose: bool,
) -> torch.Tensor:
    k = 1 if x.dim() == 1 else x.shape[-1]
    arrays = (_ready(indptr), _ready(indices), _ready(values))
    plan = _plan_for(arrays, (indptr.numel() - 1, cols), k, transpose)
    return plan.product(arrays[2], _ready(x))


def _shape(
    indptr: torch.Tensor,
    indices: torch.Tensor,
    values: torch.Tensor,
    x: torch.Tensor,
    cols: int,
    transpose: bool,
) -> torch.Tensor:
    return x.new_empty((cols if transpose else indptr.shape[0] - 1, *x.shape[1:]))


_spmm = torch.library.custom_op("sparserepro::spmm", _product, mutates_args=())
_spmm.register_fake(_shape)


def _setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    indptr, indices, values, x, cols, transpose = inputs
    ctx.save_for_backward(indptr, indices, values, x)
    ctx.cols, ctx.transpose = cols, transpose


def _backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    indptr, indices, values, x = ctx.saved_tensors
    of_values = of_x = None
    if ctx.needs_input_grad[2]:
        left, right = (x, grad) if ctx.transpose else (grad, x)
        of_values = _at_entries(indptr, indices, left, right)
    if ctx.needs_input_grad[3]:
        of_x = _spmm(indptr, indices, values, grad, ctx.cols, not ctx.transpose)
    return None, None, of_values, of_x, None, None


def _at_entries(
    indptr: torch.Tensor, indices: torch.Tensor, left: torch.Tensor, right: torch.Tensor
) -> torch.Tensor:
    """sum_k left[i, k] right[j, k] at each entry (i, j), by PyTorch's own operations: their memory
    is 2 k values an entry."""
    rows = torch.repeat_interleave(
        torch.arange(indptr.numel() - 1, device=indptr.device), indptr.diff()
    )
    products = left[rows] * right[indices.long()]
    return products if products.dim() == 1 else products.sum(-1)


atexit.register(clear_plans)  # before the extension module goes
_spmm.register_autograd(_backward, setup_context=_setup_context)


def spmm(
    A: torch.Tensor | tuple[torch.Tensor, torch.Tensor, torch.Tensor],  # noqa: N803
    X: torch.Tensor,  # noqa: N803
    transpose: bool = False,
    *,
    shape: tuple[int, int] | None = None,
) -> torch.Tensor:
    """op(A) X with derivatives in the values of A and in X, on the host or on a CUDA device.

    Parameters:
        A: [m, n] of layout torch.sparse_csr, or (indptr, indices, values) with `shape`; float64,
            float32, float16 or bfloat16
        X: [columns of op(A), k] or [columns of op(A)], of A's dtype and device
        transpose: whether op(A) is A^T, else A

    Returns [rows of op(A), k] or [rows of op(A)]. Raises TypeError and ValueError as
    sparserepro.spmm does.
    """
    if isinstance(A, tuple):
        if shape is None:
            raise ValueError("shape is missing: (rows, columns) of (indptr, indices, values)")
        arrays, shape = A, extents_of(shape)
    else:
        if not isinstance(A, torch.Tensor):
            raise TypeError(f"A is a {type(A).__name__}, no tensor and no tuple of tensors")
        if A.layout != torch.sparse_csr:
            raise TypeError(f"A is {A.layout}, not torch.sparse_csr: call .to_sparse_csr()")
        arrays = (A.crow_indices(), A.col_indices(), A.values())
        shape = (A.shape[0], A.shape[1])
    for name, array in zip(("indptr", "indices", "values", "X"), (*arrays, X), strict=True):
        if not isinstance(array, torch.Tensor):
            raise TypeError(f"{name} is a {type(array).__name__}, no tensor")
    if arrays[0].numel() != shape[0] + 1:
        raise ValueError(f"indptr has {arrays[0].numel()} elements; shape is {tuple(shape)}")
    if X.dim() not in (1, 2) or X.shape[0] != shape[0 if transpose else 1]:
        raise ValueError(
            f"X is {list(X.shape)}; A is {list(shape)}" + (", transposed" if transpose else "")
        )
    product: torch.Tensor = torch.ops.sparserepro.spmm(*arrays, X, shape[1], transpose)
    return product
