// The three kernels of cuda_mergetrans_mergepath: sort tiles, divide runs, merge runs.
#pragma once

#include "transpose/cuda_mergepath_block.cuh"

namespace sparserepro::mergepath {

/// Entries by column; `columns` of the last level stay unwritten.
template <class Value>
struct Entries {
  unsigned* columns;
  unsigned* rows;
  Value* values;
};

struct Tiles {
  unsigned nnz, cols, size;  ///< entries of a tile
  int slot_bits;
};

/// Shared memory of a tile: words, then a stage for rows and values.
template <class Word, class Value>
constexpr std::size_t tile_bytes(std::size_t tile) {
  const std::size_t stage = value_bytes<Value> > 4 ? value_bytes<Value> : 4;
  return (tile * sizeof(Word) + 7) / 8 * 8 + tile * stage;
}

template <class Word>
__device__ __forceinline__ void* stage_of(Word* words, unsigned tile) {
  return reinterpret_cast<char*>(words) + (tile * sizeof(Word) + 7) / 8 * 8;
}

/// Writes the sorted tile: columns unless `last`, rows, which the stage holds by slot, and values,
/// which `load` reads to the stage by slot.
template <bool last, class Word, class Value, class Load>
__device__ __forceinline__ void write_tile(const Words<Word>& words, void* stage, unsigned begin,
                                           unsigned count, const Entries<Value>& to,
                                           const Load& load) {
  const auto* const staged_rows = static_cast<const unsigned*>(stage);
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    if (!last) {
      to.columns[begin + i] = words.column(i);
    }
    to.rows[begin + i] = staged_rows[words.slot(i)];
  }
  if constexpr (has_values<Value>) {
    auto* const staged_values = static_cast<Value*>(stage);
    __syncthreads();
    load(staged_values);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
      to.values[begin + i] = staged_values[words.slot(i)];
    }
  }
}

/// Each block sorts a tile of A's entries by column.
template <bool last, class Word, class Value>
__global__ void __launch_bounds__(MergepathPolicy::largest_block)
    sort_tiles_kernel(Tiles tiles, rows::Pointers row_ptr, unsigned rows, const unsigned* col_idx,
                      const Value* values, Entries<Value> to, OutPointers pointers) {
  extern __shared__ std::uint64_t shared[];
  const Words<Word> words{reinterpret_cast<Word*>(shared), tiles.slot_bits};
  void* const stage = stage_of(words.data, tiles.size);
  const unsigned begin = blockIdx.x * tiles.size;
  const unsigned count = min(tiles.size, tiles.nnz - begin);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = k * blockDim.x + threadIdx.x;
    if (i < count) {
      words.data[i] = Words<Word>::make(__ldcs(col_idx + begin + i), i, tiles.slot_bits);
    }
  }
  const unsigned warp_begin = min(threadIdx.x / 32 * 32 * items, count);
  rows::rows_of(row_ptr, rows, begin + warp_begin, min(32U * items, count - warp_begin),
                static_cast<unsigned*>(stage) + warp_begin);
  __syncthreads();
  Word own[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = threadIdx.x * items + k;
    own[k] = i < count ? words.data[i] : no_word<Word>;
  }
  sort_items(own);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = threadIdx.x * items + k;
    if (i < count) {
      words.data[i] = own[k];
    }
  }
  __syncthreads();
  merge_lists(words.data, EqualLists{count}, (count + items - 1) / items, threadIdx.x, count);
  if (last) {  // the only tile
    write_pointers(words, begin, count, tiles.nnz, tiles.cols, -1, pointers);
  }
  write_tile<last>(words, stage, begin, count, to, [&](Value* staged) {
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
      staged[i] = values[begin + i];
    }
  });
}

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
/// bisects the columns; each lane keeps, for two runs, the range in which the bisected column may
/// lie. The entries of the column found go to the tile before in the order of the runs.
template <int = 0>
__global__ void divide_runs_kernel(Tiles tiles, Runs runs, const unsigned* columns,
                                   unsigned tile_count, unsigned* splits) {
  const unsigned tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  if (tile >= tile_count) {
    return;
  }
  const unsigned group = runs.group_begin(tile, tiles);
  const unsigned rank = tile * tiles.size - group;  // entries of the group before the tile
  unsigned begin[2], low[2], high[2], middle[2];
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const unsigned j = lane + 32 * q;
    const uint2 run = j < runs.ways ? runs.run(group, j, tiles) : uint2{0, 0};
    begin[q] = low[q] = run.x;
    high[q] = run.y;
  }
  // Entries of columns below `least` are at most `rank`, of columns below `limit` more.
  unsigned least = 0, limit = tiles.cols;
  while (limit - least > 1 && rank > 0) {
    const unsigned column = least + (limit - least) / 2;
    unsigned below = 0;
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      middle[q] = lower_bound(columns, low[q], high[q], column);
      below += middle[q] - begin[q];
    }
    below = __reduce_add_sync(rows::full_warp, below);
    const bool reached = below <= rank;
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      low[q] = reached ? middle[q] : low[q];
      high[q] = reached ? high[q] : middle[q];
    }
    (reached ? least : limit) = column;
  }
  unsigned before = __reduce_add_sync(rows::full_warp, low[0] - begin[0] + low[1] - begin[1]);
