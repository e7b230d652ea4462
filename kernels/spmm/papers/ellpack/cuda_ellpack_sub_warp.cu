// ELLPACK without padding, a sub-warp (2 threads in the seed) an element of Y.
// Source: SpMM seed, section 4.3, ELLPACK_Sub_warp, with the format of cuda_ellpack. Corrected: the
// reduction has the barriers that the seed lacks, and thread numbers have 64 bits.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/cuda_sub_warp.cuh"
#include "spmm/papers/ellpack/cuda_ellpack_run.cuh"

namespace sparserepro {
namespace {

class CudaEllpackSubWarp final : public CudaEllpackRun {
 public:
  CudaEllpackSubWarp(const SpmmProblem& problem, const Params& params)
      : CudaEllpackRun(problem),
        block_size_(static_cast<int>(params.integer("block_size"))),
        sub_warp_(params.integer("sub_warp")) {}

  void execute() override {
    with_sub_warp(sub_warp_, [&]<int size>() {
      launch_sub_warps<size>(a(), RowMajorX{x(), k()}, k(), rows() * k(), y(), block_size_,
                             stream());
    });
  }

 private:
  int block_size_;
  std::int64_t sub_warp_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_ellpack_sub_warp() {
  return {.name = "cuda_ellpack_sub_warp",
          .summary = "ragged ELLPACK, one sub-warp an element",
          .source = "SpMM seed 4.3, ELLPACK_Sub_warp",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size(), spmm_sub_warp(2)},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaEllpackSubWarp, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
