// Lists that the paths of cuda_csr_balanced read: keys of bins, first rows of groups, tasks of a
// stream, segments of long rows. Grids have a thread per row or task.
#pragma once

#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/statistics.cuh"

namespace sparserepro::balanced {

/// key[i] orders long rows first, then rows by falling bin; row[i] = i.
template <class Offset>
__global__ void bin_keys_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                unsigned char* key, index_t* row) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    key[i] = static_cast<unsigned char>(RowStatistics::long_bin -
                                        bin_of(row_ptr[i + 1] - row_ptr[i], segment));
    row[i] = static_cast<index_t>(i);
  }
}

/// count[i] = segments of row i, 0 unless it is long.
template <class Offset>
__global__ void segment_counts_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                      index_t* count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    count[i] = length > segment ? static_cast<index_t>((length + segment - 1) / segment) : 0;
  }
}

/// first[i]: before, segments up to and with row i; after, first segment of a long row i.
/// segment_row[s] = row of segment s.
template <class Offset>
__global__ void segment_rows_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                    index_t* first, index_t* segment_row) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    if (length > segment) {
      const auto count = static_cast<index_t>((length + segment - 1) / segment);
      first[i] -= count;
      for (index_t s = 0; s < count; ++s) {
        segment_row[first[i] + s] = static_cast<index_t>(i);
      }
    }
  }
}

/// start[i] = i where row i has other columns than row i - 1, else 0: the inclusive maximum of
/// start[0 .. i] is the first of the equal rows around row i.
static __global__ void equal_starts_kernel(const unsigned char* __restrict__ same, index_t rows,
                                           index_t* start) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    start[i] = same[i] != 0 ? 0 : static_cast<index_t>(i);
  }
}

/// head[i] = 1 where a group begins: every `group_rows` rows from the first of equal rows.
static __global__ void group_heads_kernel(const index_t* equal_start, index_t rows, index_t* head) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    head[i] = (static_cast<index_t>(i) - equal_start[i]) % BalancedPolicy::group_rows == 0 ? 1 : 0;
  }
}

/// first_row[g] = first row of group g, and `rows` after the last; place[i] = groups that begin up
/// to and with row i.
static __global__ void group_rows_kernel(const index_t* __restrict__ place, index_t rows,
                                         index_t* first_row) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows && (i == 0 || place[i] != place[i - 1])) {
    first_row[place[i] - 1] = static_cast<index_t>(i);
  }
  if (i == rows - 1) {
    first_row[place[i]] = rows;
  }
}

/// task_row[t] = first row i with row_ptr[i] + row_cost i >= t task_entries, for t = 0 .. tasks;
/// `rows` for the last.
template <class Offset>
__global__ void task_rows_kernel(const Offset* __restrict__ row_ptr, index_t rows, unsigned tasks,
                                 index_t* task_row) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t > tasks) {
    return;
  }
  const std::int64_t wanted = std::int64_t{t} * BalancedPolicy::task_entries;
  index_t low = 0, high = rows;
  while (low < high && t < tasks) {
    const index_t middle = low + (high - low) / 2;
    if (row_ptr[middle] + std::int64_t{BalancedPolicy::row_cost} * middle < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  task_row[t] = t < tasks ? low : rows;
}

}  // namespace sparserepro::balanced
