// CSR-Scalar, version 2: one thread an element of Y, summed in a register. The loop condition reads
// the end of the row from memory; a compiler may move this load out of the loop, which stores
// nothing. Source: SpMM seed, section 3.3, CSR_Scalar_v2. Corrected: element numbers have 64 bits.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/cuda_elements.cuh"

namespace sparserepro {
namespace {

struct SumInRegister {
  template <class Rows>
  static __device__ void element(const Rows& a, Element at, RowMajorX x, double* y) {
    double partial_sum = 0.0;
    for (auto p = a.begin(at.row); p < a.end(at.row); ++p) {
      partial_sum += a.values[p] * x(a.col_idx[p], at.col);
    }
    *y = partial_sum;
  }
};

template <class Offset>
using CsrScalarV2 = CudaElementSpmm<SumInRegister, Offset>;

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_scalar_v2() {
  return {.name = "cuda_csr_scalar_v2",
          .summary = "one thread an element, summed in a register",
          .source = "SpMM seed 3.3, CSR_Scalar_v2",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrScalarV2>
#endif
  };
}

}  // namespace sparserepro
