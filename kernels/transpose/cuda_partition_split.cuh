// First pass of cuda_partition: each tile of A is ordered by bucket, stably, and stays in its
// place.
//
// A block takes one tile of consecutive entries, ranks them by bucket, orders them in shared memory
// and writes them out as they lie, with a table of where the run of each bucket is.
#pragma once

#include "transpose/cuda_partition_rows.cuh"

namespace sparserepro::partition {

/// The entries between the passes: tile t at `tile` t, ordered by bucket.
template <class Value>
struct SplitTiles {
  void* entries;  ///< words, or pairs of word and value when fused
  Value* values;
};

/// The run of bucket b in tile t begins at runs[b * stride + t] & 0xffff of the tile and has
/// runs[..] >> 16 entries; only the buckets of the tile's range are written.
struct RunTable {
  unsigned* runs;
  unsigned stride;
  unsigned* range;       ///< [tiles] first bucket and, << 16, number of buckets of the tile
  std::uint16_t* group;  ///< [tiles] group of rows

  /// Start and length of the run in a tile of range `within`.
  __device__ unsigned run(unsigned bucket, unsigned t, unsigned within) const {
    return bucket - (within & 0xffffU) < within >> 16
               ? runs[static_cast<std::size_t>(bucket) * stride + t]
               : 0;
  }
  __device__ unsigned size(unsigned bucket, unsigned t, unsigned within) const {
    return run(bucket, t, within) >> 16;
  }
};

/// Shared memory of a block: the counters of the warps and the marks of the rows, later the staged
/// tile; the beginnings of the runs.
template <class Value, class Counters>
constexpr std::size_t split_marks_offset(unsigned digits) {
  return Counters::words_for(digits + 1) * std::size_t{warps} * sizeof(unsigned);
}
template <class Value, class Counters>
constexpr std::size_t split_region_bytes(unsigned digits) {
  constexpr std::size_t tile = tile_entries;
  return (std::max(split_marks_offset<Value, Counters>(digits) + tile * sizeof(unsigned),
                   tile * (4 + (std::is_empty_v<Value> ? 0 : sizeof(Value)))) +
          15) /
         16 * 16;
}
template <class Value, class Counters>
constexpr std::size_t split_shared_bytes(unsigned digits) {
  return split_region_bytes<Value, Counters>(digits) + (digits + 2) * sizeof(std::uint16_t);
}

/// Splits tile `t`; the lanes of a warp in order of addition, or `by_vote`.
template <class Value, class Counters, bool by_vote>
__device__ __forceinline__ void split_tile(const TiledMatrix& a, const Value* values,
                                           const SplitTiles<Value>& out, const RunTable& table,
                                           unsigned t) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const counters = reinterpret_cast<unsigned*>(shared);  // [warps][stride], until placed
  auto* const marks = reinterpret_cast<unsigned*>(
      shared + split_marks_offset<Value, Counters>(a.buckets.count));  // [tile], until placed
  auto* const staged = reinterpret_cast<unsigned*>(shared);            // [tile], then [tile] values
  auto* const staged_values = reinterpret_cast<Value*>(shared + tile_entries * 4);
  auto* const start = reinterpret_cast<std::uint16_t*>(
      shared + split_region_bytes<Value, Counters>(a.buckets.count));  // [digits + 2]
  __shared__ unsigned warp_sums[warps], lowest[warps], highest[warps];
  __shared__ unsigned end_rows[2];

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Tile tile = tile_at(a, t);
  const unsigned count = tile.end - tile.begin;
  const unsigned mine = warp * 32 * items + lane;  // entries mine + 32 j of the tile
  const bool full = mine - lane + 32 * items <= count;
  const unsigned first_row = tile.group << a.group_bits;
  if (count == 0) {
    if (threadIdx.x == 0) {
      table.range[t] = 0;
      table.group[t] = 0;
    }
    return;
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
  if constexpr (valued) {
    if (threadIdx.x == 0) {
      prefetch_l2(values + tile.begin, count);  // needed when the columns are ranked
    }
  }
#pragma unroll
  for (int j = 0; j < items; ++j) {
    marks[threadIdx.x + j * threads] = unmarked;
  }
  if (warp < 2) {
    end_rows[warp] =
        row_of_position(a.row_ptr, first_row, min(a.rows, first_row + (1U << a.group_bits)),
                        warp == 0 ? tile.begin : tile.end - 1);
  }
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
  const unsigned digits = high - low + 1, stride = Counters::words_for(digits + 1);
#pragma unroll
  for (int j = 0; j < items; ++j) {
    key[j] -= low << 16;
  }
  if (!full) {  // what is not there is a digit of its own, the last
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if (mine + j * 32 >= count) {
        key[j] = digits << 16;
      }
    }
  }

