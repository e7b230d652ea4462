// Products that give one thread to each element of Y: numbering of the elements, access to rows of
// A and to X, the kernel and its launch. A method is the way in which a thread forms its sum.
#pragma once

#include <cstdint>

#include "spmm/cuda_run.cuh"

namespace sparserepro {

struct Element {
  std::int64_t row;
  int col;
};

/// Element e of Y, numbered row by row. Numbers take 64 bits: rows times K times the threads of an
/// element exceed 32 at sizes in use. The division, which is slow at 64 bits, is made at 32 where
/// the number fits.
__device__ __forceinline__ Element element_of(std::int64_t e, int k) {
  if ((static_cast<std::uint64_t>(e) >> 32) == 0) {
    const auto number = static_cast<std::uint32_t>(e);
    const std::uint32_t row = number / static_cast<std::uint32_t>(k);
    return {row, static_cast<int>(number - row * static_cast<std::uint32_t>(k))};
  }
  const std::int64_t row = e / k;
  return {row, static_cast<int>(e - row * k)};
}

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

/// X as it is given: element (n, z) at n K + z.
struct RowMajorX {
  const double* x;
  std::int64_t k;
  __device__ double operator()(index_t n, int z) const { return x[n * k + z]; }
};

/// X transposed, of N rows: element (n, z) at z N + n.
struct ColumnMajorX {
  const double* x;
  std::int64_t n_rows;
  __device__ double operator()(index_t n, int z) const { return x[z * n_rows + n]; }
};

/// Thread e writes element e of Y by Method::element(rows of A, its place, X, where it goes).
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

/// A product of CSR by one thread for each element, with the given method.
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

/// The sum in a register, the ends of the row read beforehand.
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
