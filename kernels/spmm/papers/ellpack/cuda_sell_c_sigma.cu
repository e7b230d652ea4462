// SELL-C-sigma with slices of C = 32 rows (sliced_ellpack.hpp); one thread an element of Y.
// Source: Kreutzer et al., SISC 36(5), 2014. sigma = 1 is sliced ELLPACK (Monakov, Lokhmotov,
// Avetisyan, HiPEAC'10).
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"
#include "spmm/papers/ellpack/sliced_ellpack.hpp"

namespace sparserepro {
namespace {

constexpr std::int64_t slice_height = 32;

}  // namespace
}  // namespace sparserepro

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/ellpack/cuda_sliced_ellpack_run.cuh"

namespace sparserepro {
namespace {

struct SlicedSlots {
  const std::int64_t* slice_ptr;
  const index_t* rows;
  const index_t* row_length;
  const index_t* col_idx;
  const double* values;
  __device__ std::int64_t first(std::int64_t place) const {
    return slice_ptr[place / slice_height] + place % slice_height;
  }
  __device__ std::int64_t stride() const { return slice_height; }
  __device__ index_t length(std::int64_t place) const { return row_length[place]; }
  __device__ index_t row(std::int64_t place) const { return rows[place]; }
};

class SellCSigma final : public CudaSlicedEllpackRun {
 public:
  SellCSigma(const SpmmProblem& problem, const Params& params)
      : CudaSlicedEllpackRun(problem,
                             make_sliced_ellpack(problem, slice_height, params.integer("sigma")),
                             static_cast<int>(params.integer("block_size"))) {}

  void execute() override {
    launch(SlicedSlots{slice_ptr(), row(), row_length(), col_idx(), values()});
  }
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_sell_c_sigma() {
  return {.name = "cuda_sell_c_sigma",
          .summary = "sorted slices of 32 rows stored by columns, one thread an element",
          .source = "Kreutzer et al., SISC 2014",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size(),
                         {"sigma",
                          std::int64_t{1024},
                          {1, 32, 1024, 32768},
                          "rows per window; each window is sorted by row length"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params& params) -> std::string {
            return sliced_ellpack_refusal(problem, slice_height, params.integer("sigma"));
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<SellCSigma, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