  const Counters own{counters + warp * stride, stride};
  for (unsigned i = lane; i < stride; i += 32) {
    own.words[i] = 0;
  }
  for (unsigned begin = end_rows[0] + warp * 32; begin <= end_rows[1]; begin += threads) {
    const unsigned r = begin + lane;
    const unsigned from = r <= end_rows[1] ? max(a.row_ptr[r], tile.begin) : tile.begin;
    const unsigned to = r <= end_rows[1] ? min(a.row_ptr[r + 1], tile.end) : tile.begin;
    mark_stretches(marks, from - tile.begin, to - tile.begin, r - first_row);
  }
  __syncwarp();
  if (one_bucket) {
    if (lane == 0) {
      *own.word(key[0] >> 16) = 32U * items << own.shift(key[0] >> 16);
    }
#pragma unroll
    for (int j = 0; j < items; ++j) {
      key[j] += j * 32 + lane;
    }
  } else {
    rank<by_vote>(own, key);
  }
  __syncthreads();
  places_from_counts<Counters>(counters, stride, start, warp_sums);
  __syncthreads();
  add_places(own, key);
#pragma unroll
  for (int j = 0; j < items; ++j) {
    column[j] |= stretch_of(marks[mine + j * 32]) << a.buckets.low_bits;
  }
  for (unsigned d = threadIdx.x; d < digits; d += threads) {
    table.runs[static_cast<std::size_t>(low + d) * table.stride + t] =
        start[d] | (unsigned{start[d + 1]} - start[d]) << 16;
  }
  if (threadIdx.x == 0) {
    table.range[t] = low | digits << 16;
    table.group[t] = static_cast<std::uint16_t>(tile.group);
  }
  __syncthreads();  // counters and marks are dead; what follows stages over them

  const auto stage = [&](auto at) {
    constexpr int batch = valued ? value_batch<Value> : items;
#pragma unroll
    for (int first = 0; first < items; first += batch) {
      [[maybe_unused]] Value value[batch];
      if constexpr (valued) {
#pragma unroll
        for (int k = 0; k < batch; ++k) {
          value[k] = __ldcs(values + tile.begin + at(mine + (first + k) * 32));
        }
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const unsigned place = key[first + k] & 0xffffU;
        if constexpr (fused) {
          reinterpret_cast<uint2*>(shared)[place] = {column[first + k], __float_as_uint(value[k])};
        } else {
          staged[place] = column[first + k];
          if constexpr (valued) {
            staged_values[place] = value[k];
          }
        }
      }
    }
  };
  if (full) {
    stage([](unsigned i) { return i; });
  } else {
    stage([&](unsigned i) { return min(i, count - 1); });
  }
  __syncthreads();
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

/// The first try, a block per tile; or `by_vote` the second, which runs only if *disorder is not 0.
template <class Value, class Counters, bool by_vote>
__global__ void __launch_bounds__(threads, 1)
    split_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> out, RunTable table,
                 int* disorder) {
  follow_previous_kernel();
  if constexpr (by_vote) {
    if (*disorder == 0) {
      return;
    }
  } else if (blockIdx.x == 0 && threadIdx.x == 0) {
    *disorder = 0;
  }
  for (unsigned t = blockIdx.x; t < a.tiles; t += gridDim.x) {
    split_tile<Value, Counters, by_vote>(a, values, out, table, t);
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
