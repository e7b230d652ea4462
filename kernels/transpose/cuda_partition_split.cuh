// First pass of cuda_partition: a stable split of the entries among buckets of columns.
//
// A block takes one tile of consecutive entries, ranks them by bucket, orders them in shared memory
// and writes each bucket's run to its place, which the scanned histogram over (bucket, tile) holds.
#pragma once

#include "transpose/cuda_partition_rows.cuh"

namespace sparserepro::partition {

/// Where the split puts the entries: between the passes, or, when each column is a bucket, in A^T.
template <class Word, class Value>
struct SplitOutput {
  void* entries;  ///< [nnz] Word, or (Word, Value) when fused; unused when final
  Value* values;
  unsigned* row_idx;  ///< not null: every bucket is one column, so this is the answer
};

/// Shared memory of a block: staged words and values (earlier the counters of the warps), digits,
/// places.
template <class Word, class Value, int items>
constexpr std::size_t split_region_bytes(unsigned digits) {
  constexpr std::size_t tile = PartitionPolicy::threads * items;
  const std::size_t counters = (digits + 1) / 2 * PartitionPolicy::warps * sizeof(unsigned);
  const std::size_t staged = tile * (sizeof(Word) + (std::is_empty_v<Value> ? 0 : sizeof(Value)));
  return (std::max(counters, staged) + 15) / 16 * 16;
}
template <class Word, class Value, int items>
constexpr std::size_t split_shared_bytes(unsigned digits) {
  return split_region_bytes<Word, Value, items>(digits) +
         PartitionPolicy::threads * items * sizeof(std::uint16_t) +
         (digits + 1) / 2 * 2 * sizeof(unsigned);
}

/// Splits tile `t`. `redo` as in split_kernel.
template <class Word, class Value, int items>
__device__ __forceinline__ void split_tile(const SplitInput& in, const Value* values,
                                           const SplitOutput<Word, Value>& out,
                                           unsigned region_bytes, bool redo, int* disorder,
                                           unsigned t) {
  using EntryWord = partition::EntryWord<Word>;
  constexpr int threads = PartitionPolicy::threads;
  constexpr int largest_tile = threads * items;
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Word, Value>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const counters = reinterpret_cast<unsigned*>(shared);  // [warps][half], until placed
  auto* const staged = reinterpret_cast<Word*>(shared);        // [tile], then [tile] values
  auto* const staged_values = reinterpret_cast<Value*>(shared + largest_tile * sizeof(Word));
  auto* const digits = reinterpret_cast<std::uint16_t*>(shared + region_bytes);  // [tile]
  auto* const start = reinterpret_cast<unsigned*>(digits + largest_tile);        // [2 half]
  __shared__ RowWord row_words[largest_tile / 32];
  __shared__ unsigned skips[(largest_tile / 32 + 31) / 32];
  __shared__ unsigned warp_sums[PartitionPolicy::warps];
  __shared__ int descents;

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned half = (in.buckets.count + 1) / 2;
  const unsigned tile = in.steps * threads;
  const unsigned begin = t * tile;
  const unsigned count = min(tile, in.nnz - begin);
  const unsigned mine = warp * 32 * in.steps + lane;  // entries mine + 32 j of the tile
  const unsigned first_row = in.tile_row[t], last_row = in.tile_row[t + 1];

  unsigned split[items];  // bucket << 16 | column within it
#pragma unroll
  for (int j = 0; j < items; ++j) {
    split[j] =
        j < in.steps && mine + j * 32 < count ? __ldcs(in.col_idx + begin + mine + j * 32) : 0;
  }
  for (unsigned i = threadIdx.x; i < half * PartitionPolicy::warps; i += threads) {
    counters[i] = 0;
  }
  if (threadIdx.x < tile / 32) {
    row_words[threadIdx.x] = {0, 0};
  }
  if (threadIdx.x < (tile / 32 + 31) / 32) {
    skips[threadIdx.x] = 0;
  }
  if constexpr (valued) {
    if (threadIdx.x == 0) {
      prefetch_l2(values + begin, count);  // needed when the columns are ranked
    }
  }
  unsigned spread = 0;
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned bucket = bucket_of(split[j], in.buckets);
    split[j] = bucket << 16 | (split[j] - bucket * in.buckets.width);
    spread |= j < in.steps ? split[j] ^ split[0] : 0;
  }
  __syncthreads();
  mark_rows(in, begin, count, first_row, last_row, row_words, skips);

