// ELLPACK padded and column-major: every row is padded to the longest, and slot n of row i lies at
// n M + i; one thread an element of Y. A thread stops at the length of its row.
// Source: N. Bell, M. Garland, "Efficient sparse matrix-vector multiplication on CUDA",
// NVR-2008-004. The SpMM seed has this format on the host only.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"
#include "spmm/papers/ellpack/ellpack_formats.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/ellpack/cuda_sliced_ellpack_run.cuh"

namespace sparserepro {
namespace {

struct ColumnMajorSlots {
  std::int64_t rows;
  const index_t* row_length;
  const index_t* col_idx;
  const double* values;
  __device__ std::int64_t first(std::int64_t place) const { return place; }
  __device__ std::int64_t stride() const { return rows; }
  __device__ index_t length(std::int64_t place) const { return row_length[place]; }
  __device__ index_t row(std::int64_t place) const { return static_cast<index_t>(place); }
};

/// SELL-C-sigma with one slice of all rows, unsorted.
class EllpackColumnMajor final : public CudaSlicedEllpackRun {
 public:
  EllpackColumnMajor(const SpmmProblem& problem, const Params& params)
      : CudaSlicedEllpackRun(
            problem,
            make_sliced_ellpack(problem, std::max<std::int64_t>(problem.shape().rows, 1), 1),
            static_cast<int>(params.integer("block_size"))) {}

  void execute() override { launch(ColumnMajorSlots{rows(), row_length(), col_idx(), values()}); }
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_ellpack_column_major() {
  return {.name = "cuda_ellpack_column_major",
          .summary = "padded ELLPACK stored by columns, one thread an element",
          .source = "Bell and Garland, NVR-2008-004",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size()},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = ellpack_refusal,
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<EllpackColumnMajor, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
