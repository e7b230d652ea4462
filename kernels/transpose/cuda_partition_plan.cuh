// Between the passes of cuda_partition: buckets are cut into chunks of about equal work, and the
// columns of chunks that do not fit one tile are counted.
#pragma once

#include "transpose/cuda_partition_block.cuh"

namespace sparserepro::partition {

/// Entries [begin, end) of a bucket, the work of one block.
struct Chunk {
  unsigned bucket;
  unsigned begin, end;
  unsigned first;  ///< number of the bucket's first chunk
  unsigned index;  ///< among the bucket's chunks
  unsigned count;  ///< chunks of the bucket

  /// The whole bucket is one tile, so nothing need be known of it beforehand.
  __device__ bool whole(unsigned tile) const { return count == 1 && end - begin <= tile; }
};

struct Plan {
  unsigned* chunk_count;
  unsigned* partial_count;
  Chunk* chunks;
  unsigned* partial;        ///< numbers of the chunks that are not whole, in any order
  unsigned* column_counts;  ///< [chunks][width] entries of each column, of chunks not whole
};

/// Upper bound of the number of chunks.
constexpr std::size_t largest_chunk_count(std::size_t buckets, std::size_t nnz,
                                          std::size_t chunk_entries) {
  return buckets + nnz / chunk_entries + 1;
}

/// One block. A bucket above one tile is cut into chunks of `target` entries, or larger ones.
template <int tile>
__global__ void __launch_bounds__(PartitionPolicy::threads)
    plan_kernel(const unsigned* table, unsigned stride, unsigned buckets, unsigned nnz,
                unsigned target, Plan plan) {
  __shared__ unsigned warp_sums[PartitionPolicy::warps];
  const unsigned each = (buckets + PartitionPolicy::threads - 1) / PartitionPolicy::threads;
  const unsigned first = min(threadIdx.x * each, buckets);
  const unsigned last = min(first + each, buckets);
  const auto begin_of = [&](unsigned d) {
    return d < buckets ? table[static_cast<std::size_t>(d) * stride] : nnz;
  };
  const auto chunks_of = [&](unsigned size) {
    const unsigned wanted = size <= tile ? 1 : (size - 1) / target + 1;
    return min(wanted, unsigned{PartitionPolicy::chunks_per_bucket});
  };
  if (threadIdx.x == 0) {
    *plan.partial_count = 0;
  }
  unsigned mine = 0;
  for (unsigned d = first; d < last; ++d) {
    mine += chunks_of(begin_of(d + 1) - begin_of(d));
  }
  unsigned total;
  unsigned number = block_exclusive_sum(mine, warp_sums, total);
  for (unsigned d = first; d < last; ++d) {
    const unsigned begin = begin_of(d), end = begin_of(d + 1);
    const unsigned count = chunks_of(end - begin);
    const unsigned size = (end - begin + count - 1) / count;
    for (unsigned k = 0; k < count; ++k) {
      const unsigned from = min(begin + k * size, end);
      const Chunk chunk{d, from, min(from + size, end), number, k, count};
      plan.chunks[number + k] = chunk;
      if (!chunk.whole(tile)) {
        plan.partial[atomicAdd(plan.partial_count, 1U)] = number + k;
      }
    }
    number += count;
  }
  if (threadIdx.x == 0) {
    *plan.chunk_count = total;
  }
}

/// Counts the columns of each chunk that is not whole.
template <class Word, class Value>
__global__ void __launch_bounds__(PartitionPolicy::threads)
    count_columns_kernel(const void* entries, ColumnBuckets buckets, Plan plan) {
  extern __shared__ unsigned counts[];  // [width]
  const unsigned partial_count = *plan.partial_count;
  for (unsigned k = blockIdx.x; k < partial_count; k += gridDim.x) {
    const unsigned number = plan.partial[k];
    const Chunk chunk = plan.chunks[number];
    for (unsigned i = threadIdx.x; i < buckets.width; i += PartitionPolicy::threads) {
      counts[i] = 0;
    }
    __syncthreads();
#pragma unroll 8
    for (unsigned p = chunk.begin + threadIdx.x; p < chunk.end; p += PartitionPolicy::threads) {
      Word word;
      if constexpr (fused_entry<Word, Value>) {
        word = static_cast<const uint2*>(entries)[p].x;
      } else {
        word = static_cast<const Word*>(entries)[p];
      }
      count_digit(counts, EntryWord<Word>::low(word, buckets.low_bits));
    }
    __syncthreads();
    unsigned* const out = plan.column_counts + static_cast<std::size_t>(number) * buckets.width;
    for (unsigned i = threadIdx.x; i < buckets.width; i += PartitionPolicy::threads) {
      out[i] = counts[i];
    }
    __syncthreads();
  }
}

/// When each column is a bucket: the column pointers are the beginnings of the buckets.
__global__ void __launch_bounds__(PartitionPolicy::threads)
    pointers_kernel(const unsigned* table, unsigned stride, unsigned cols, unsigned nnz,
                    AnyPointers col_ptr) {
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c <= cols) {
    col_ptr.set(c, c < cols ? table[static_cast<std::size_t>(c) * stride] : nnz);
  }
}

/// Proves the order of the buckets that are not whole: rows ascend strictly within each column.
/// (Then no entry occurs twice, and A^T is the only answer.)
template <int tile>
__global__ void __launch_bounds__(PartitionPolicy::threads)
    verify_kernel(const unsigned* row_idx, AnyPointers col_ptr, ColumnBuckets buckets,
                  unsigned cols, Plan plan, int* disorder) {
  __shared__ unsigned column_begins[tile / 32];  // a bit per entry of the window
  const unsigned partial_count = *plan.partial_count;
  bool wrong = false;
  for (unsigned k = blockIdx.x; k < partial_count; k += gridDim.x) {
    const Chunk chunk = plan.chunks[plan.partial[k]];
    const unsigned first_column = chunk.bucket * buckets.width;
    const unsigned last_column = min(first_column + buckets.width, cols);
    for (unsigned begin = chunk.begin; begin < chunk.end; begin += tile) {
      const unsigned count = min(chunk.end - begin, unsigned{tile});
      for (unsigned i = threadIdx.x; i < tile / 32; i += PartitionPolicy::threads) {
        column_begins[i] = 0;
      }
      __syncthreads();
      for (unsigned c = first_column + threadIdx.x; c < last_column;
           c += PartitionPolicy::threads) {
        const unsigned at = col_ptr[c] - begin;  // wraps to a large number when before the window
        if (at < count) {
          atomicOr(column_begins + at / 32, 1U << at % 32);
        }
      }
      __syncthreads();
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += PartitionPolicy::threads) {
        wrong |= begin + i > 0 && (column_begins[i / 32] >> i % 32 & 1) == 0 &&
                 row_idx[begin + i] <= row_idx[begin + i - 1];
      }
      __syncthreads();
    }
  }
  if (wrong) {
    *disorder = 1;
  }
}

}  // namespace sparserepro::partition
