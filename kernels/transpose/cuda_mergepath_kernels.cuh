// The kernels of cuda_mergetrans_mergepath that move entries: sort tiles, merge runs.
#pragma once

#include "transpose/cuda_mergepath_block.cuh"
#include "transpose/cuda_mergepath_count.cuh"
#include "transpose/cuda_mergepath_divide.cuh"
#include "transpose/cuda_mergepath_tile.cuh"

namespace sparserepro::mergepath {

/// Entries by column; `columns` is null in the last step.
template <class Value>
struct Entries {
  unsigned* columns;
  unsigned* rows;
  Value* values;
};

/// Column pointers of A^T, of either width.
struct OutPointers {
  void* data;
  bool wide;
};

/// Where the columns of a run begin, to be written: in A^T, or else by panels.
__device__ __forceinline__ Starts starts_of(const OutPointers& pointers, const Panels& panels,
                                            unsigned cols, unsigned run) {
  if (panels.starts == nullptr) {
    return {pointers.data, 1, pointers.wide, 0, static_cast<int>(cols)};
  }
  return {panels.of_run(run), panels.ways, false, panels.shift, static_cast<int>(panels.count - 1)};
}

/// Writes columns and rows, which the stage holds by slot, of the tile [begin, begin + count) in
/// order, and where columns begin as far as it decides that. `ends_run`: those still to come begin
/// at its end.
template <class S, class Value>
__device__ __forceinline__ void write_indices(const Tile<S>& tile, unsigned begin, unsigned count,
                                              int before, bool ends_run, const Starts& starts,
                                              const Entries<Value>& to) {
  const auto* const staged_rows = static_cast<const unsigned*>(tile.stage);
  const unsigned own = first_slot(), lane = threadIdx.x % 32;
  int carried = before >> starts.shift;
  if (own >= 32 && own - lane < count) {
    carried = static_cast<int>(tile.column(tile.keys[own - lane - 1]) >> starts.shift);
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = own + k * 32;
    int here = 0;
    if (i < count) {
      const unsigned key = tile.keys[i], column = tile.column(key);
      if (to.columns != nullptr) {
        to.columns[begin + i] = column;
      }
      to.rows[begin + i] = staged_rows[tile.slot(key)];
      here = static_cast<int>(column >> starts.shift);
    }
    int previous = __shfl_up_sync(rows::full_warp, here, 1);
    previous = lane == 0 ? carried : previous;
    carried = __shfl_sync(rows::full_warp, here, 31);
    set_starts(starts, i < count ? previous : here, here, begin + i);
  }
  if (ends_run && threadIdx.x < 32) {
    const auto last = static_cast<int>(tile.column(tile.keys[count - 1]) >> starts.shift);
    set_starts(starts, lane == 0 ? last : starts.last, starts.last, begin + count);
  }
}

/// Writes the values of the ordered tile; value[k] is that of the thread's slot k.
template <class S, class Value>
__device__ __forceinline__ void write_values(const Tile<S>& tile, unsigned begin, unsigned count,
                                             const Value (&value)[items], Value* to) {
  auto* const staged = static_cast<Value*>(tile.stage);
  const unsigned own = first_slot();
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    staged[own + k * 32] = value[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {
      to[begin + own + k * 32] = staged[tile.slot(tile.keys[own + k * 32])];
    }
  }
}

/// Each block sorts a tile of A's entries by column.
template <class S, class Value>
__global__ void __launch_bounds__(S::threads, MergepathPolicy::resident_threads / S::threads)
    sort_tiles_kernel(Tiles tiles, rows::Pointers row_ptr, unsigned rows, const unsigned* col_idx,
                      const Value* values, Entries<Value> to, Panels panels, OutPointers pointers) {
  extern __shared__ std::uint64_t shared[];
  __shared__ BlockState state;
  Tile<S> tile(shared);
  const unsigned begin = blockIdx.x * S::size, own = first_slot();
  const unsigned count = min(S::size, tiles.nnz - begin);
  clear(state);
  clear_counters(tile);
  unsigned column[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    column[k] = own + k * 32 < count ? __ldcs(col_idx + begin + own + k * 32) : 0;
  }
  // Searched here, where the columns are waited for anyway.
  const unsigned warp_begin = min(own - threadIdx.x % 32, count);
  const unsigned warp_count = min(32U * items, count - warp_begin);
  unsigned first_row = 0, last_row = 0;
  if (warp_count > 0) {
    first_row = rows::row_of(row_ptr, rows, begin + warp_begin);
    last_row = rows::row_of(row_ptr, rows, begin + warp_begin + warp_count - 1);
  }
  __syncthreads();
  make_keys(tile, state, count, column);
  if (!order_by_counting(tile, state, column, count)) {
    order_by_merging<false>(tile, column, EqualLists{count}, (count + items - 1) / items,
                            threadIdx.x, count);
  }
  rows::expand_rows(row_ptr, first_row, last_row, begin + warp_begin, warp_count,
                    static_cast<unsigned*>(tile.stage) + warp_begin);
  __syncthreads();
  write_indices(tile, begin, count, -1, true, starts_of(pointers, panels, tiles.cols, blockIdx.x),
                to);
  if constexpr (has_values<Value>) {
    Value value[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      value[k] = own + k * 32 < count ? __ldcs(values + begin + own + k * 32) : Value{};
    }
    write_values(tile, begin, count, value, to.values);
  }
}

/// The parts of the runs of a group that a block merges, without the empty ones.
struct Parts {
  unsigned count;
  unsigned starts[MergepathPolicy::most_ways + 1];   ///< first slot of each
  unsigned sources[MergepathPolicy::most_ways];      ///< first entry less first slot
  uint2 warp_sums[MergepathPolicy::most_ways / 32];  ///< of entries, of parts
};

/// Fills `parts`, a thread for a run, and finds the greatest column ahead of them, if any. All
/// threads of the block call it; barriers are in it.
__device__ __forceinline__ void find_parts(const Tiles& tiles, const Runs& runs,
                                           const unsigned* splits, const unsigned* columns,
                                           bool ends_group, Parts& parts, int& before) {
  const unsigned j = threadIdx.x, lane = j % 32, warp = j / 32;
  unsigned first = 0, held = 0, inclusive = 0, filled = 0;
  if (j < MergepathPolicy::most_ways) {  // whole warps
    if (j < runs.ways) {
      const std::size_t at = std::size_t{blockIdx.x} * runs.ways + j;
      const uint2 run = runs.run(runs.group_begin(blockIdx.x, tiles), j, tiles);
      first = splits[at];
      held = (ends_group ? run.y : splits[at + runs.ways]) - first;
      if (first > run.x) {
        atomicMax(&before, static_cast<int>(columns[first - 1]));
      }
    }
    inclusive = held;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
      const unsigned other = __shfl_up_sync(rows::full_warp, inclusive, offset);
      inclusive += static_cast<int>(lane) >= offset ? other : 0;
    }
    filled = __ballot_sync(rows::full_warp, held > 0);
    if (lane == 31) {
      parts.warp_sums[warp] = {inclusive, static_cast<unsigned>(__popc(filled))};
    }
  }
  __syncthreads();
  uint2 ahead{0, 0};
  if (j < MergepathPolicy::most_ways) {
    for (unsigned w = 0; w < warp; ++w) {
      ahead.x += parts.warp_sums[w].x;
      ahead.y += parts.warp_sums[w].y;
    }
    if (held > 0) {
      const unsigned part = ahead.y + __popc(filled & ((1U << lane) - 1));
      parts.starts[part] = ahead.x + inclusive - held;
      parts.sources[part] = first - parts.starts[part];
    }
    if (j == MergepathPolicy::most_ways - 1) {
      parts.count = ahead.y + __popc(filled);
      parts.starts[parts.count] = ahead.x + inclusive;
    }
  }
  __syncthreads();
}

