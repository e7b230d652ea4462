// First pass of cuda_partition: each tile of A is ordered by bucket, stably.
//
// A block takes one tile of consecutive entries, ranks them by bucket, orders them in shared memory
// and writes them out as they lie, with a table of where the run of each bucket is.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"

namespace sparserepro::partition {

/// Writes the `count` staged elements to `to`, both aligned to 16 bytes; and what is staged behind
/// them, up to the next 16.
template <int threads, class T>
__device__ __forceinline__ void write_staged(T* to, const T* staged, unsigned count) {
  constexpr unsigned each = 16 / sizeof(T);
#pragma unroll 4
  for (unsigned i = threadIdx.x; i * each < count; i += threads) {
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(staged)[i];
  }
}

/// Splits tile `t`, if `follow()` says so. Before that A alone is read, and nothing written.
/// `searches`: rows are not in row_at.
template <class Value, class Shape, Ranks ranks, bool searches = Shape::wave, class Follow>
__device__ __forceinline__ void split_tile(const TiledMatrix& a, const Value* values,
                                           const SplitTiles<Value>& out, unsigned t,
                                           const Follow& follow) {
  constexpr bool valued = !std::is_empty_v<Value>, fused = fused_entry<Value>;
  constexpr int threads = Shape::threads, items = Shape::items, tile_entries = Shape::entries;
  constexpr int warps = threads / 32;
  const RunTable& table = out.table;
  const TileMemory<Value, Shape> memory(a.buckets.count);
  __shared__ unsigned warp_sums[warps], lowest[warps], highest[warps];

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Tile tile = tile_at<Shape>(a, table.size, t);
  const unsigned count = tile.end - tile.begin;
  const unsigned mine = warp * 32 * items + lane;  // entries mine + 32 j of the tile
  const bool full = mine - lane + 32 * items <= count;
  const unsigned first_row = tile.group << a.group_bits;
  if (count == 0) {
    if (follow() && threadIdx.x == 0) {
      table.range[t] = {0, 0};
      table.group[t] = 0;
    }
    return;
  }

  unsigned word[items];  // the column, then row and column within the bucket
  if (full) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      word[j] = __ldcs(a.col_idx + tile.begin + mine + j * 32);
    }
  } else {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      word[j] = __ldcs(a.col_idx + tile.begin + min(mine + j * 32, count - 1));
    }
  }
  if (!follow()) {
    return;
  }
  const uint2 rows = searches ? rows_of_ends<threads>(a.row_ptr, a.rows, {tile.begin, tile.end - 1})
                              : uint2{a.row_at[tile.index], a.row_at[tile.index + 1]};
  unsigned begin_row = rows.x, end_row = rows.y;
  if (a.groups > 1) {
    begin_row = max(begin_row, first_row);
    end_row = min(end_row, first_row + ((1U << a.group_bits) - 1));
  }
  constexpr int at_once = 3;
  unsigned from[at_once], to[at_once];  // of rows, in the tile
  const auto load_rows = [&](unsigned begin) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned r = begin + k * threads + threadIdx.x;
      from[k] = r <= end_row ? max(a.row_ptr[r], tile.begin) : tile.begin;
      to[k] = r <= end_row ? min(a.row_ptr[r + std::size_t{1}], tile.end) : tile.begin;
    }
  };
  load_rows(begin_row);
  if (threadIdx.x == 0) {
    if constexpr (valued) {
      prefetch_l2(values + tile.begin, count);  // needed when the columns are ranked
    }
    const unsigned ahead = tile.begin + a.wave * tile_entries;  // by who is likely to follow here
    if (ahead < a.nnz) {
      prefetch_l2(a.col_idx + ahead, min(unsigned{tile_entries}, a.nnz - ahead));
    }
  }
  fill<threads>(memory.counters, counter_words<threads>(a.buckets.count), 0);
  fill<threads>(memory.marks, tile_entries, unmarked);
  unsigned low = ~0U, high = 0;
  unsigned key[items];  // bucket << 16, with the rank, then the place in the sorted tile
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned bucket = bucket_of(word[j], a.buckets);
    key[j] = bucket << 16;
    word[j] -= bucket * a.buckets.width;
    low = min(low, bucket);
    high = max(high, bucket);
  }
  low = __reduce_min_sync(full_warp, low);
  high = __reduce_max_sync(full_warp, high);
  const bool alike = low == high && full;
  if (lane == 0) {
    lowest[warp] = low;
    highest[warp] = high;
  }
  __syncthreads();
  low = __reduce_min_sync(full_warp, lane < warps ? lowest[lane] : ~0U);
  high = __reduce_max_sync(full_warp, lane < warps ? highest[lane] : 0);
  if constexpr (Shape::wave) {  // what precedes a bucket in a tile is known for each
    low = 0;
    high = a.buckets.count - 1;
  }
  if (!full) {  // absent entries come last
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if (mine + j * 32 >= count) {
        key[j] = (a.buckets.count + (ranks == Ranks::by_vote ? 0 : lane)) << 16;
      }
    }
  }
  for (unsigned begin = begin_row;;) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned r = begin + k * threads + threadIdx.x;
      if (r - lane <= end_row) {
        mark_stretches(memory.marks, from[k] - tile.begin, to[k] - tile.begin, r - first_row);
      }
    }
    begin += at_once * threads;
    if (begin > end_row) {
      break;
    }
    load_rows(begin);
  }

  const HalfCounters own(memory.counters, counter_stride(a.buckets.count));
  unsigned before[items];
  if (alike) {
    unsigned base = 0;
    in_turn([&] { base = lane == 0 ? own.add(key[0] >> 16, 32U * items) : 0; });
    base = __shfl_sync(full_warp, base, 0);
#pragma unroll
    for (int j = 0; j < items; ++j) {
      before[j] = base + j * 32 + lane;
    }
  } else {
    rank<ranks>(own, 16, 0xffffU, a.buckets.count, key, before);
  }
