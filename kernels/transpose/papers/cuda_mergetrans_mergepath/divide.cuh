// Division of a merge of many runs among blocks, for cuda_mergetrans_mergepath.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/entry_rows.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/policy.hpp"

namespace sparserepro::mergepath {

/// Sizes of A, and of the tiles of merged output.
struct Tiles {
  unsigned nnz, cols, size;  ///< entries of a tile of merged output
};

/// Sorted runs of `length` entries. A group of `ways` runs is merged to one.
struct Runs {
  unsigned length;
  unsigned ways;
  unsigned tiles_per_group;

  __device__ unsigned group_begin(unsigned tile, const Tiles& tiles) const {
    return tile / tiles_per_group * tiles_per_group * tiles.size;
  }
  /// Begin (x) and end (y) of run j of the group that begins at entry `group`. The product needs 64
  /// bits.
  __device__ uint2 run(unsigned group, unsigned j, const Tiles& tiles) const {
    const std::uint64_t begin = group + std::uint64_t{j} * length;
    const std::uint64_t end = begin + length;
    return {static_cast<unsigned>(min(begin, std::uint64_t{tiles.nnz})),
            static_cast<unsigned>(min(end, std::uint64_t{tiles.nnz}))};
  }
};

/// Positions where panels of 2^shift columns begin in each run of the next level:
/// starts[group][panel][run]. They shorten the searches in the runs.
struct Panels {
  unsigned* starts;
  int shift;
  unsigned count;
  unsigned ways;  ///< runs of a group of the next level

  __device__ unsigned* of_run(unsigned run) const {
    return starts + std::size_t{run / ways} * count * ways + run % ways;
  }
};

/// first[q] = first entry of [low[q], high[q]) with a column >= `column`. The searches advance
/// together, so that their loads overlap.
template <int each>
__device__ __forceinline__ void lower_bounds(const unsigned* columns, const unsigned (&low)[each],
                                             const unsigned (&high)[each], unsigned column,
                                             unsigned (&first)[each]) {
  unsigned limit[each];
  bool open = false;
#pragma unroll
  for (int q = 0; q < each; ++q) {
    first[q] = low[q];
    limit[q] = high[q];
    open |= low[q] < high[q];
  }
  while (open) {
    unsigned found[each];
#pragma unroll
    for (int q = 0; q < each; ++q) {
      found[q] = first[q] < limit[q] ? columns[first[q] + (limit[q] - first[q]) / 2] : 0;
    }
    open = false;
#pragma unroll
    for (int q = 0; q < each; ++q) {
      const unsigned middle = first[q] + (limit[q] - first[q]) / 2;
      if (first[q] < limit[q]) {
        first[q] = found[q] < column ? middle + 1 : first[q];
        limit[q] = found[q] < column ? limit[q] : middle;
        open |= first[q] < limit[q];
      }
    }
  }
}

/// Sums over the threads of a block of divide_runs_kernel, with one barrier each.
class DivideSums {
 public:
  static constexpr unsigned warps = MergepathPolicy::divide_threads / 32;
  using Cells = unsigned[2][warps];

  __device__ explicit DivideSums(Cells& cells) : cells_(cells) {}

  /// Returns the sum of `value` over the block; `ahead` = sum over the warps before this one.
  __device__ unsigned operator()(unsigned value, unsigned& ahead) {
    value = __reduce_add_sync(full_warp, value);
    unsigned* const cell = cells_[turn_];
    turn_ ^= 1;  // the next sum writes other cells: threads may still read these after the barrier
    if (threadIdx.x % 32 == 0) {
      cell[threadIdx.x / 32] = value;
    }
    __syncthreads();
    unsigned sum = 0;
    ahead = 0;
#pragma unroll
    for (unsigned w = 0; w < warps; ++w) {
      ahead += w < threadIdx.x / 32 ? cell[w] : 0;
      sum += cell[w];
    }
    return sum;
  }

 private:
  Cells& cells_;
  unsigned turn_ = 0;
};

/// Numbers of entries in equal ranges (bins) of the columns of a panel.
struct Bins {
  unsigned count[1 << MergepathPolicy::bin_bits];
  unsigned found;

  __device__ static constexpr unsigned size() { return 1U << MergepathPolicy::bin_bits; }

