// The kernels of cuda_mergetrans_mergepath that move entries: sort tiles, merge runs.
#pragma once

#include "transpose/cuda_mergepath_block.cuh"
#include "transpose/cuda_mergepath_divide.cuh"

namespace sparserepro::mergepath {

/// Entries by column; `columns` of the last level stay unwritten.
template <class Value>
struct Entries {
  unsigned* columns;
  unsigned* rows;
  Value* values;
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

/// What the sorted tile decides: column pointers in the last step, panels before it.
template <bool last, class Word>
__device__ __forceinline__ void write_tile_starts(const Words<Word>& words, const Tiles& tiles,
                                                  unsigned begin, unsigned count, int before,
                                                  bool ends_run, const Panels& panels, unsigned run,
                                                  const OutPointers& pointers) {
  if (last) {
    write_starts(words, begin, count, 0, before, ends_run, tiles.cols, pointers);
  } else {
    write_starts(words, begin, count, panels.shift, before, ends_run, panels.count - 1,
                 RunPanels{panels.of_run(run), panels.ways});
  }
}

/// Each block sorts a tile of A's entries by column.
template <bool last, class Word, class Value>
__global__ void __launch_bounds__(MergepathPolicy::largest_block, 2)
    sort_tiles_kernel(Tiles tiles, rows::Pointers row_ptr, unsigned rows, const unsigned* col_idx,
                      const Value* values, Entries<Value> to, Panels panels, OutPointers pointers) {
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
  write_tile_starts<last>(words, tiles, begin, count, -1, true, panels, blockIdx.x, pointers);
  write_tile<last>(words, stage, begin, count, to, [&](Value* staged) {
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
      staged[i] = values[begin + i];
    }
  });
}

/// Each block merges its part of the runs of a group.
template <bool last, class Word, class Value>
__global__ void __launch_bounds__(MergepathPolicy::largest_block, 2)
    merge_runs_kernel(Tiles tiles, Runs runs, const unsigned* splits, Entries<Value> from,
                      Entries<Value> to, Panels panels, OutPointers pointers) {
  extern __shared__ std::uint64_t shared[];
  __shared__ unsigned starts[MergepathPolicy::most_ways + 1];  // first slot of each run's part
  __shared__ unsigned sources[MergepathPolicy::most_ways];     // first entry less first slot
  __shared__ int before;
  const Words<Word> words{reinterpret_cast<Word*>(shared), tiles.slot_bits};
  void* const stage = stage_of(words.data, tiles.size);
  const unsigned tile = blockIdx.x, begin = tile * tiles.size;
  const unsigned group = runs.group_begin(tile, tiles);
  const bool ends_group =
      begin + std::uint64_t{tiles.size} >= tiles.nnz || (tile + 1) % runs.tiles_per_group == 0;
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
        if (first > run.x) {
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
  write_tile_starts<last>(words, tiles, begin, count, before, ends_group, panels,
                          tile / runs.tiles_per_group, pointers);
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
