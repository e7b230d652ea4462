// The tiles of cuda_partition, and which row or run each entry of a tile belongs to.
#pragma once

#include "transpose/cuda_partition/block.cuh"

namespace sparserepro::partition {

/// How a matrix is transposed, where that is found out on the device.
enum class Way : unsigned { one_level, band, two_levels };

/// For kernels of one way: whether it is another's turn.
struct Gate {
  const unsigned* way = nullptr;  ///< null: there is no other
  Way own = Way::one_level;

  __device__ bool closed() const { return way != nullptr && *way != static_cast<unsigned>(own); }
};

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
  unsigned wave;  ///< tiles that are worked on at once
  /// [nnz / tile_entries + 2] the row of each entry k * tile_entries, at last that of the last one.
  unsigned* row_at;
  Gate gate = {};
};

/// Number of tiles: with s_g the first entry of group g, the group has the tiles
/// floor(s_g / tile_entries) + g .. floor(s_(g+1) / tile_entries) + g, some of them empty.
constexpr std::size_t tile_count(std::size_t nnz, std::size_t groups, std::size_t tile_entries) {
  return nnz / tile_entries + groups;
}

struct Tile {
  unsigned group;
  unsigned index;  ///< it ends at most at tile_entries (index + 1)
  unsigned begin, end;
};

/// The whole warp searches, each step cuts the range to a 32nd.
template <int tile_entries>
__device__ __forceinline__ Tile tile_at(const TiledMatrix& a, unsigned t) {
  const auto first = [&](unsigned g) {
    return g == 0 ? 0 : g == a.groups ? a.nnz : a.row_ptr[std::size_t{g} << a.group_bits];
  };
  unsigned low = 0, high = a.groups;  // the first tile of `low` is at most t, that of `high` beyond
  while (high - low > 1) {
    const unsigned stride = (high - low + 31) / 32;
    const unsigned probe = low + threadIdx.x % 32 * stride;
    const unsigned begins =
        __ballot_sync(full_warp, probe < high && first(probe) / tile_entries + probe <= t);
    low += (31 - __clz(begins)) * stride;  // the probe at `low` is always among them
    high = min(low + stride, high);
  }
  const unsigned begin = (t - low) * tile_entries;
  return {low, t - low, max(begin, first(low)), min(begin + tile_entries, first(low + 1))};
}

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

template <int tile_entries>
__global__ void __launch_bounds__(row_threads) row_at_kernel(TiledMatrix a) {
  follow_previous_kernel();
  if (!a.gate.closed()) {
    find_row_at<tile_entries>(a);
  }
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