#pragma unroll
  for (int q = 0; q < 2; ++q) {
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

/// Each block merges its part of the runs of a group.
template <bool last, class Word, class Value>
__global__ void __launch_bounds__(MergepathPolicy::largest_block)
    merge_runs_kernel(Tiles tiles, Runs runs, const unsigned* splits, Entries<Value> from,
                      Entries<Value> to, OutPointers pointers) {
  extern __shared__ std::uint64_t shared[];
  __shared__ unsigned starts[MergepathPolicy::most_ways + 1];  // first slot of each run's part
  __shared__ unsigned sources[MergepathPolicy::most_ways];     // first entry less first slot
  __shared__ int before;
  const Words<Word> words{reinterpret_cast<Word*>(shared), tiles.slot_bits};
  void* const stage = stage_of(words.data, tiles.size);
  const unsigned tile = blockIdx.x, begin = tile * tiles.size;
  const unsigned group = runs.group_begin(tile, tiles);
  if (threadIdx.x == 0) {
    before = -1;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    const bool ends_group =
        begin + std::uint64_t{tiles.size} >= tiles.nnz || (tile + 1) % runs.tiles_per_group == 0;
    unsigned sum = 0;
    for (unsigned j = threadIdx.x; j - threadIdx.x < runs.ways; j += 32) {
      const std::size_t at = std::size_t{tile} * runs.ways + j;
      const uint2 run = runs.run(group, min(j, runs.ways - 1), tiles);
      const unsigned first = j < runs.ways ? splits[at] : 0;
      const unsigned next = j >= runs.ways ? 0 : ends_group ? run.y : splits[at + runs.ways];
      unsigned inclusive = next - first;
#pragma unroll
      for (int offset = 1; offset < 32; offset *= 2) {
        const unsigned other = __shfl_up_sync(rows::full_warp, inclusive, offset);
        inclusive += static_cast<int>(threadIdx.x) >= offset ? other : 0;
      }
      if (j < runs.ways) {
        starts[j] = sum + inclusive - (next - first);
        sources[j] = first - starts[j];
        if (last && first > run.x) {
          atomicMax(&before, static_cast<int>(from.columns[first - 1]));
        }
      }
      sum += __shfl_sync(rows::full_warp, inclusive, 31);
    }
    if (threadIdx.x == 0) {
      starts[runs.ways] = sum;
    }
  }
  __syncthreads();
  const unsigned count = starts[runs.ways];
  auto* const staged_rows = static_cast<unsigned*>(stage);
  unsigned entry[items];
  unsigned run = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned slot = k * blockDim.x + threadIdx.x;
    entry[k] = 0;
    if (slot < count) {
      while (starts[run + 1] <= slot) {
        ++run;
      }
      entry[k] = sources[run] + slot;
      words.data[slot] = Words<Word>::make(__ldcs(from.columns + entry[k]), slot, tiles.slot_bits);
      staged_rows[slot] = __ldcs(from.rows + entry[k]);
    }
  }
  unsigned list = 0;  // the last run that begins at the thread's first output or before
  for (unsigned half = MergepathPolicy::most_ways / 2; half > 0; half /= 2) {
    if (list + half < runs.ways && starts[list + half] <= threadIdx.x * items) {
      list += half;
    }
  }
  __syncthreads();
  merge_lists(words.data, AnyLists{starts, runs.ways}, runs.ways, list, count);
  if (last) {
    write_pointers(words, begin, count, tiles.nnz, tiles.cols, before, pointers);
  }
  write_tile<last>(words, stage, begin, count, to, [&](Value* staged) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const unsigned slot = k * blockDim.x + threadIdx.x;
      if (slot < count) {
        staged[slot] = from.values[entry[k]];
      }
    }
  });
}

}  // namespace sparserepro::mergepath
