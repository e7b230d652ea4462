// First kernel of cuda_partition: the row in which each tile begins, and whether A is a narrow
// band, whose entries are then also counted by bucket of columns.
//
// A band is narrow when no column is farther from its row than a reach that the host chooses. One
// row of a block is looked at first: in a matrix that is no band nearly every block finds one that
// reaches too far, and is done. Else all columns are read, half a warp for 16 rows.
#pragma once

#include "transpose/cuda_partition/band/policy.hpp"
#include "transpose/cuda_partition/tiles.cuh"

namespace sparserepro::partition {

/// Threads of a block that looks at rows, and rows of a thread, one from each stretch of
/// row_threads rows of the block's: the more are asked for at once, the fewer blocks wait in turn.
/// By ncu 3M rows take 10 us, 21 with one row of a thread; 4M 10, and 16.
inline constexpr int row_threads = 512, rows_each = 4;
inline constexpr unsigned block_rows = row_threads * rows_each;

/// Entries of a row, none where there is no such row.
__device__ __forceinline__ uint2 row_entries(const TiledMatrix& a, unsigned r) {
  if (r >= a.rows) {
    return {0, 0};
  }
  return {a.row_ptr[r], a.row_ptr[r + std::size_t{1}]};
}

/// Finds row_at: sets it for the tiles that begin in the rows of the block.
template <int tile_entries>
__device__ __forceinline__ void find_row_at(const TiledMatrix& a) {
  const unsigned row = blockIdx.x * block_rows + threadIdx.x;
  uint2 entries[rows_each];
#pragma unroll
  for (int k = 0; k < rows_each; ++k) {
    entries[k] = row_entries(a, row + k * row_threads);
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

/// The look for a narrow band: its buckets and its answer. No look without `state`.
struct Band {
  ColumnBuckets buckets;
  unsigned reach = 0;  ///< at most half a bucket
  unsigned cols = 0;
  /// [buckets] where each begins in A^T if A is a narrow band; 0 before.
  unsigned* begins = nullptr;
  PassState* state = nullptr;

  __device__ bool is_narrow() const {
    return state != nullptr && state->way == static_cast<unsigned>(Way::band);
  }

  /// Keeps the answer, and makes ready for the next time unless it is a band. All threads of a grid
  /// call it.
  __device__ void answer() const {
    if (state == nullptr) {
      return;
    }
    const bool is = is_narrow();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      state->band_was_narrow = is ? 1 : 0;
      state->band_blocks_done = 0;
      state->band_far = 0;
    }
    if (!is) {
      forget(blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
    }
  }
  /// From bucket `first` in steps.
  __device__ void forget(unsigned first, unsigned step) const {
    for (unsigned b = first; b < buckets.count; b += step) {
      begins[b] = 0;
    }
  }

  /// The rows that reach a bucket's columns.
  __device__ uint2 rows_of(unsigned bucket, unsigned rows) const {
    const unsigned column = bucket * buckets.width;
    const unsigned end = min(column + buckets.width + reach, rows);
    return {min(max(column, reach) - reach, end), end};
  }
};

/// Sums the entries of the buckets; A is a band if a tile holds the rows of each. One block.
__device__ __forceinline__ void begin_buckets(const TiledMatrix& a, const Band& band,
                                              unsigned tile_entries) {
  __shared__ unsigned warp_sums[row_threads / 32];
  const unsigned each = ceil_div(band.buckets.count, row_threads);
  const unsigned first = min(threadIdx.x * each, band.buckets.count);
  const unsigned last = min(first + each, band.buckets.count);
  unsigned sum = 0;
  bool fits = true;
  for (unsigned b = first; b < last; ++b) {
    const uint2 rows = band.rows_of(b, a.rows);
    fits = fits && a.row_ptr[rows.y] - a.row_ptr[rows.x] <= tile_entries;
    sum += band.begins[b];
  }
  unsigned total;
  unsigned running = block_exclusive_sum<row_threads>(sum, warp_sums, total);
  for (unsigned b = first; b < last; ++b) {
    const unsigned count = band.begins[b];
    band.begins[b] = running;
    running += count;
  }
  if (__syncthreads_and(fits) != 0 && threadIdx.x == 0) {
    band.state->way = static_cast<unsigned>(Way::band);
  }
}

/// Whether a row of the block's first that has entries reaches too far, or others have found one
/// that does. One thread asks, and of the others only when it must: the answers of all blocks to
/// one address queue up.
__device__ __forceinline__ bool far_at_first(const TiledMatrix& a, const Band& band, unsigned row,
                                             uint2 entries) {
  if (threadIdx.x >= 32) {
    return false;
  }
  const unsigned filled = __ballot_sync(full_warp, entries.x < entries.y);
  if (threadIdx.x != (filled == 0 ? 0 : __ffs(filled) - 1)) {
    return false;
  }
  const auto beyond = [&](unsigned i) { return a.col_idx[i] + band.reach - row > 2 * band.reach; };
  return (filled != 0 && (beyond(entries.x) || beyond(entries.y - 1))) ||
         *static_cast<volatile unsigned*>(&band.state->band_far) != 0;
}

/// Counts the entries of rows, one of each thread, by bucket; returns whether some is beyond the
/// reach. Whole warps call it.
__device__ __forceinline__ bool count_band(const TiledMatrix& a, const Band& band, unsigned row) {
  const uint2 entries = row_entries(a, row);
  const unsigned begin = entries.x, end = entries.y;
  constexpr unsigned group = BandPolicy::rows_at_once;
  bool far = false;
  // The columns that every row of a group may reach lie in two buckets.
  const unsigned lane = threadIdx.x % group;
  const unsigned first_row = row - lane;
  const unsigned low = max(first_row + (group - 1), band.reach) - band.reach;
  const unsigned high = first_row + band.reach;
  const unsigned bucket = bucket_of(low, band.buckets);
  const unsigned next_bucket = (bucket + 1) * band.buckets.width;
  const unsigned first = __shfl_sync(full_warp, begin, 0, group);
  unsigned last = end;
#pragma unroll
  for (int offset = group / 2; offset > 0; offset /= 2) {
    last = max(last, __shfl_xor_sync(full_warp, last, offset, group));
  }
  constexpr int ahead = 14;
  unsigned later = 0;
  for (unsigned i = first + lane; i < last && !far; i += group * ahead) {
    unsigned column[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      column[k] = i + group * k < last ? a.col_idx[i + group * k] : low;
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      far = far || column[k] < low || column[k] > high;
      later += i + group * k < last && column[k] >= next_bucket ? 1 : 0;
    }
  }
#pragma unroll
  for (int offset = group / 2; offset > 0; offset /= 2) {
    later += __shfl_xor_sync(full_warp, later, offset, group);
  }
  if (lane == 0 && first < last && !far) {
    atomicAdd(band.begins + bucket, last - first - later);
    if (later > 0) {
      atomicAdd(band.begins + bucket + 1, later);
    }
  }
  return far;
}

/// Every thread of a block calls it.
__device__ __forceinline__ void look_for_band(const TiledMatrix& a, const Band& band,
                                              unsigned tile_entries) {
  const unsigned row = blockIdx.x * block_rows + threadIdx.x;
  bool far = far_at_first(a, band, row, row_entries(a, row));
  if (__syncthreads_or(far) != 0) {
    if (threadIdx.x == 0) {
      band.state->band_far = 1;
    }
    return;
  }
#pragma unroll 1
  for (int k = 0; k < rows_each && !far; ++k) {
    far = count_band(a, band, row + k * row_threads);
    far = __any_sync(full_warp, far);
  }
  if (far) {
    band.state->band_far = 1;
  }
  if (is_last_block(&band.state->band_blocks_done) &&
      *static_cast<volatile unsigned*>(&band.state->band_far) == 0) {
    begin_buckets(a, band, tile_entries);
  }
}

template <int tile_entries>
__global__ void __launch_bounds__(row_threads) find_rows_kernel(TiledMatrix a, Band band) {
  follow_previous_kernel();
  if (a.gate.closed()) {
    return;
  }
  find_row_at<tile_entries>(a);
  if (band.state != nullptr) {
    look_for_band(a, band, tile_entries);
  }
}

}  // namespace sparserepro::partition
