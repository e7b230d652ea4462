// First pass of cuda_partition: each tile of A is ordered by bucket, stably.
//
// A block takes one tile of consecutive entries, ranks them by bucket, orders them in shared memory
// and writes them out as they lie, with a table of where the run of each bucket is.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"

namespace sparserepro::partition {

/// Packed tiles are staged so many entries late at most, so that 16 bytes are aligned alike.
inline constexpr unsigned largest_shift = 3;

/// Writes the staged elements [shift, shift + count) to `to` + .., both aligned to 16 bytes.
template <int threads, class T>
__device__ __forceinline__ void write_staged(T* to, const T* staged, unsigned shift,
                                             unsigned count) {
  constexpr unsigned each = 16 / sizeof(T);
  const unsigned end = shift + count;
#pragma unroll 4
  for (unsigned i = shift / each + threadIdx.x; i * each < end; i += threads) {
    if (i * each >= shift && (i + 1) * each <= end) {
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(staged)[i];
    } else {
      for (unsigned k = max(i * each, shift); k < min((i + 1) * each, end); ++k) {
        to[k] = staged[k];
      }
    }
  }
}

/// Of `all` digits, those that a tile's entries have; whether all entries of the warp have one.
struct TileDigits {
  unsigned all, low, count;
  bool alike;
};

/// Orders the `count` entries of tile `t` by digit, key[j] >> 16, and writes them from place
/// `begin` on, with their runs. complete(word) ends the words as soon as all marks are
/// there; value_at(j) is a value or where it is. Absent entries have digits from `all` on.
template <class Value, int threads, Ranks ranks, bool fused, int items, class ValueAt,
          class Complete>
__device__ __forceinline__ void leave_tile(const TileMemory<Value, threads, fused>& memory,
                                           const SplitTiles<Value>& out, const RunTable& table,
                                           unsigned t, std::size_t begin, unsigned count,
                                           const TileDigits& digits, unsigned (&key)[items],
                                           unsigned (&word)[items], const ValueAt& value_at,
                                           const Complete& complete) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool loaded = !std::is_pointer_v<decltype(value_at(0))>;
  constexpr bool copies =  // of values to their places, else by way of registers
      valued && !fused && DevicePartitionPolicy::split_copies(sizeof(Value), threads);
  __shared__ unsigned warp_sums[threads / 32];
  const HalfCounters own(memory.counters, counter_stride(digits.all));
  unsigned before[items];
  if (digits.alike) {
    unsigned base = 0;
    in_turn([&] { base = threadIdx.x % 32 == 0 ? own.add(key[0] >> 16, 32U * items) : 0; });
    base = __shfl_sync(full_warp, base, 0);
#pragma unroll
    for (int j = 0; j < items; ++j) {
      before[j] = base + j * 32 + threadIdx.x % 32;
    }
  } else {
    rank<ranks>(own, 16, 0xffffU, digits.all, key, before);
  }
#pragma unroll
  for (int j = 0; j < items; ++j) {
    key[j] |= before[j];
  }
  constexpr int batch = valued && !copies ? value_batch<Value> : items;
  [[maybe_unused]] Value value[batch];
  const auto load_values = [&](int first) {
    if constexpr (valued && !copies) {
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if constexpr (loaded) {
          value[k] = value_at(first + k);
        } else {
          value[k] = __ldcs(value_at(first + k));
        }
      }
    }
  };
  load_values(0);
  __syncthreads();
  places_from_counts<threads>(
      memory.counters, counter_stride(digits.all), digits.count + absent_digits, warp_sums,
      [&](unsigned d) {
        return d < digits.count ? digits.low + d : digits.all + (d - digits.count);
      },
      [&](unsigned d, unsigned start, unsigned size) {
        if (d < digits.count) {
          table.runs[static_cast<std::size_t>(digits.low + d) * table.stride + t] =
              start | size << 16;
        }
      });
  complete(word);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    key[j] += own[key[j] >> 16];
  }
  __syncthreads();  // counters and marks are dead; what follows stages over them

  const unsigned shift = begin & largest_shift;
  if constexpr (copies) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      __pipeline_memcpy_async(memory.values() + (key[j] & 0xffffU) + shift, value_at(j),
                              sizeof(Value));
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
        memory.put(place, word[first + k], bits_of(value[k]));
      } else {
        memory.put(place, word[first + k], 0);
        if constexpr (valued && !copies) {
          memory.values()[place] = value[k];
        }
      }
    }
  }
  if constexpr (copies) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  begin -= shift;
  if constexpr (fused) {
    write_staged<threads>(static_cast<uint2*>(out.entries) + begin, memory.pairs(), shift, count);
  } else {
    write_staged<threads>(static_cast<unsigned*>(out.entries) + begin, memory.words(), shift,
                          count);
    if constexpr (valued) {
      write_staged<threads>(out.values + begin, memory.values(), shift, count);
    }
  }
}

/// Splits tile `t`. When `packed`, words and values are written apart.
template <class Value, int threads, Ranks ranks, bool packed>
__device__ __forceinline__ void split_tile(const TiledMatrix& a, const Value* values,
                                           const SplitTiles<Value>& out, const RunTable& table,
                                           unsigned t) {
  constexpr int items = items_of<Value>, tile_entries = tile_of<Value, threads>;
  constexpr int warps = threads / 32;
  const TileMemory<Value, threads, fused_entry<Value> && !packed> memory(a.buckets.count);
  __shared__ unsigned lowest[warps], highest[warps];

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
    if constexpr (!std::is_empty_v<Value>) {
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
    const unsigned bucket = bucket_of(column[j], a.buckets);
    key[j] = bucket << 16;
    column[j] -= bucket * a.buckets.width;
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
  const TileDigits digits{a.buckets.count, low, high - low + 1, alike};
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
  leave_tile<Value, threads, ranks>(
      memory, out, table, t, packed ? tile.begin : static_cast<std::size_t>(t) * tile_entries,
      count, digits, key, column,
      [&](int j) { return values + tile.begin + min(mine + j * 32, count - 1); },
      [&](unsigned(&word)[items]) {
#pragma unroll
        for (int j = 0; j < items; ++j) {
          word[j] |= stretch_of(memory.marks[mine + j * 32]) << a.buckets.low_bits;
        }
        if (threadIdx.x == 0) {
          table.range[t] = low | digits.count << 16;
          table.group[t] = static_cast<std::uint16_t>(tile.group);
        }
      });
}

/// A block per tile, or more. With `redo`, only if there is disorder; else the state begins anew,
/// and nothing more is done at a closed gate.
template <class Value, int threads, Ranks ranks, bool packed>
__global__ void __launch_bounds__(threads, DevicePartitionPolicy::block_threads / threads)
    split_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> out, RunTable table,
                 PassState* state, bool redo) {
  follow_previous_kernel();
  if (!redo && blockIdx.x == 0 && threadIdx.x == 0) {
    state->begin();
  }
  if (redo ? state->disorder == 0 : a.gate.closed()) {
    return;
  }
  for (unsigned t = blockIdx.x; t < a.tiles; t += gridDim.x) {
    split_tile<Value, threads, ranks, packed>(a, values, out, table, t);
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