/// The last part that begins at `slot` or before.
__device__ __forceinline__ unsigned part_of(const Parts& parts, unsigned slot) {
  unsigned part = 0;
  for (unsigned half = MergepathPolicy::most_ways / 2; half > 0; half /= 2) {
    if (part + half < parts.count && parts.starts[part + half] <= slot) {
      part += half;
    }
  }
  return part;
}

/// The parts that hold the thread's slots, 8 bits each.
class SlotParts {
 public:
  __device__ SlotParts(const Parts& parts, unsigned first, unsigned count) : first_(first) {
    unsigned part = part_of(parts, first);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (first + k * 32 < count) {
        while (parts.starts[part + 1] <= first + k * 32) {
          ++part;
        }
      }
      packed_[k / 4] = (k % 4 == 0 ? 0 : packed_[k / 4]) | part << k % 4 * 8;
    }
  }
  /// The entry in the thread's slot k.
  __device__ unsigned entry(const Parts& parts, int k) const {
    return parts.sources[packed_[k / 4] >> k % 4 * 8 & 0xffU] + first_ + k * 32;
  }

 private:
  static_assert(MergepathPolicy::most_ways <= 256);
  unsigned first_;
  unsigned packed_[(items + 3) / 4];
};

/// Each block merges its part of the runs of a group.
template <class S, class Value>
__global__ void __launch_bounds__(S::threads, MergepathPolicy::resident_threads / S::threads)
    merge_runs_kernel(Tiles tiles, Runs runs, const unsigned* splits, Entries<Value> from,
                      Entries<Value> to, Panels panels, OutPointers pointers) {
  extern __shared__ std::uint64_t shared[];
  __shared__ BlockState state;
  __shared__ Parts parts;
  Tile<S> tile(shared);
  const unsigned begin = blockIdx.x * S::size, own = first_slot();
  const bool ends_group =
      begin + std::uint64_t{S::size} >= tiles.nnz || (blockIdx.x + 1) % runs.tiles_per_group == 0;
  clear(state);
  clear_counters(tile);
  __syncthreads();
  find_parts(tiles, runs, splits, from.columns, ends_group, parts, state.before);
  const unsigned count = parts.starts[parts.count];
  const SlotParts slots(parts, own, count);
  unsigned moved[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    moved[k] = own + k * 32 < count ? __ldcs(from.columns + slots.entry(parts, k)) : 0;
  }
  make_keys(tile, state, count, moved);
  if (parts.count <= MergepathPolicy::few_parts || !order_by_counting(tile, state, moved, count)) {
    order_by_merging<true>(tile, moved, AnyLists{parts.starts, parts.count}, parts.count,
                           part_of(parts, threadIdx.x * items), count);
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    moved[k] = own + k * 32 < count ? __ldcs(from.rows + slots.entry(parts, k)) : 0;
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    static_cast<unsigned*>(tile.stage)[own + k * 32] = moved[k];
  }
  __syncthreads();
  write_indices(tile, begin, count, state.before, ends_group,
                starts_of(pointers, panels, tiles.cols, blockIdx.x / runs.tiles_per_group), to);
  if constexpr (has_values<Value>) {
    Value value[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      value[k] = own + k * 32 < count ? __ldcs(from.values + slots.entry(parts, k)) : Value{};
    }
    write_values(tile, begin, count, value, to.values);
  }
}

}  // namespace sparserepro::mergepath
