"""The kernels: transposition, products with dense matrices and triangle counts of sparse matrices,
on the host and on CUDA devices. `sparserepro` exports these names."""

from sparserepro.kernels.counting import edge_support, triangle_count
from sparserepro.kernels.matrices import CsrArrays
from sparserepro.kernels.native import has_cuda
from sparserepro.kernels.products import SpmmPlan, spmm
from sparserepro.kernels.transposition import TransposePlan, transpose

__all__ = [
    "CsrArrays",
    "SpmmPlan",
    "TransposePlan",
    "edge_support",
    "has_cuda",
    "spmm",
    "transpose",
    "triangle_count",
]
