// CSR-Scalar, version 1: one thread an element of Y; it adds every product to the element in device
// memory. Source: SpMM seed, section 3.3, CSR_Scalar_v1. Corrected: the element is first set to 0,
// where the seed assumes a Y of zeros, and element numbers have 64 bits.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/cuda_elements.cuh"

namespace sparserepro {
namespace {

struct SumInMemory {
  template <class Rows>
  static __device__ void element(const Rows& a, Element at, RowMajorX x, double* y) {
    *y = 0.0;
    for (auto p = a.begin(at.row); p < a.end(at.row); ++p) {
      *y += a.values[p] * x(a.col_idx[p], at.col);
    }
  }
};

template <class Offset>
using CsrScalarV1 = CudaElementSpmm<SumInMemory, Offset>;

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_scalar_v1() {
  return {.name = "cuda_csr_scalar_v1",
          .summary = "one thread an element, summed in device memory",
          .source = "SpMM seed 3.3, CSR_Scalar_v1",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrScalarV1>
#endif
  };
}

}  // namespace sparserepro
