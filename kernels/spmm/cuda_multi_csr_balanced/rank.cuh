// What one rank has on its device: a block of rows of A, X, its rows of Y, and the product.
#pragma once

#include <memory>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "formats/ceil_div.hpp"
#include "formats/types.hpp"
#include "sparserepro/device/spmm.hpp"

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

template <class Offset, class Value>
struct Rank {
  std::int64_t first_row = 0, rows = 0, first_entry = 0, entries = 0;
  DeviceBuffer<Offset> row_ptr;   // [rows + 1], from 0; rank 0 has A's own
  DeviceBuffer<index_t> col_idx;  // [entries]; likewise
  DeviceBuffer<Value> values;     // [entries]; likewise
  DeviceBuffer<Value> x;          // all of X, up to a whole share of every rank
  DeviceBuffer<Value> y;          // [rows * k]; of rank 0 all of Y where Y is gathered
  std::unique_ptr<device::SpmmPlan> plan;
  DeviceBuffer<char> analysis, product;
};

}  // namespace sparserepro::multi
