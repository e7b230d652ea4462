// First kernel of cuda_partition: the row in which each tile begins, and whether A is a narrow
// band.
//
// A band is narrow when no column is farther from its row than a reach that the host chooses, and a
// tile holds the rows that reach a bucket. One row of a block is looked at first: in a matrix that
// is no band nearly every block finds one that reaches too far, and is done. Else all columns are
// read, half a warp for 16 rows.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"

namespace sparserepro::partition {

/// Threads of a block that looks at rows, and rows of a thread, row_threads apart: by ncu 3M rows
/// take 10 us, 21 with one row of a thread.
inline constexpr int row_threads = 512, rows_each = 4;
inline constexpr unsigned block_rows = row_threads * rows_each;

/// Finds row_at: sets it for the tiles that begin in the rows of the block.
template <int tile_entries>
__device__ __forceinline__ void find_row_at(const TiledMatrix& a) {
  const unsigned row = blockIdx.x * block_rows + threadIdx.x;
  uint2 entries[rows_each];
#pragma unroll
  for (int k = 0; k < rows_each; ++k) {
    const unsigned r = row + k * row_threads;
    entries[k] = r < a.rows ? uint2{a.row_ptr[r], a.row_ptr[r + std::size_t{1}]} : uint2{0, 0};
  }
#pragma unroll
  for (int k = 0; k < rows_each; ++k) {
    const unsigned begin = entries[k].x, end = entries[k].y;
    if (begin < end) {
      for (unsigned t = ceil_div(begin, tile_entries); t * tile_entries < end; ++t) {
        a.row_at[t] = row + k * row_threads;
      }
      if (end == a.nnz) {
        a.row_at[(end - 1) / tile_entries + 1] = row + k * row_threads;
      }
    }
  }
}

/// The rows that reach the columns of a bucket of a band.
__device__ __forceinline__ uint2 rows_of_band(const TiledMatrix& a, unsigned bucket) {
  const unsigned column = bucket * a.band.buckets.width;
  const unsigned end = min(column + a.band.buckets.width + a.band.reach, a.rows);
  return {min(max(column, a.band.reach) - a.band.reach, end), end};
}

/// Whether the block's first row reaches too far, or others have found one that does. One thread
/// asks, and of the others only when it must: the answers of all blocks to one address queue up.
__device__ __forceinline__ bool far_at_first(const TiledMatrix& a, const PassState& state) {
  const unsigned row = blockIdx.x * block_rows;
  const unsigned begin = a.row_ptr[row], end = a.row_ptr[row + std::size_t{1}];
  const auto beyond = [&](unsigned i) {
    return a.col_idx[i] + a.band.reach - row > 2 * a.band.reach;
  };
  return (begin < end && (beyond(begin) || beyond(end - 1))) ||
         *static_cast<const volatile unsigned*>(&state.band_far) != 0;
}

/// Whether the thread finds an entry beyond what all of 16 rows reach. Half a warp calls it for
/// them; `row` is that of the thread.
__device__ __forceinline__ bool finds_far(const TiledMatrix& a, unsigned row) {
  constexpr unsigned group = BandPolicy::rows_at_once;
  constexpr int ahead = 14;
  const unsigned lane = threadIdx.x % group, first_row = row - lane;
  const unsigned low = max(first_row + (group - 1), a.band.reach) - a.band.reach;
  const unsigned high = first_row + a.band.reach;
  const unsigned begin = a.row_ptr[min(first_row, a.rows)];
  const unsigned end = a.row_ptr[min(first_row + group, a.rows)];
  bool far = false;
  for (unsigned i = begin + lane; i < end && !far; i += group * ahead) {
    unsigned column[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      column[k] = i + group * k < end ? a.col_idx[i + group * k] : low;
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      far = far || column[k] < low || column[k] > high;
    }
  }
  return far;
}

/// Every thread of the grid calls it.
__device__ __forceinline__ void look_for_band(const TiledMatrix& a, unsigned tile_entries,
                                              PassState& state) {
  bool far = threadIdx.x == 0 && far_at_first(a, state);
  if (__syncthreads_or(far) == 0) {
#pragma unroll 1
    for (int k = 0; k < rows_each && !far; ++k) {
      far = finds_far(a, blockIdx.x * block_rows + k * row_threads + threadIdx.x);
    }
    for (unsigned b = blockIdx.x * row_threads + threadIdx.x; b < a.band.buckets.count;
         b += gridDim.x * row_threads) {
      const uint2 rows = rows_of_band(a, b);
      far = far || a.row_ptr[rows.y] - a.row_ptr[rows.x] > tile_entries;
    }
  }
  if (far) {
    state.band_far = 1;
  }
}

template <int tile_entries>
__global__ void __launch_bounds__(row_threads) find_rows_kernel(TiledMatrix a, PassState* state) {
  let_next_grid_launch();
  wait_for_previous_grid();
  find_row_at<tile_entries>(a);
  if (a.band.buckets.count > 0) {
    look_for_band(a, tile_entries, *state);
  }
}

}  // namespace sparserepro::partition