  /// Sets `found` to the bin with entry number `rank` of the panel. All threads of the block call
  /// it.
  __device__ __forceinline__ void find(unsigned rank, DivideSums& sum_of) {
    constexpr unsigned each = size() / MergepathPolicy::divide_threads;
    const unsigned* const own = count + threadIdx.x * each;
    unsigned sum = 0, ahead = 0;
#pragma unroll
    for (unsigned b = 0; b < each; ++b) {
      sum += own[b];
    }
    const unsigned inclusive = warp_inclusive_sum(sum);
    sum_of(sum, ahead);
    unsigned before = ahead + inclusive - sum;
    if (before <= rank && rank < before + sum) {
      unsigned b = 0;
      while (before + own[b] <= rank) {
        before += own[b++];
      }
      found = threadIdx.x * each + b;
    }
    __syncthreads();
  }
};

/// splits[t][j] = entry of run j at which tile t of the merged output begins; first[t] = column of
/// the first entry of tile t, unless t is the first of its group. Block t bisects the panels, then
/// the columns of one panel. Each thread keeps, for `each` runs, the range of entries in which the
/// column may begin. Equal columns are in the order of the runs.
template <int each>
__global__ void __launch_bounds__(MergepathPolicy::divide_threads)
    divide_runs_kernel(Tiles tiles, Runs runs, Panels panels, const unsigned* columns,
                       unsigned* splits, unsigned* first) {
  constexpr unsigned threads = MergepathPolicy::divide_threads;
  __shared__ DivideSums::Cells cells;
  __shared__ unsigned of_column[each * threads];
  __shared__ Bins bins;
  DivideSums sum_of(cells);
  const unsigned tile = blockIdx.x, own = threadIdx.x;
  const unsigned group = runs.group_begin(tile, tiles);
  const unsigned rank = tile * tiles.size - group;  // entries of the group before the tile
  unsigned begin[each], low[each], high[each], middle[each], ahead;
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const unsigned j = own + threads * q;
    const uint2 run = j < runs.ways ? runs.run(group, j, tiles) : uint2{0, 0};
    begin[q] = low[q] = run.x;
    high[q] = run.y;
  }
  const unsigned* const panel_starts = panels.of_run(tile / runs.tiles_per_group * runs.ways) + own;
  // Invariant: at most `rank` entries have panels (columns) < least, more have panels < limit.
  const auto bisect = [&](unsigned& least, unsigned& limit, const auto& find_starts) {
    while (limit - least > 1) {
      const unsigned probe = least + (limit - least) / 2;
      find_starts(probe);
      unsigned below = 0;
#pragma unroll
      for (int q = 0; q < each; ++q) {
        below += middle[q] - begin[q];
      }
      const bool reached = sum_of(below, ahead) <= rank;
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
    bisect(least, limit, [&](unsigned panel) {
#pragma unroll
      for (int q = 0; q < each; ++q) {
        middle[q] =
            low[q] < high[q] ? panel_starts[std::size_t{panel} * runs.ways + threads * q] : low[q];
      }
    });
    least <<= panels.shift;
    limit = min(least + (1U << panels.shift), tiles.cols);
    unsigned below = 0, longest = 0;
#pragma unroll
    for (int q = 0; q < each; ++q) {
      below += low[q] - begin[q];
      longest = max(longest, high[q] - low[q]);
    }
    below = sum_of(below, ahead);
    if (limit - least > 1 && !__syncthreads_or(longest > MergepathPolicy::most_listed)) {
      const int shift = max(0, panels.shift - MergepathPolicy::bin_bits);
      for (unsigned b = own; b < bins.size(); b += threads) {
        bins.count[b] = 0;
      }
      __syncthreads();
      bool open = true;
      for (unsigned i = 0; open; ++i) {
        open = false;
        unsigned column[each];
#pragma unroll
        for (int q = 0; q < each; ++q) {
          column[q] = low[q] + i < high[q] ? columns[low[q] + i] : least;
        }
#pragma unroll
        for (int q = 0; q < each; ++q) {
          if (low[q] + i < high[q]) {
            atomicAdd(bins.count + ((column[q] - least) >> shift), 1U);
            open = true;
          }
        }
      }
      __syncthreads();
      bins.find(rank - below, sum_of);
      least += bins.found << shift;
      limit = min(least + (1U << shift), limit);
      lower_bounds(columns, low, high, least, middle);
#pragma unroll
      for (int q = 0; q < each; ++q) {
        low[q] = middle[q];
      }
      lower_bounds(columns, low, high, limit, middle);
#pragma unroll
      for (int q = 0; q < each; ++q) {
        high[q] = middle[q];
      }
    }
    bisect(least, limit,
           [&](unsigned column) { lower_bounds(columns, low, high, column, middle); });
    if (own == 0) {
      first[tile] = least;
    }
  }
  unsigned below = 0;
#pragma unroll
  for (int q = 0; q < each; ++q) {
    below += low[q] - begin[q];
    of_column[own + threads * q] = high[q] - low[q];
  }
  below = sum_of(below, ahead);
  // Entries of the column by run; a thread takes `each` consecutive runs.
  unsigned equal = 0;
#pragma unroll
  for (int q = 0; q < each; ++q) {
    equal += of_column[own * each + q];
  }
  const unsigned inclusive = warp_inclusive_sum(equal);
  sum_of(equal, ahead);
  unsigned earlier = below + ahead + inclusive - equal;
#pragma unroll
  for (int q = 0; q < each; ++q) {
    unsigned& held = of_column[own * each + q];
    const unsigned taken = rank > earlier ? min(rank - earlier, held) : 0;
    earlier += held;
    held = taken;
  }
  __syncthreads();
#pragma unroll
  for (int q = 0; q < each; ++q) {
    if (own + threads * q < runs.ways) {
      splits[std::size_t{tile} * runs.ways + own + threads * q] =
          low[q] + of_column[own + threads * q];
    }
  }
}

}  // namespace sparserepro::mergepath
