// The tiles of cuda_partition, and which row or run each entry of a tile belongs to.
#pragma once

#include "transpose/cuda_partition_block.cuh"

namespace sparserepro::partition {

/// A in tiles of consecutive entries. Rows are counted within groups of 2^group_bits, so that row
/// and column within the bucket always fit 32 bits; a tile ends where a group does.
struct TiledMatrix {
  AnyPointers row_ptr;
  const unsigned* col_idx;
  unsigned rows, nnz;
  unsigned tiles;
  unsigned groups;
  int group_bits;
  ColumnBuckets buckets;
};

/// Number of tiles: with s_g the first entry of group g, the group has the tiles
/// floor(s_g / tile_entries) + g .. floor(s_(g+1) / tile_entries) + g, some of them empty.
constexpr std::size_t tile_count(std::size_t nnz, std::size_t groups) {
  return nnz / tile_entries + groups;
}

struct Tile {
  unsigned group;
  unsigned begin, end;
};

__device__ __forceinline__ Tile tile_at(const TiledMatrix& a, unsigned t) {
  const auto first = [&](unsigned g) {
    return g == 0 ? 0 : g == a.groups ? a.nnz : a.row_ptr[std::size_t{g} << a.group_bits];
  };
  unsigned low = 0, high = a.groups;  // the first tile of `low` is at most t, that of `high` beyond
  while (high - low > 1) {
    const unsigned middle = low + (high - low) / 2;
    (first(middle) / tile_entries + middle <= t ? low : high) = middle;
  }
  const unsigned begin = (t - low) * tile_entries;
  return {low, max(begin, first(low)), min(begin + tile_entries, first(low + 1))};
}

/// The row in [low, high) that holds entry `position`, by a search of the whole warp: each step
/// cuts the range to a 32nd, so that few loads wait for each other.
__device__ __forceinline__ unsigned row_of_position(AnyPointers row_ptr, unsigned low,
                                                    unsigned high, unsigned position) {
  while (high - low > 1) {  // row_ptr[low] <= position < row_ptr[high]
    const unsigned stride = (high - low + 31) / 32;
    const unsigned probe = low + (threadIdx.x % 32) * stride;
    const unsigned below = __ballot_sync(full_warp, probe < high && row_ptr[probe] <= position);
    low += (31 - __clz(below)) * stride;  // the probe at `low` is always among them
    high = min(low + stride, high);
  }
  return low;
}

/// Consecutive entries of a tile belong to stretches (rows, or runs of a bucket). `marks[i]` holds
/// what stands for its stretch where one begins and at every 32nd entry, else `unmarked`.
inline constexpr unsigned unmarked = ~0U;

/// Marks the stretch [begin, end) of each lane; the whole warp calls it.
__device__ __forceinline__ void mark_stretches(unsigned* marks, unsigned begin, unsigned end,
                                               unsigned what) {
  constexpr unsigned alone = 8 * 32;  // longer ones are marked by all lanes together
  if (begin < end) {
    marks[begin] = what;
    const unsigned stop = end - begin > alone ? begin : end;
    for (unsigned i = begin / 32 * 32 + 32; i < stop; i += 32) {
      marks[i] = what;
    }
  }
  unsigned rest = __ballot_sync(full_warp, begin < end && end - begin > alone);
  for (; rest != 0; rest &= rest - 1) {
    const int lane = __ffs(rest) - 1;
    const unsigned from = __shfl_sync(full_warp, begin, lane);
    const unsigned to = __shfl_sync(full_warp, end, lane);
    const unsigned all = __shfl_sync(full_warp, what, lane);
    for (unsigned i = (from / 32 + 1 + threadIdx.x % 32) * 32; i < to; i += 32 * 32) {
      marks[i] = all;
    }
  }
}

/// What stands for the stretch of each lane's entry, of 32 from a multiple of 32 on, where the
/// lanes hold the marks. The whole warp calls it.
__device__ __forceinline__ unsigned stretch_of(unsigned mark) {
  const unsigned begins = __ballot_sync(full_warp, mark != unmarked);
  return __shfl_sync(full_warp, mark, 31 - __clz(begins & (full_warp >> (31 - threadIdx.x % 32))));
}

}  // namespace sparserepro::partition
