// The kernels of cuda_mergetrans_mergepath that move entries: sort of tiles and merge of runs.
#pragma once

#include "transpose/papers/cuda_mergetrans_mergepath/block.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/count.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/crowd.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/divide.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/parts.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/tile.cuh"

namespace sparserepro::mergepath {

/// Arrays [nnz] of entries in the order of columns; `columns` is null in the last step.
template <class Value>
struct Entries {
  unsigned* columns;
  unsigned* rows;
  Value* values;
};

/// Column pointers of A^T, of either width.
/// Starts that a block writes: column pointers of A^T if panels.starts is null, else the panels of
/// its run.
__device__ __forceinline__ Starts starts_of(const AnyPointers& pointers, const Panels& panels,
                                            unsigned cols, unsigned run) {
  if (panels.starts == nullptr) {
    return {pointers.data, 1, pointers.wide, 0, static_cast<int>(cols)};
  }
  return {panels.of_run(run), panels.ways, false, panels.shift, static_cast<int>(panels.count - 1)};
}

/// Replaces the columns of the thread's entries by words of the tile.
template <class S>
__device__ __forceinline__ void make_words(const Tile<S>& tile, unsigned (&column)[items]) {
#pragma unroll
  for (int k = 0; k < items; ++k) {
    column[k] = tile.word(column[k], first_slot() + k * 32);
  }
}

/// Write the columns (given as words or columns) and the rows of the thread's entries by slot. Wide
/// tiles hold their columns already. The caller synchronises the block afterwards.
template <bool words, class S>
__device__ __forceinline__ void put_columns(const Tile<S>& tile, const unsigned (&of)[items]) {
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (!S::wide) {
      tile.columns[first_slot() + k * 32] = words ? tile.column_of(of[k]) : of[k];
    }
  }
}
template <class S>
__device__ __forceinline__ void put_rows(const Tile<S>& tile, const unsigned (&row)[items]) {
#pragma unroll
  for (int k = 0; k < items; ++k) {
    tile.stage[first_slot() + k * 32] = row[k];
  }
}

/// Writes columns and rows of the sorted tile [begin, begin + count), and the starts of the columns
/// (or panels) in (before, end]. An earlier tile has written the start of `before`, or it is -1.
/// Columns after the last one of the tile begin at its end.
template <bool full, class S, class Value>
__device__ __forceinline__ void write_indices(const Tile<S>& tile, unsigned begin, unsigned count,
                                              int before, int end, const Starts& starts,
                                              const Entries<Value>& to) {
  const unsigned own = first_slot(), lane = threadIdx.x % 32;
  const auto panel_at = [&](unsigned i) {
    return static_cast<int>(tile.columns[tile.order[i]] >> starts.shift);
  };
  int carried = own >= 32 && inside<full>(own - lane, count) ? panel_at(own - lane - 1) : before;
#pragma unroll MergepathPolicy::written_at_once
  for (int k = 0; k < items; ++k) {
    const unsigned i = own + k * 32;
    int here = 0;
    if (inside<full>(i, count)) {
      const unsigned slot = tile.order[i], column = tile.columns[slot];
      if (to.columns != nullptr) {
        to.columns[begin + i] = column;
      }
      to.rows[begin + i] = tile.stage[slot];
      here = static_cast<int>(column >> starts.shift);
    }
    int previous = __shfl_up_sync(full_warp, here, 1);
    previous = lane == 0 ? carried : previous;
    carried = __shfl_sync(full_warp, here, 31);
    set_starts(starts, inside<full>(i, count) ? previous : here, here, begin + i);
  }
  if (threadIdx.x < 32) {
    set_starts(starts, lane == 0 ? panel_at(count - 1) : end, end, begin + count);
  }
}

/// Writes the values of the sorted tile; value[k] is the value of the thread's slot k.
template <bool full, class S, class Value>
__device__ __forceinline__ void write_values(const Tile<S>& tile, unsigned begin, unsigned count,
                                             const Value (&value)[items], Value* to) {
  auto* const staged = static_cast<Value*>(tile.values);
  const unsigned own = first_slot();
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    staged[own + k * 32] = value[k];
  }
  __syncthreads();
#pragma unroll MergepathPolicy::written_at_once
  for (int k = 0; k < items; ++k) {
    const unsigned i = own + k * 32;
    if (inside<full>(i, count)) {
      to[begin + i] = staged[tile.order[i]];
    }
  }
}

/// A in CSR, as step 1 reads it.
template <class Value>
struct Source {
  AnyPointers row_ptr;
  unsigned rows;
  const unsigned* columns;
  const Value* values;
};

template <bool full, class S, class Value>
__device__ __forceinline__ void sort_tile(Tile<S>& tile, BlockState& state, unsigned begin,
                                          unsigned count, const Source<Value>& from,
                                          const Entries<Value>& to, const Starts& starts) {
  const unsigned own = first_slot();
  unsigned column[items], row[items];
  const auto load = [&] {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const unsigned i = own + k * 32;
      column[k] = inside<full>(i, count) ? __ldcs(from.columns + begin + i) : 0;
    }
    // The search of rows overlaps with the loads of columns. tile.keys holds no keys here.
    const unsigned warp_begin = min(own - threadIdx.x % 32, count);
    const unsigned warp_count = min(32U * items, count - warp_begin);
    rows_of_entries(from.row_ptr, from.rows, begin + warp_begin, warp_count, tile.keys + warp_begin,
                    row);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      row[k] = inside<full>(own + k * 32, count) ? row[k] : 0;
    }
  };
  load();
  __syncthreads();
  find_range<full>(tile, state, count, column);
  make_words(tile, column);
  if (order_by_counting<full>(tile, state, column, count)) {
    put_columns<true>(tile, column);
  } else {
    order_crowded<S>(tile.least, tile.range_bits, state, count);
    load();  // again, so that columns and rows occupy no registers during the call
    put_columns<false>(tile, column);
  }
  put_rows(tile, row);
  __syncthreads();
  Value value[items];
  if constexpr (has_values<Value>) {  // these loads overlap with the writes of indices
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const unsigned i = own + k * 32;
      value[k] = inside<full>(i, count) ? __ldcs(from.values + begin + i) : Value{};
    }
  }
  write_indices<full>(tile, begin, count, -1, starts.last, starts, to);
  if constexpr (has_values<Value>) {
    write_values<full>(tile, begin, count, value, to.values);
  }
}