  const WarpCounters own{counters + warp * half, half};
  unsigned place[items];  // rank, then place in the sorted tile
  spread |= split[0] ^ __shfl_sync(full_warp, split[0], 0);
  const bool one_bucket = spread >> 16 == 0 && (warp + 1) * 32 * in.steps <= count;
  if (__all_sync(full_warp, one_bucket)) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      place[j] = j * 32 + lane;
    }
    if (lane == 0) {
      own.words[own.index(split[0] >> 16)] += (32U * in.steps) << own.shift(split[0] >> 16);
    }
  } else if (!redo) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      place[j] = j < in.steps && mine + j * 32 < count ? rank_by_add(own, split[j] >> 16) : 0;
    }
  } else {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      place[j] = rank_by_match(own, split[j] >> 16, j < in.steps && mine + j * 32 < count);
    }
  }
  constexpr int digits_each = PartitionPolicy::largest_digits / threads + 1;
  unsigned destination[digits_each];
#pragma unroll
  for (int k = 0; k < digits_each; ++k) {
    const unsigned d = threadIdx.x + k * threads;
    destination[k] =
        d < in.buckets.count ? in.table[static_cast<std::size_t>(d) * in.table_stride + t] : 0;
  }
  __syncthreads();
  places_from_counts(counters, half, start, warp_sums);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    place[j] += own.read(split[j] >> 16);
  }
#pragma unroll
  for (int k = 0; k < digits_each; ++k) {
    const unsigned d = threadIdx.x + k * threads;
    if (d < in.buckets.count) {
      start[d] =
          destination[k] - start[d];  // from here on: where the entry at place p goes, minus p
    }
  }
  __syncthreads();  // the counters are dead; what follows stages over them

#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned i = mine + j * 32;
    if (j < in.steps && i < count) {
      const unsigned row = row_of_entry(in, begin, i, count, last_row, row_words, skips);
      const Word word = EntryWord::make(row, split[j] & 0xffffU, in.buckets.low_bits);
      digits[place[j]] = static_cast<std::uint16_t>(split[j] >> 16);
      if constexpr (fused) {
        reinterpret_cast<uint2*>(shared)[place[j]] = {word,
                                                      __float_as_uint(__ldcs(values + begin + i))};
      } else {
        staged[place[j]] = word;
        if constexpr (valued) {
          staged_values[place[j]] = __ldcs(values + begin + i);
        }
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && t + in.wave < in.tiles) {  // the tile that is likely to follow here
    const unsigned ahead = (t + in.wave) * tile;
    prefetch_l2(in.col_idx + ahead, min(tile, in.nnz - ahead));
  }
  if (out.row_idx == nullptr) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += threads) {
      const unsigned to = start[digits[i]] + i;
      if constexpr (fused) {
        static_cast<uint2*>(out.entries)[to] = reinterpret_cast<const uint2*>(shared)[i];
      } else {
        static_cast<Word*>(out.entries)[to] = staged[i];
        if constexpr (valued) {
          out.values[to] = staged_values[i];
        }
      }
    }
    return;
  }
  int not_ascending = 0;
  for (unsigned i = threadIdx.x; i < count; i += threads) {
    const unsigned digit = digits[i];
    const unsigned to = start[digit] + i;
    Word word, before{};
    if constexpr (fused) {
      const uint2 entry = reinterpret_cast<const uint2*>(shared)[i];
      word = entry.x;
      before = i == 0 ? 0 : reinterpret_cast<const uint2*>(shared)[i - 1].x;
      out.values[to] = __uint_as_float(entry.y);
    } else {
      word = staged[i];
      before = i == 0 ? Word{} : staged[i - 1];
      if constexpr (valued) {
        out.values[to] = staged_values[i];
      }
    }
    out.row_idx[to] = EntryWord::row(word, in.buckets.low_bits);
    not_ascending += i > 0 && digits[i - 1] == digit && word <= before;
  }
  if (!redo && block_sum(not_ascending, &descents) != 0 && threadIdx.x == 0) {
    *disorder = 1;
  }
}

/// `redo` null: the first try, a block per tile. Else the second, which runs only if *redo is not
/// 0.
template <class Word, class Value, int items>
__global__ void __launch_bounds__(PartitionPolicy::threads, 1)
    split_kernel(SplitInput in, const Value* values, SplitOutput<Word, Value> out,
                 unsigned region_bytes, const int* redo, int* disorder) {
  if (redo != nullptr && *redo == 0) {
    return;
  }
  for (unsigned t = blockIdx.x; t < in.tiles; t += gridDim.x) {
    split_tile<Word, Value, items>(in, values, out, region_bytes, redo != nullptr, disorder, t);
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
