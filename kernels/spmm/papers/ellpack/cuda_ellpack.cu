// ELLPACK without padding, one thread an element of Y.
// Source: SpMM seed, section 4.3, ELLPACK_kernel. Its rows have an offset and a length each, which
// is equivalent to CSR; cuda_ellpack_column_major has the ELLPACK format of the literature.
// Corrected: element numbers have 64 bits.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/ellpack/cuda_ellpack_run.cuh"

namespace sparserepro {
namespace {

class CudaEllpack final : public CudaEllpackRun {
 public:
  CudaEllpack(const SpmmProblem& problem, const Params& params)
      : CudaEllpackRun(problem), block_size_(static_cast<int>(params.integer("block_size"))) {}

  void execute() override {
    launch_elements<PreloadedEnds>(a(), x(), k(), rows() * k(), y(), block_size_, stream());
  }

 private:
  int block_size_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_ellpack() {
  return {.name = "cuda_ellpack",
          .summary = "ragged ELLPACK, one thread an element",
          .source = "SpMM seed 4.3, ELLPACK_kernel",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaEllpack, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
