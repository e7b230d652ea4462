"""Sparse kernels, and Python of the pipeline that measures them.

The kernels (`transpose`, `TransposePlan`, `spmm`, `SpmmPlan`, `triangle_count`,
`edge_support`) work where the package was built and installed; `load_cells` gives the measured
cells.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparserepro.data.cells import load_cells
    from sparserepro.kernels import (
        CsrArrays,
        SpmmPlan,
        TransposePlan,
        edge_support,
        has_cuda,
        spmm,
        transpose,
        triangle_count,
    )

__all__ = [
    "CsrArrays",
    "SpmmPlan",
    "TransposePlan",
    "edge_support",
    "has_cuda",
    "load_cells",
    "spmm",
    "transpose",
    "triangle_count",
]


def __getattr__(name: str) -> Any:
    """Loads what somebody asks for: the pipeline's jobs do without pandas and the kernels."""
    if name == "load_cells":
        from sparserepro.data.cells import load_cells

        return load_cells
    if name in __all__:
        from sparserepro import kernels

        return getattr(kernels, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
