// First pass of cuda_partition: each tile of A is ordered by bucket, stably, and stays in its
// place.
//
// A block takes one tile of consecutive entries, ranks them by bucket, orders them in shared memory
// and writes them out as they lie, with a table of where the run of each bucket is.
#pragma once

#include "transpose/cuda_partition/one_level/copy.cuh"
#include "transpose/cuda_partition/one_level/split_memory.cuh"

namespace sparserepro::partition {

/// Splits tile `t`. When `packed`, words and values are written apart.
template <class Value, int threads, Ranks ranks, bool packed>
__device__ __forceinline__ void split_tile(const TiledMatrix& a, const Value* values,
                                           const SplitTiles<Value>& out, const RunTable& table,
                                           unsigned t) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value> && !packed;
  constexpr int items = items_of<Value>, tile_entries = tile_of<Value, threads>;
  constexpr bool copies =  // of values to their places, else by way of registers
      valued && !fused && DevicePartitionPolicy::split_copies(sizeof(Value), threads);
  constexpr int warps = threads / 32;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned stride = counter_stride(a.buckets.count);
  auto* const counters = reinterpret_cast<unsigned*>(shared);  // [groups / 2][stride], until placed
  auto* const marks = reinterpret_cast<unsigned*>(shared + counter_bytes<threads>(a.buckets.count));
  auto* const staged = reinterpret_cast<unsigned*>(shared);  // [tile], then [tile] values
  auto* const staged_values = reinterpret_cast<Value*>(shared + (tile_entries + 4) * 4);
  __shared__ unsigned warp_sums[warps], lowest[warps], highest[warps];

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Tile tile = tile_at<tile_entries>(a, t);
  const unsigned count = tile.end - tile.begin;
  const unsigned mine = warp * 32 * items + lane;  // entries mine + 32 j of the tile
  const bool full = mine - lane + 32 * items <= count;
  const unsigned first_row = tile.group << a.group_bits;
  if (packed && threadIdx.x == 0) {
    table.begin[t] = tile.begin;
  }
  if (count == 0) {
    if (threadIdx.x == 0) {
      table.range[t] = 0;
      table.group[t] = 0;
    }
    return;
  }

  unsigned begin_row = a.row_at[tile.index], end_row = a.row_at[tile.index + 1];
  if (a.groups > 1) {
    begin_row = max(begin_row, first_row);
    end_row = min(end_row, first_row + ((1U << a.group_bits) - 1));
  }
  unsigned column[items];  // then the word
  if (full) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      column[j] = __ldcs(a.col_idx + tile.begin + mine + j * 32);
    }
  } else {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      column[j] = __ldcs(a.col_idx + tile.begin + min(mine + j * 32, count - 1));
    }
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
  fill<threads>(counters, counter_words<threads>(a.buckets.count), 0);
  fill<threads>(marks, tile_entries, unmarked);
  unsigned low = ~0U, high = 0;
  unsigned key[items];  // bucket << 16, with the rank, then the place in the sorted tile
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned bucket = bucket_of(column[j], a.buckets);
    key[j] = bucket << 16;
    column[j] -= bucket * a.buckets.width;
    low = min(low, bucket);
    high = max(high, bucket);
  }
  low = __reduce_min_sync(full_warp, low);
  high = __reduce_max_sync(full_warp, high);
  const bool one_bucket = low == high && full;
  if (lane == 0) {
    lowest[warp] = low;
    highest[warp] = high;
  }
  __syncthreads();
  low = __reduce_min_sync(full_warp, lane < warps ? lowest[lane] : ~0U);
  high = __reduce_max_sync(full_warp, lane < warps ? highest[lane] : 0);
  const unsigned digits = high - low + 1;
  if (!full) {  // absent entries come last
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if (mine + j * 32 >= count) {
        key[j] = (a.buckets.count + lane) << 16;
      }
    }
  }

  for (unsigned begin = begin_row;;) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned r = begin + k * threads + threadIdx.x;
      if (r - lane <= end_row) {
        mark_stretches(marks, from[k] - tile.begin, to[k] - tile.begin, r - first_row);
      }
    }
    begin += at_once * threads;
    if (begin > end_row) {
      break;
    }
    load_rows(begin);
  }
  const HalfCounters own(counters, stride);
  if (one_bucket) {
    rank_alike(own, key);
  } else {
    rank<ranks>(own, stride, key);
  }
  constexpr int batch = valued && !copies ? value_batch<Value> : items;
  [[maybe_unused]] Value value[batch];
  const auto load_values = [&](int first) {
    if constexpr (valued && !copies) {
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        value[k] = __ldcs(values + tile.begin + min(mine + (first + k) * 32, count - 1));
      }
    }
  };
  load_values(0);
  __syncthreads();
  places_from_counts<threads>(
      counters, stride, digits + absent_digits, warp_sums,
      [&](unsigned d) { return d < digits ? low + d : a.buckets.count + (d - digits); },
      [&](unsigned d, unsigned start, unsigned size) {
        if (d < digits) {
          table.runs[static_cast<std::size_t>(low + d) * table.stride + t] = start | size << 16;
        }
      });
