// Lists that the paths of cuda_csr_balanced read: rows by bin, first rows of groups, segments of
// long rows. Grids have a thread per row unless they say otherwise.
#pragma once

#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/analysis/statistics.cuh"

namespace sparserepro::balanced {

/// Places of the bins in the order of rows.
struct BinPlaces {
  index_t begin[RowStatistics::bins];  ///< -1 in the first: no bins
};

/// order[begin of the bin, ...] = rows of the bin, in no fixed order beyond that of the blocks;
/// first_segment[i] = first segment of a long row i, the only one if `by_block`, segment_row[s] =
/// row of segment s. `taken` counts the places and segments that are given away, and is 0 before.
/// No sum depends on these orders.
template <class Offset>
__global__ void list_rows_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                 bool by_block, BinPlaces places, RowStatistics::Taken* taken,
                                 index_t* order, index_t* first_segment, index_t* segment_row) {
  constexpr int bins = RowStatistics::bins;
  __shared__ unsigned in_block[bins], at[bins];
  if (threadIdx.x < bins) {
    in_block[threadIdx.x] = 0;
  }
  __syncthreads();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const bool on = i < rows;
  const Offset length = on ? row_ptr[i + 1] - row_ptr[i] : 0;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (places.begin[0] >= 0) {
    const int bin = on ? bin_of(length, segment) : -1;
    const unsigned peers = __match_any_sync(~0U, bin);
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    unsigned place = 0;
    if (lane == leader && on) {
      place = atomicAdd(&in_block[bin], static_cast<unsigned>(__popc(peers)));
    }
    place =
        __shfl_sync(~0U, place, leader) + static_cast<unsigned>(__popc(peers & ((1U << lane) - 1)));
    __syncthreads();
    if (threadIdx.x < bins && in_block[threadIdx.x] > 0) {
      at[threadIdx.x] = static_cast<unsigned>(atomicAdd(
          &taken->rows[threadIdx.x], static_cast<unsigned long long>(in_block[threadIdx.x])));
    }
    __syncthreads();
    if (on) {
      order[static_cast<unsigned>(places.begin[bin]) + at[bin] + place] = static_cast<index_t>(i);
    }
  }
  unsigned long_ones = __ballot_sync(~0U, length > segment);
  for (; long_ones != 0; long_ones &= long_ones - 1) {
    const int which = __ffs(static_cast<int>(long_ones)) - 1;
    const auto count =
        by_block ? 1U
                 : static_cast<unsigned>((__shfl_sync(~0U, length, which) + segment - 1) / segment);
    unsigned first = 0;
    if (lane == which) {
      first = static_cast<unsigned>(
          atomicAdd(&taken->segments, static_cast<unsigned long long>(count)));
      first_segment[i] = static_cast<index_t>(first);
    }
    first = __shfl_sync(~0U, first, which);
    for (unsigned s = static_cast<unsigned>(lane); s < count; s += 32) {
      segment_row[first + s] = static_cast<index_t>(i - lane + which);
    }
  }
}

/// same[i] = 1 where row i has the columns of the row before in the same order and is not long; 0
/// every `span` rows, so that no search for the first of equal rows goes farther. A team of
/// `pattern_lanes` lanes a row.
template <class Offset>
__global__ void same_rows_kernel(CsrView<Offset, double> a, int segment, unsigned char* same) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / pattern_lanes;
  if (i >= a.rows) {
    return;
  }
  const Offset begin = a.row_ptr[i];
  const Offset length = a.row_ptr[i + 1] - begin;
  const bool equal = i % BalancedPolicy::group_span != 0 && length <= segment &&
                     begin - a.row_ptr[i - 1] == length &&
                     repeats_row_before(a.col_idx + begin, length, pattern_team());
  if (threadIdx.x % pattern_lanes == 0) {
    same[i] = equal ? 1 : 0;
  }
}

/// Whether a group begins at row i: every `group_rows` rows from the first of equal rows.
struct BeginsGroup {
  const unsigned char* same;
  int group_rows;
  __device__ bool operator()(index_t i) const {
    int back = 0;
    while (same[i - back] != 0) {
      ++back;
    }
    return back % group_rows == 0;
  }
};

/// first_row[groups] = rows; one thread.
static __global__ void end_groups_kernel(const index_t* groups, index_t rows, index_t* first_row) {
  first_row[*groups] = rows;
}

}  // namespace sparserepro::balanced
