// What one rank has on its device: a block of rows of A, X, its rows of Y, and the products.
#pragma once

#include <memory>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "formats/ceil_div.hpp"
#include "formats/types.hpp"
#include "sparserepro/device/spmm.hpp"
#include "spmm/cuda_multi_csr_balanced/split.cuh"

namespace sparserepro::multi {

/// row_ptr[i] -= row_ptr[0] for rows + 1 pointers; `first` is row_ptr[0].
template <class Offset>
__global__ void rebase_kernel(Offset* row_ptr, std::int64_t pointers, Offset first) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < pointers) {
    row_ptr[i] -= first;
  }
}

template <class Offset>
void rebase(Offset* row_ptr, std::int64_t pointers, Offset first, cudaStream_t stream) {
  constexpr unsigned threads = 256;
  rebase_kernel<<<static_cast<unsigned>(ceil_div<std::int64_t>(pointers, threads)), threads, 0,
                  stream>>>(row_ptr, pointers, first);
  CUDA_CHECK_LAUNCH();
}

/// The product of some rows of A, on one device.
class Part {
 public:
  /// `a` outlives this; waits for `stream`.
  void analyse(const CsrInput& a, std::int64_t k, cudaStream_t stream) {
    a_ = a;
    k_ = k;
    plan_ = std::make_unique<device::SpmmPlan>(a, k);
    fit(analysis_, plan_->analysis_bytes(), stream);
    plan_->analyse(analysis_.data(), analysis_.size(), stream);
    fit(product_, plan_->product_bytes(), stream);
  }
  /// Y = A X + beta Y, both in rows of k.
  void multiply(const ConstArray& x, double beta, const Array& y, cudaStream_t stream) {
    (*plan_)(1.0, {a_.cols, k_, k_, x}, beta, {a_.rows, k_, k_, y}, product_.data(),
             product_.size(), stream);
  }
  std::size_t bytes() const { return analysis_.bytes() + product_.bytes(); }

 private:
  static void fit(DeviceBuffer<char>& buffer, std::size_t bytes, cudaStream_t stream) {
    if (buffer.size() != bytes) {
      buffer = DeviceBuffer<char>(bytes, stream);
    }
  }

  CsrInput a_;
  std::int64_t k_ = 0;
  std::unique_ptr<device::SpmmPlan> plan_;
  DeviceBuffer<char> analysis_, product_;
};

template <class Offset, class Value>
struct Rank {
  std::int64_t first_row = 0, rows = 0, first_entry = 0, entries = 0;
  DeviceBuffer<Offset> row_ptr;   // [rows + 1], from 0; rank 0 has A's own
  DeviceBuffer<index_t> col_idx;  // [entries]; likewise
  DeviceBuffer<Value> values;     // [entries]; likewise
  DeviceBuffer<Value> x;          // [cols * k], room for all of X
  DeviceBuffer<Value> y;          // [rows * k]; of rank 0 all of Y where Y is gathered
  ColumnSplit<Offset, Value> split;
  Part block;   // of the whole block, or of its own columns where it is split
  Part others;  // of the other columns, where there are any
};

}  // namespace sparserepro::multi
