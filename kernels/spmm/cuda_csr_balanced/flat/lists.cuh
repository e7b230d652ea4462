// Lists of path flat: a bit per entry that ends a row; the rows with entries, then those without;
// the number of rows that end before each task.
#pragma once

#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro::balanced {

/// Sets the bits of `ends`, all 0 before; some[i] = 1 where row i has entries.
template <class Offset>
__global__ void row_ends_kernel(const Offset* __restrict__ row_ptr, index_t rows, unsigned* ends,
                                index_t* some) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    const Offset end = row_ptr[i + 1];
    some[i] = end > row_ptr[i] ? 1 : 0;
    if (end > row_ptr[i]) {
      atomicOr(ends + (end - 1) / 32, 1U << ((end - 1) % 32));
    }
  }
}

/// order: rows with entries, then rows without, each ascending; place[i] = rows with entries up to
/// and with row i.
template <class Offset>
__global__ void flat_order_kernel(const Offset* __restrict__ row_ptr,
                                  const index_t* __restrict__ place, index_t rows, index_t* order) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    const auto row = static_cast<index_t>(i);
    const bool some = row_ptr[i + 1] > row_ptr[i];
    order[some ? place[i] - 1 : place[rows - 1] + (row - place[i])] = row;
  }
}

/// first_place[t] = rows that end before task t, and all rows with entries for t = tasks.
template <class Offset>
__global__ void flat_tasks_kernel(const Offset* __restrict__ row_ptr,
                                  const index_t* __restrict__ place, index_t rows, unsigned tasks,
                                  int task_entries, index_t* first_place) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t > tasks) {
    return;
  }
  const std::int64_t first = std::int64_t{t} * task_entries;
  index_t low = 0, high = rows - 1;  // of the row with entry `first`
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (row_ptr[middle + 1] > first) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  first_place[t] = t < tasks ? place[low] - 1 : place[rows - 1];
}

}  // namespace sparserepro::balanced
