// Products with one thread an element of Y: numbering of the elements, access to rows of A and to
// X, the kernel and its launch. A `Method` is the loop in which a thread forms its sum.
#pragma once

#include <cstdint>

#include "spmm/cuda_run.cuh"

namespace sparserepro {

/// Position of an element of Y.
struct Element {
  std::int64_t row;
  int col;
};

/// Element number e of Y, counted row by row. Numbers have 64 bits: M K times the threads of an
/// element exceeds 32 bits for matrices in use. The division has 32 bits if e fits, since a 64-bit
/// division is slow.
__device__ __forceinline__ Element element_of(std::int64_t e, int k) {
  if ((static_cast<std::uint64_t>(e) >> 32) == 0) {
    const auto number = static_cast<std::uint32_t>(e);
    const std::uint32_t row = number / static_cast<std::uint32_t>(k);
    return {row, static_cast<int>(number - row * static_cast<std::uint32_t>(k))};
  }
  const std::int64_t row = e / k;
  return {row, static_cast<int>(e - row * k)};
}

/// Number of the thread in the grid.
__device__ __forceinline__ std::int64_t global_thread() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

/// Rows of a CSR matrix: entries begin(i) to end(i) - 1.
template <class Offset>
struct CsrRows {
  using offset_type = Offset;
  const Offset* row_ptr;
  const index_t* col_idx;
  const double* values;
  __device__ Offset begin(std::int64_t i) const { return row_ptr[i]; }
  __device__ Offset end(std::int64_t i) const { return row_ptr[i + 1]; }
};

/// Rows of ELLPACK without padding: an offset and a length each.
struct RaggedRows {
  using offset_type = std::int64_t;
  const std::int64_t* row_offset;
  const index_t* row_length;
  const index_t* col_idx;
  const double* values;
  __device__ std::int64_t begin(std::int64_t i) const { return row_offset[i]; }
  __device__ std::int64_t end(std::int64_t i) const { return row_offset[i] + row_length[i]; }
};

template <class Offset>
CsrRows<Offset> rows_of(const CsrView<Offset, double>& a) {
  return {a.row_ptr, a.col_idx, a.values};
}

/// X row-major: element (n, z) at n K + z.
struct RowMajorX {
  const double* x;
  std::int64_t k;
  __device__ double operator()(index_t n, int z) const { return x[n * k + z]; }
};

/// X with N rows, column-major: element (n, z) at z N + n.
struct ColumnMajorX {
  const double* x;
  std::int64_t n_rows;
  __device__ double operator()(index_t n, int z) const { return x[z * n_rows + n]; }
};

/// Thread e writes element e of Y by Method::element(rows of A, position, X, address).
template <class Method, class Rows>
__global__ void __launch_bounds__(1024)
    element_kernel(Rows a, RowMajorX x, int k, std::int64_t elements, double* y) {
  const std::int64_t e = global_thread();
  if (e < elements) {
    Method::element(a, element_of(e, k), x, y + e);
  }
}

/// Queues element_kernel for Y of `elements` = M K elements.
template <class Method, class Rows>
void launch_elements(const Rows& a, const double* x, std::int64_t k, std::int64_t elements,
                     double* y, int block_size, cudaStream_t stream) {
  if (elements == 0) {
    return;
  }
  const auto blocks = static_cast<unsigned>(ceil_div(elements, std::int64_t{block_size}));
  element_kernel<Method>
      <<<blocks, block_size, 0, stream>>>(a, RowMajorX{x, k}, static_cast<int>(k), elements, y);
  CUDA_CHECK_LAUNCH();
}

/// A product of CSR with one thread an element, by `Method`.
template <class Method, class Offset>
class CudaElementSpmm : public CudaCsrSpmmRun<Offset> {
 public:
  CudaElementSpmm(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaCsrSpmmRun<Offset>(problem, a),
        block_size_(static_cast<int>(params.integer("block_size"))) {}

  void execute() override {
    launch_elements<Method>(rows_of(this->a()), this->x(), this->k(), this->rows() * this->k(),
                            this->y(), block_size_, this->stream());
  }

 private:
  int block_size_;
};

/// Method with the sum in a register; begin and end of the row are read before the loop.
struct PreloadedEnds {
  template <class Rows>
  static __device__ void element(const Rows& a, Element at, RowMajorX x, double* y) {
    const auto begin = a.begin(at.row);
    const auto end = a.end(at.row);
    double partial_sum = 0.0;
    for (auto p = begin; p < end; ++p) {
      partial_sum += a.values[p] * x(a.col_idx[p], at.col);
    }
    *y = partial_sum;
  }
};

}  // namespace sparserepro