#pragma unroll
  for (int j = 0; j < items; ++j) {
    column[j] |= stretch_of(marks[mine + j * 32]) << a.buckets.low_bits;
  }
  if (threadIdx.x == 0) {
    table.range[t] = low | digits << 16;
    table.group[t] = static_cast<std::uint16_t>(tile.group);
  }
  __syncthreads();
  add_places(own, key);
  __syncthreads();  // counters and marks are dead; what follows stages over them

  const unsigned shift = packed ? tile.begin & largest_shift : 0;
  if constexpr (copies) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      copy_async(staged_values + (key[j] & 0xffffU) + shift,
                 values + tile.begin + min(mine + j * 32, count - 1));
    }
  }
#pragma unroll
  for (int first = 0; first < items; first += batch) {
    if (first > 0) {
      load_values(first);
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const unsigned place = (key[first + k] & 0xffffU) + shift;
      if constexpr (fused) {
        reinterpret_cast<uint2*>(shared)[place] = {column[first + k], bits_of(value[k])};
      } else {
        staged[place] = column[first + k];
        if constexpr (valued && !copies) {
          staged_values[place] = value[k];
        }
      }
    }
  }
  if constexpr (copies) {
    await_copies();
  }
  __syncthreads();
  if constexpr (packed) {
    const std::size_t base = tile.begin - shift;
    write_packed<threads>(static_cast<unsigned*>(out.entries) + base, staged, shift, count);
    if constexpr (valued) {
      write_packed<threads>(out.values + base, staged_values, shift, count);
    }
    return;
  }
  const std::size_t base = static_cast<std::size_t>(t) * tile_entries;
  const auto write = [&](void* to, const void* from, unsigned bytes) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < (bytes + 15) / 16; i += threads) {
      static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
    }
  };
  write(static_cast<char*>(out.entries) + base * entry_bytes<Value>, shared,
        count * entry_bytes<Value>);
  if constexpr (valued && !fused) {
    write(out.values + base, staged_values, count * sizeof(Value));
  }
}

/// A block per tile, or more. With `redo`, only if *redo is not 0; else *disorder becomes 0, and
/// nothing more is done at a closed gate.
template <class Value, int threads, Ranks ranks, bool packed>
__global__ void __launch_bounds__(threads, DevicePartitionPolicy::block_threads / threads)
    split_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> out, RunTable table,
                 const unsigned* redo, unsigned* disorder) {
  follow_previous_kernel();
  if (redo != nullptr) {
    if (*redo == 0) {
      return;
    }
  } else {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *disorder = 0;
    }
    if (a.gate.closed()) {
      return;
    }
  }
  for (unsigned t = blockIdx.x; t < a.tiles; t += gridDim.x) {
    split_tile<Value, threads, ranks, packed>(a, values, out, table, t);
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
