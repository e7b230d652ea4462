// CSR-Scalar, version 3: one thread an element of Y, summed in a register; begin and end of the row
// are read before the loop. Source: SpMM seed, section 3.3, CSR_Scalar_v3. Corrected: element
// numbers have 64 bits.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/cuda_elements.cuh"

namespace sparserepro {
namespace {

template <class Offset>
using CsrScalarV3 = CudaElementSpmm<PreloadedEnds, Offset>;

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_scalar_v3() {
  return {.name = "cuda_csr_scalar_v3",
          .summary = "one thread an element, ends of the row read first",
          .source = "SpMM seed 3.3, CSR_Scalar_v3",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrScalarV3>
#endif
  };
}

}  // namespace sparserepro
