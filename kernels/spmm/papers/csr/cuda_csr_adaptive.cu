// CSR-Adaptive: one block of threads for each row block (row_blocks.hpp) and column of X, which is
// transposed.
//
//   several rows   each thread writes one product to shared memory; one thread a row adds them up
//   one row        all threads add up products, and a tree in shared memory adds the partial sums
//
// Source: SpMM seed, section 3.3, CSR_Adaptive, after Greathouse and Daga, SC'14. Corrected: the
// number of row block and column has 64 bits, so that row blocks times K may exceed the largest
// grid.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/csr/row_blocks_run.cuh"

namespace sparserepro {
namespace {

constexpr std::int64_t largest_grid = 0x7fffffff;

/// Computes row block w / K and column w % K for w in [0, work), work = row blocks x K. The block
/// size is a power of two and the capacity of a row block. Dynamic shared memory: one double a
/// thread.
template <class Offset>
__global__ void __launch_bounds__(1024)
    adaptive_kernel(CsrRows<Offset> a, const index_t* first_rows, std::int64_t work, int k,
                    ColumnMajorX x, double* y) {
  extern __shared__ double partial[];
  const int t = static_cast<int>(threadIdx.x);
  for (std::int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const Element at = element_of(w, k);
    const std::int64_t first = first_rows[at.row];
    const std::int64_t last = first_rows[at.row + 1];
    const Offset begin = a.begin(first);
    const Offset end = a.begin(last);
    if (last - first > 1) {
      if (begin + t < end) {
        partial[t] = a.values[begin + t] * x(a.col_idx[begin + t], at.col);
      }
      __syncthreads();
      if (first + t < last) {
        const int row_begin = static_cast<int>(a.begin(first + t) - begin);
        const int row_end = static_cast<int>(a.end(first + t) - begin);
        double sum = 0.0;
        for (int e = row_begin; e < row_end; ++e) {
          sum += partial[e];
        }
        y[(first + t) * k + at.col] = sum;
      }
    } else {
      double partial_sum = 0.0;
      for (Offset p = begin + t; p < end; p += static_cast<Offset>(blockDim.x)) {
        partial_sum += a.values[p] * x(a.col_idx[p], at.col);
      }
      partial[t] = partial_sum;
      for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
          partial[t] += partial[t + half];
        }
      }
      if (t == 0) {
        y[first * k + at.col] = partial[0];
      }
    }
    __syncthreads();  // the next iteration overwrites `partial`
  }
}

int local_size(const SpmmProblem& problem, const Params& params) {
  const auto* size = std::get_if<std::int64_t>(&params.value("local_size"));
  return size == nullptr ? adaptive_local_size(problem.shape().rows, problem.shape().stored)
                         : static_cast<int>(*size);
}

template <class Offset>
class CsrAdaptive final : public CudaRowBlocksRun<Offset> {
 public:
  CsrAdaptive(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaRowBlocksRun<Offset>(problem, a, local_size(problem, params)) {}

  void execute() override {
    const std::int64_t work = this->row_blocks() * this->k();
    if (work == 0) {
      return;
    }
    const auto threads = static_cast<unsigned>(this->capacity());
    adaptive_kernel<<<static_cast<unsigned>(std::min(work, largest_grid)), threads,
                      threads * sizeof(double), this->stream()>>>(
        rows_of(this->a()), this->first_rows(), work, static_cast<int>(this->k()),
        this->x_columns(), this->y());
    CUDA_CHECK_LAUNCH();
  }
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_adaptive() {
  return {.name = "cuda_csr_adaptive",
          .summary = "row blocks streamed through shared memory, X transposed",
          .source = "SpMM seed 3.3, CSR_Adaptive; Greathouse and Daga, SC'14",
          .backend = Backend::cuda,
          .parameters = {{"local_size",
                          "mean",
                          {"mean", 32, 64, 128, 256, 512, 1024},
                          "threads per block, which is also the number of entries per row block; "
                          "mean: chosen by the mean row length, from 32 to 512"}},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrAdaptive>
#endif
  };
}

}  // namespace sparserepro
