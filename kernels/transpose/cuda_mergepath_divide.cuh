// How cuda_mergetrans_mergepath divides a merge of many runs among blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transpose/cuda_mergepath_policy.hpp"
#include "transpose/device_rows.cuh"

namespace sparserepro::mergepath {

struct Tiles {
  unsigned nnz, cols, size;  ///< entries of a tile
};

/// Sorted runs of `length` entries, `ways` of which are merged to one.
struct Runs {
  unsigned length;
  unsigned ways;
  unsigned tiles_per_group;

  __device__ unsigned group_begin(unsigned tile, const Tiles& tiles) const {
    return tile / tiles_per_group * tiles_per_group * tiles.size;
  }
  /// Run j of the group that begins at `group`; [0] begin, [1] end. 64 bits: a product of sizes.
  __device__ uint2 run(unsigned group, unsigned j, const Tiles& tiles) const {
    const std::uint64_t begin = group + std::uint64_t{j} * length;
    const std::uint64_t end = begin + length;
    return {static_cast<unsigned>(min(begin, std::uint64_t{tiles.nnz})),
            static_cast<unsigned>(min(end, std::uint64_t{tiles.nnz}))};
  }
};

/// Where panels of 2^shift columns begin in each run of the next level: starts[group][panel][run].
/// They leave little of a run to be searched.
struct Panels {
  unsigned* starts;
  int shift;
  unsigned count;
  unsigned ways;  ///< runs of a group of the next level

  __device__ unsigned* of_run(unsigned run) const {
    return starts + std::size_t{run / ways} * count * ways + run % ways;
  }
};

/// First entry of [low, high) whose column is not less than `column`.
__device__ __forceinline__ unsigned lower_bound(const unsigned* columns, unsigned low,
                                                unsigned high, unsigned column) {
  while (low < high) {
    const unsigned middle = low + (high - low) / 2;
    if (columns[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// splits[t][j]: where tile t of the merged output begins in run j of its group. A warp per tile
/// bisects the panels, then the columns of one; each lane keeps, for a few runs, the range in which
/// the bisected column may lie. The entries of the column found go to the tile before in the order
/// of the runs.
template <int = 0>
__global__ void divide_runs_kernel(Tiles tiles, Runs runs, Panels panels, const unsigned* columns,
                                   unsigned tile_count, unsigned* splits) {
  constexpr int each = MergepathPolicy::most_ways / 32;  // runs of a lane
  const unsigned tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  if (tile >= tile_count) {
    return;
  }
  const unsigned group = runs.group_begin(tile, tiles);
  const unsigned rank = tile * tiles.size - group;  // entries of the group before the tile
  unsigned begin[each], low[each], high[each], middle[each];
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const unsigned j = lane + 32 * q;
    const uint2 run = j < runs.ways ? runs.run(group, j, tiles) : uint2{0, 0};
    begin[q] = low[q] = run.x;
    high[q] = run.y;
  }
  const unsigned* const panel_starts = panels.of_run(tile / runs.tiles_per_group * runs.ways);
  // Entries of panels (columns) below `least` are at most `rank`, of those below `limit` more.
  const auto bisect = [&](unsigned& least, unsigned& limit, const auto& start_of) {
    while (limit - least > 1) {
      const unsigned probe = least + (limit - least) / 2;
      unsigned below = 0;
#pragma unroll
      for (int q = 0; q < each; ++q) {
        middle[q] = low[q] < high[q] ? start_of(q, probe) : low[q];
        below += middle[q] - begin[q];
      }
      below = __reduce_add_sync(rows::full_warp, below);
      const bool reached = below <= rank;
#pragma unroll
      for (int q = 0; q < each; ++q) {
        low[q] = reached ? middle[q] : low[q];
        high[q] = reached ? high[q] : middle[q];
      }
      (reached ? least : limit) = probe;
    }
  };
  if (rank > 0) {
    unsigned least = 0, limit = panels.count;
    bisect(least, limit, [&](int q, unsigned panel) {
      return panel_starts[std::size_t{panel} * runs.ways + lane + 32 * q];
    });
    least <<= panels.shift;
    limit = min(least + (1U << panels.shift), tiles.cols);
    bisect(least, limit,
           [&](int q, unsigned column) { return lower_bound(columns, low[q], high[q], column); });
  }
  unsigned before = 0;  // entries of columns below the one found, then of earlier runs too
#pragma unroll
  for (int q = 0; q < each; ++q) {
    before += low[q] - begin[q];
  }
  before = __reduce_add_sync(rows::full_warp, before);
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const unsigned equal = high[q] - low[q];
    unsigned inclusive = equal;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
      const unsigned other = __shfl_up_sync(rows::full_warp, inclusive, offset);
      inclusive += static_cast<int>(lane) >= offset ? other : 0;
    }
    const unsigned earlier = before + inclusive - equal;
    const unsigned taken = rank > earlier ? min(rank - earlier, equal) : 0;
    if (lane + 32 * q < runs.ways) {
      splits[std::size_t{tile} * runs.ways + lane + 32 * q] = low[q] + taken;
    }
    before += __shfl_sync(rows::full_warp, inclusive, 31);
  }
}

}  // namespace sparserepro::mergepath
