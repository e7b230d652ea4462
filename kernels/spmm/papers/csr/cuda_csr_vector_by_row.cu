// CSR-Vector by rows: one warp a row of Y; its sub-warps (8 of 4 threads in the seed) take the K
// columns in turn; X transposed.
// Source: SpMM seed, section 3.3, CSR_Vector_by_row. Corrected: the reduction has the barriers that
// the seed lacks. All sub-warps of a warp take the same number of steps, so that whole warps reach
// them even if K is no multiple of the number of sub-warps.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/csr/columns_run.cuh"
#include "spmm/papers/cuda_sub_warp.cuh"

namespace sparserepro {
namespace {

/// Warp w computes row w of Y. Dynamic shared memory: one double a thread.
template <int Size, class Offset>
__global__ void __launch_bounds__(1024)
    by_row_kernel(CsrRows<Offset> a, ColumnMajorX x, int k, std::int64_t rows, double* y) {
  extern __shared__ double partial[];
  constexpr int sub_warps = 32 / Size;
  const std::int64_t row = global_thread() / 32;
  if (row >= rows) {  // the whole warp
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % Size;
  const int sub_warp = static_cast<int>(threadIdx.x) % 32 / Size;
  const Offset begin = a.begin(row);
  const Offset end = a.end(row);
  for (int first = 0; first < k; first += sub_warps) {
    const int col = first + sub_warp;
    double partial_sum = 0.0;
    if (col < k) {
      for (Offset p = begin + lane; p < end; p += Size) {
        partial_sum += a.values[p] * x(a.col_idx[p], col);
      }
    }
    const double sum = sub_warp_sum<Size>(partial_sum, partial);
    if (col < k && lane == 0) {
      y[row * k + col] = sum;
    }
  }
}

template <class Offset>
class CsrVectorByRow final : public CudaColumnsSpmmRun<Offset> {
 public:
  CsrVectorByRow(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaColumnsSpmmRun<Offset>(problem, a),
        block_size_(static_cast<int>(params.integer("block_size"))),
        sub_warp_(params.integer("sub_warp")) {}

  void execute() override {
    if (this->rows() == 0) {
      return;
    }
    const auto blocks =
        static_cast<unsigned>(ceil_div(this->rows(), std::int64_t{block_size_ / 32}));
    with_sub_warp(sub_warp_, [&]<int size>() {
      by_row_kernel<size><<<blocks, block_size_, block_size_ * sizeof(double), this->stream()>>>(
          rows_of(this->a()), this->x_columns(), static_cast<int>(this->k()), this->rows(),
          this->y());
    });
    CUDA_CHECK_LAUNCH();
  }

 private:
  int block_size_;
  std::int64_t sub_warp_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_vector_by_row() {
  return {.name = "cuda_csr_vector_by_row",
          .summary = "one warp a row, its sub-warps over the columns, X transposed",
          .source = "SpMM seed 3.3, CSR_Vector_by_row",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size(), spmm_sub_warp(4)},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrVectorByRow>
#endif
  };
}

}  // namespace sparserepro