#pragma unroll
  for (int j = 0; j < items; ++j) {
    key[j] |= before[j];
  }
  const auto value_at = [&](int j) { return values + tile.begin + min(mine + j * 32, count - 1); };
  [[maybe_unused]] unsigned bits[items];  // of a fused value
  if constexpr (fused) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      bits[j] = bits_of(__ldcs(value_at(j)));
    }
  }
  __syncthreads();
  const unsigned there = high - low + 1;  // buckets that the tile has entries of, or between them
  places_from_counts<threads>(
      memory.counters, counter_stride(a.buckets.count), there + absent_digits, warp_sums,
      [&](unsigned d) { return d < there ? low + d : a.buckets.count + (d - there); },
      [&](unsigned d, unsigned start, unsigned size) {
        if (d < there) {
          table.runs[static_cast<std::size_t>(low + d) * table.stride + t] = start | size << 16;
        }
      });
#pragma unroll
  for (int j = 0; j < items; ++j) {
    word[j] |= stretch_of(memory.marks[mine + j * 32]) << a.buckets.low_bits;
  }
  if (threadIdx.x == 0) {
    table.range[t] = {low | there << 16, count};
    table.group[t] = static_cast<std::uint16_t>(tile.group);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    key[j] = (key[j] + own[key[j] >> 16]) & 0xffffU;
  }
  __syncthreads();  // counters and marks are dead; what follows stages over them
#pragma unroll
  for (int j = 0; j < items; ++j) {
    if constexpr (valued && !fused) {
      __pipeline_memcpy_async(memory.values() + key[j], value_at(j), sizeof(Value));
    }
    memory.put(key[j], word[j], fused ? bits[j] : 0);
  }
  if constexpr (valued && !fused) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  const std::size_t begin = static_cast<std::size_t>(t) * table.size;
  if constexpr (fused) {
    write_staged<threads>(static_cast<uint2*>(out.entries) + begin, memory.pairs(), count);
  } else {
    write_staged<threads>(static_cast<unsigned*>(out.entries) + begin, memory.words(), count);
    if constexpr (valued) {
      write_staged<threads>(out.values + begin, memory.values(), count);
    }
  }
}

/// A block per tile. The state begins anew; a band is left alone, and looked for among large tiles
/// only. Small ones load columns while the kernel before runs, which writes nothing of A.
template <class Value, class Shape, Ranks ranks>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    split_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> out, PassState* state) {
  constexpr bool small = Shape::threads == DevicePartitionPolicy::small_threads;
  let_next_grid_launch();
  const auto follow = [&] {
    wait_for_previous_grid();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      state->begin(a.is_band(*state));
    }
    return !a.is_band(*state);
  };
  if (small || follow()) {
    split_tile<Value, Shape, ranks>(a, values, out, blockIdx.x, [&] { return !small || follow(); });
  }
}

}  // namespace sparserepro::partition
