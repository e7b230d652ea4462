// Second pass of cuda_partition: a stable counting sort of each bucket by column, in shared memory.
//
// A block takes one chunk of a bucket, tile by tile. A bucket that fits one tile is sorted at once
// and leaves as it lies, in whole lines; else the counts of its chunks say where the chunk's
// entries of each column begin, and they advance from tile to tile.
#pragma once

#include "transpose/cuda_partition_plan.cuh"

namespace sparserepro::partition {

template <class Word, class Value>
struct BucketOutput {
  AnyPointers col_ptr;
  unsigned* row_idx;
  Value* values;
};

/// Shared memory of a block: staged words and values (earlier the counters), places, and where the
/// entries of each column go next.
template <class Word, class Value, int items>
constexpr std::size_t bucket_region_bytes(unsigned width) {
  constexpr std::size_t tile = PartitionPolicy::threads * items;
  const std::size_t counters = (width + 1) / 2 * PartitionPolicy::warps * sizeof(unsigned);
  const std::size_t staged = tile * (sizeof(Word) + (std::is_empty_v<Value> ? 0 : sizeof(Value)));
  return (std::max(counters, staged) + 15) / 16 * 16;
}
template <class Word, class Value, int items>
constexpr std::size_t bucket_shared_bytes(unsigned width) {
  return bucket_region_bytes<Word, Value, items>(width) + (width + 1) / 2 * 4 * sizeof(unsigned);
}

/// Sets next[c] to where the chunk's entries of column c begin in A^T; the first chunk of a bucket
/// writes the column pointers. `sums` [width] is scratch.
__device__ __forceinline__ void begin_chunk(const Chunk& chunk, const Plan& plan, unsigned width,
                                            unsigned columns, unsigned* next, unsigned* sums,
                                            unsigned* warp_sums, AnyPointers col_ptr) {
  const unsigned each = (width + PartitionPolicy::threads - 1) / PartitionPolicy::threads;
  const unsigned first = min(threadIdx.x * each, width);
  const unsigned last = min(first + each, width);
  const unsigned* const counts = plan.column_counts + static_cast<std::size_t>(chunk.first) * width;
  unsigned sum = 0;
  for (unsigned c = first; c < last; ++c) {
    unsigned before = 0, total = 0;
#pragma unroll 4
    for (unsigned k = 0; k < chunk.count; ++k) {
      const unsigned count = counts[static_cast<std::size_t>(k) * width + c];
      before += k < chunk.index ? count : 0;
      total += count;
    }
    sums[c] = sum;
    next[c] = sum + before;
    sum += total;
  }
  unsigned all;
  const unsigned base = plan.chunks[chunk.first].begin + block_exclusive_sum(sum, warp_sums, all);
  for (unsigned c = first; c < last; ++c) {
    next[c] += base;
    if (chunk.index == 0 && c < columns) {
      col_ptr.set(static_cast<std::size_t>(chunk.bucket) * width + c, base + sums[c]);
    }
  }
}

/// What stands between the passes.
template <class Value>
struct BucketInput {
  const void* entries;
  const Value* values;
  ColumnBuckets buckets;
  unsigned cols;
};

/// Sorts chunk `number`. `redo` as in bucket_kernel.
template <class Word, class Value, int items>
__device__ __forceinline__ void sort_chunk(const BucketInput<Value>& in, const Plan& plan,
                                           const BucketOutput<Word, Value>& out,
                                           unsigned region_bytes, bool redo, int* disorder,
                                           unsigned number) {
  using EntryWord = partition::EntryWord<Word>;
  constexpr int threads = PartitionPolicy::threads;
  constexpr int tile = threads * items;
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Word, Value>;
  const void* const entries = in.entries;
  const Value* const values = in.values;
  const ColumnBuckets& buckets = in.buckets;
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const counters = reinterpret_cast<unsigned*>(shared);  // [warps][half], until placed
  auto* const staged = reinterpret_cast<Word*>(shared);        // [tile], then [tile] values
  auto* const staged_values = reinterpret_cast<Value*>(shared + tile * sizeof(Word));
  const unsigned width = buckets.width, half = (width + 1) / 2;
  auto* const start = reinterpret_cast<unsigned*>(shared + region_bytes);  // [2 half]
  unsigned* const next = start + 2 * half;                                 // [2 half]
  __shared__ unsigned warp_sums[PartitionPolicy::warps];
  __shared__ int descents;

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Chunk chunk = plan.chunks[number];
  const bool whole = chunk.whole(tile);
  const unsigned first_column = chunk.bucket * width;
  const unsigned columns = min(in.cols - first_column, width);
  if (!whole) {
    begin_chunk(chunk, plan, width, columns, next, start, warp_sums, out.col_ptr);
  }
  const WarpCounters own{counters + warp * half, half};
  const unsigned tiles = (chunk.end - chunk.begin + tile - 1) / tile;
  // Tiles of one chunk are about equal, in whole steps of a block.
  const unsigned steps =
      tiles == 0 ? 0 : ((chunk.end - chunk.begin + tiles - 1) / tiles + threads - 1) / threads;
  unsigned begin = chunk.begin;
  do {
    const unsigned count = min(steps * threads, chunk.end - begin);
    const unsigned mine = warp * 32 * steps + lane;
    Word words[items];
    [[maybe_unused]] unsigned payload[fused ? items : 1];
#pragma unroll
    for (int j = 0; j < items; ++j) {
      words[j] = 0;
      if (mine + j * 32 < count && j < steps) {
        if constexpr (fused) {
          const uint2 entry = __ldcs(static_cast<const uint2*>(entries) + begin + mine + j * 32);
          words[j] = entry.x;
          payload[j] = entry.y;
        } else {
          words[j] = __ldcs(static_cast<const Word*>(entries) + begin + mine + j * 32);
        }
      }
    }
    __syncthreads();  // the previous tile has left
    for (unsigned i = threadIdx.x; i < half * PartitionPolicy::warps; i += threads) {
      counters[i] = 0;
    }
    __syncthreads();
    unsigned place[items];
    if (!redo) {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        place[j] = mine + j * 32 < count && j < steps
                       ? rank_by_add(own, EntryWord::low(words[j], buckets.low_bits))
                       : 0;
      }
    } else {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        place[j] = rank_by_match(own, EntryWord::low(words[j], buckets.low_bits),
                                 mine + j * 32 < count && j < steps);
      }
    }
    __syncthreads();
    places_from_counts(counters, half, start, warp_sums);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < items; ++j) {
      place[j] += own.read(EntryWord::low(words[j], buckets.low_bits));
    }
    if (whole) {
      for (unsigned c = threadIdx.x; c < columns; c += threads) {
        out.col_ptr.set(first_column + c, begin + start[c]);
      }
    }
    __syncthreads();  // the counters are dead; what follows stages over them
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if (mine + j * 32 < count && j < steps) {
        if constexpr (fused) {
          reinterpret_cast<uint2*>(shared)[place[j]] = {words[j], payload[j]};
        } else {
          staged[place[j]] = words[j];
          if constexpr (valued) {
            staged_values[place[j]] = __ldcs(values + begin + mine + j * 32);
          }
        }
      }
    }
    __syncthreads();
    const auto row_at = [&](unsigned i) {
      return EntryWord::row(fused ? reinterpret_cast<const Word*>(shared)[2 * i] : staged[i],
                            buckets.low_bits);
    };
    int not_ascending = 0;  // neighbours out of order, without those that begin a column
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += threads) {
      unsigned to = begin + i;
      Word word;
      Value value;
      if constexpr (fused) {
        const uint2 entry = reinterpret_cast<const uint2*>(shared)[i];
        word = entry.x;
        value = __uint_as_float(entry.y);
      } else {
        word = staged[i];
        if constexpr (valued) {
          value = staged_values[i];
        }
      }
      const unsigned row = EntryWord::row(word, buckets.low_bits);
      if (whole) {
        not_ascending += i > 0 && row <= row_at(i - 1);
      } else {
        const unsigned c = EntryWord::low(word, buckets.low_bits);
        to = next[c] + i - start[c];
      }
      out.row_idx[to] = row;
      if constexpr (valued) {
        out.values[to] = value;
      }
    }
    if (whole && !redo) {
      for (unsigned c = threadIdx.x; c < width; c += threads) {
        const unsigned at = start[c], end = c + 1 < 2 * half ? start[c + 1] : count;
        not_ascending -= at > 0 && at < end && row_at(at) <= row_at(at - 1);
      }
      if (block_sum(not_ascending, &descents) != 0 && threadIdx.x == 0) {
        *disorder = 1;
      }
    }
    if (!whole) {
      __syncthreads();
      for (unsigned c = threadIdx.x; c < width; c += threads) {
        next[c] += (c + 1 < 2 * half ? start[c + 1] : count) - start[c];
      }
    }
    begin += count;
  } while (begin < chunk.end);
}

/// `redo` null: the first try, a block per chunk. Else the second, which runs only if *redo is not
/// 0.
template <class Word, class Value, int items>
__global__ void __launch_bounds__(PartitionPolicy::threads, 1)
    bucket_kernel(BucketInput<Value> in, unsigned nnz, Plan plan, BucketOutput<Word, Value> out,
                  unsigned region_bytes, const int* redo, int* disorder) {
  if (redo != nullptr && *redo == 0) {
    return;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out.col_ptr.set(in.cols, nnz);
  }
  const unsigned chunk_count = *plan.chunk_count;
  for (unsigned number = blockIdx.x; number < chunk_count; number += gridDim.x) {
    sort_chunk<Word, Value, items>(in, plan, out, region_bytes, redo != nullptr, disorder, number);
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