/// Step 1: block t sorts tile t of A's entries by column.
template <class S, class Value>
__global__ void __launch_bounds__(S::threads, MergepathPolicy::resident_threads / S::threads)
    sort_tiles_kernel(Tiles tiles, Source<Value> from, Entries<Value> to, Panels panels,
                      AnyPointers pointers) {
  extern __shared__ std::uint64_t shared[];
  __shared__ BlockState state;
  Tile<S> tile(shared);
  clear(state);
  clear_counters(tile);
  const unsigned begin = blockIdx.x * S::size;
  const unsigned count = min(S::size, tiles.nnz - begin);
  const Starts starts = starts_of(pointers, panels, tiles.cols, blockIdx.x);
  if (count == S::size) {
    sort_tile<true>(tile, state, begin, count, from, to, starts);
  } else {
    sort_tile<false>(tile, state, begin, count, from, to, starts);
  }
}

template <bool full, class S, class Value>
__device__ __forceinline__ void merge_parts(Tile<S>& tile, BlockState& state, const Parts<S>& parts,
                                            uint2 found, const unsigned* sources,
                                            const Entries<Value>& from, const Entries<Value>& to,
                                            const Starts& starts, bool begins_group, int end) {
  const unsigned begin = blockIdx.x * S::size, own = first_slot(), count = found.y;
  const SlotSources slots(parts, sources);
  unsigned column[items], row[items];
  const auto load = [&] {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const unsigned entry = slots.entry(k);
      column[k] = inside<full>(own + k * 32, count) ? __ldcs(from.columns + entry) : 0;
      row[k] = inside<full>(own + k * 32, count) ? __ldcs(from.rows + entry) : 0;
    }
  };
  load();
  find_range<full>(tile, state, count, column);
  if (!tile.keys_fit()) {
    put_wide_keys(tile, column, count);
    order_wide<S>(count);
    load();  // again, so that columns and rows occupy no registers during the call
    put_columns<false>(tile, column);
    put_rows(tile, row);
  } else {
    make_words(tile, column);
    if (found.x <= MergepathPolicy::few_parts) {
      put_keys(tile, column, count);
      put_rows(tile, row);
      order_few_parts<S>(tile.least, parts.starts, found.x, count);
    } else if (order_by_counting<full>(tile, state, column, count)) {
      put_columns<true>(tile, column);
      put_rows(tile, row);
    } else {
      order_crowded<S>(tile.least, tile.range_bits, state, count);
      load();
      put_columns<false>(tile, column);
      put_rows(tile, row);
    }
  }
  __syncthreads();
  Value value[items];
  if constexpr (has_values<Value>) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const unsigned entry = slots.entry(k);
      value[k] = inside<full>(own + k * 32, count) ? __ldcs(from.values + entry) : Value{};
    }
  }
  write_indices<full>(tile, begin, count,
                      begins_group ? -1 : static_cast<int>(tile.least >> starts.shift), end, starts,
                      to);
  if constexpr (has_values<Value>) {
    write_values<full>(tile, begin, count, value, to.values);
  }
}

/// Step 3: block t writes tile t of the merged output. first[t] is the column of its first entry.
template <class S, class Value>
__global__ void __launch_bounds__(S::threads, MergepathPolicy::resident_threads / S::threads)
    merge_runs_kernel(Tiles tiles, Runs runs, const unsigned* splits, const unsigned* first,
                      Entries<Value> from, Entries<Value> to, Panels panels, AnyPointers pointers) {
  extern __shared__ std::uint64_t shared[];
  __shared__ BlockState state;
  __shared__ Parts<S> parts;
  Tile<S> tile(shared);
  auto* const sources =
      reinterpret_cast<unsigned*>(reinterpret_cast<char*>(shared) + S::shared_bytes);
  const bool begins_group = blockIdx.x % runs.tiles_per_group == 0;
  const bool ends_group = (blockIdx.x + std::uint64_t{1}) * S::size >= tiles.nnz ||
                          (blockIdx.x + 1) % runs.tiles_per_group == 0;
  clear(state);
  clear(parts);
  clear_counters(tile);
  __syncthreads();
  const uint2 found = find_parts(tiles, runs, splits, ends_group, parts, sources);
  const Starts starts = starts_of(pointers, panels, tiles.cols, blockIdx.x / runs.tiles_per_group);
  const int end =
      ends_group ? starts.last : static_cast<int>(first[blockIdx.x + 1] >> starts.shift);
  if (found.y == S::size) {
    merge_parts<true>(tile, state, parts, found, sources, from, to, starts, begins_group, end);
  } else {
    merge_parts<false>(tile, state, parts, found, sources, from, to, starts, begins_group, end);
  }
}

}  // namespace sparserepro::mergepath
