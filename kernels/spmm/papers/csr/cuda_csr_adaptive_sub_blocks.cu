// CSR-Adaptive with sub-blocks: one block of threads for each row block; each of its sub-blocks of
// S threads takes one column of X, which is transposed. A row block has at most S rows and entries,
// or one row.
// Source: SpMM seed, section 3.3, CSR_Adaptive_sub_blocks. Corrected: the seed takes S = block / K.
// If S is no power of two (K = 3, 12), its tree drops elements and some threads miss barriers; if K
// exceeds the block, it divides by zero. Here S = max(1, 2^floor(log2(block / K))); the sub-blocks
// loop over the columns, and all threads reach every barrier.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/csr/row_blocks_run.cuh"

namespace sparserepro {
namespace {

/// Block b computes row block b with sub-blocks of `size` threads, a power of two that divides the
/// block size. Dynamic shared memory: one double a thread.
template <class Offset>
__global__ void __launch_bounds__(1024)
    sub_blocks_kernel(CsrRows<Offset> a, const index_t* first_rows, int size, int k, ColumnMajorX x,
                      double* y) {
  extern __shared__ double shared[];
  const int lane = static_cast<int>(threadIdx.x) & (size - 1);
  const int sub_block = static_cast<int>(threadIdx.x) / size;
  const int sub_blocks = static_cast<int>(blockDim.x) / size;
  double* const partial = shared + sub_block * size;
  const std::int64_t first = first_rows[blockIdx.x];
  const std::int64_t last = first_rows[blockIdx.x + 1];
  const Offset begin = a.begin(first);
  const Offset end = a.begin(last);
  for (int first_col = 0; first_col < k; first_col += sub_blocks) {
    const int col = first_col + sub_block;
    if (last - first > 1) {
      if (col < k && begin + lane < end) {
        partial[lane] = a.values[begin + lane] * x(a.col_idx[begin + lane], col);
      }
      __syncthreads();
      if (col < k && first + lane < last) {
        const int row_begin = static_cast<int>(a.begin(first + lane) - begin);
        const int row_end = static_cast<int>(a.end(first + lane) - begin);
        double sum = 0.0;
        for (int e = row_begin; e < row_end; ++e) {
          sum += partial[e];
        }
        y[(first + lane) * k + col] = sum;
      }
    } else {
      double partial_sum = 0.0;
      if (col < k) {
        for (Offset p = begin + lane; p < end; p += static_cast<Offset>(size)) {
          partial_sum += a.values[p] * x(a.col_idx[p], col);
        }
      }
      partial[lane] = partial_sum;
      for (int half = size / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
          partial[lane] += partial[lane + half];
        }
      }
      if (col < k && lane == 0) {
        y[first * k + col] = partial[0];
      }
    }
    __syncthreads();  // the next columns overwrite `partial`
  }
}

template <class Offset>
class CsrAdaptiveSubBlocks final : public CudaRowBlocksRun<Offset> {
 public:
  CsrAdaptiveSubBlocks(const SpmmProblem& problem, const Csr<Offset, double>& a,
                       const Params& params)
      : CudaRowBlocksRun<Offset>(problem, a,
                                 sub_block_size(params.integer("block_size"), problem.k())),
        block_size_(static_cast<unsigned>(params.integer("block_size"))) {}

  void execute() override {
    if (this->row_blocks() == 0) {
      return;
    }
    sub_blocks_kernel<<<static_cast<unsigned>(this->row_blocks()), block_size_,
                        block_size_ * sizeof(double), this->stream()>>>(
        rows_of(this->a()), this->first_rows(), static_cast<int>(this->capacity()),
        static_cast<int>(this->k()), this->x_columns(), this->y());
    CUDA_CHECK_LAUNCH();
  }

 private:
  unsigned block_size_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_adaptive_sub_blocks() {
  return {.name = "cuda_csr_adaptive_sub_blocks",
          .summary = "row blocks streamed, a sub-block a column, X transposed",
          .source = "SpMM seed 3.3, CSR_Adaptive_sub_blocks",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrAdaptiveSubBlocks>
#endif
  };
}

}  // namespace sparserepro
