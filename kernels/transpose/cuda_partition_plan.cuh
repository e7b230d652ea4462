// Between the passes of cuda_partition: where buckets begin in A^T, their division into chunks of
// about equal work, and the columns of chunks that do not fit one tile.
#pragma once

#include "transpose/cuda_partition_runs.cuh"

namespace sparserepro::partition {

/// The part of a bucket that lies in tiles [first_tile, end_tile), the work of one block.
struct Chunk {
  unsigned bucket;
  unsigned base;  ///< first entry of the bucket in A^T
  unsigned first_tile, end_tile;
  unsigned first;  ///< number of the bucket's first chunk
  unsigned index;  ///< among the bucket's chunks
  unsigned count;  ///< chunks of the bucket; 0: the bucket is one tile of the bucket pass
};

/// Entries of a bucket and the tiles where its first and last are.
struct BucketExtent {
  unsigned entries;
  unsigned first_tile, end_tile;
};

struct Plan {
  BucketExtent* extents;
  unsigned* blocks_done;  ///< 0 before and after
  unsigned* chunk_count;
  unsigned* chunks_taken;  ///< beyond the first of each block
  unsigned* partial_count;
  Chunk* chunks;
  unsigned* partial;        ///< numbers of the chunks of buckets beyond one tile
  unsigned* column_counts;  ///< [chunks][width] entries of each column, of those chunks
};

/// Upper bound of the number of chunks.
constexpr std::size_t largest_chunk_count(std::size_t buckets, std::size_t nnz,
                                          std::size_t chunk_entries) {
  return buckets + nnz / chunk_entries + 1;
}

inline constexpr int plan_threads = 512;

/// Cuts the buckets into chunks: one block. A bucket above one tile is cut into chunks of about
/// `target` entries, or larger ones.
__device__ __forceinline__ void cut_buckets(unsigned buckets, unsigned target, unsigned window,
                                            const Plan& plan) {
  __shared__ unsigned warp_sums[plan_threads / 32], more_sums[plan_threads / 32];
  const unsigned each = (buckets + plan_threads - 1) / plan_threads;
  const unsigned first = min(threadIdx.x * each, buckets);
  const unsigned last = min(first + each, buckets);
  const auto whole = [&](const BucketExtent& b) {
    return b.entries <= tile_entries && b.end_tile - b.first_tile <= window;
  };
  const auto chunks_of = [&](const BucketExtent& b) {
    return whole(b)
               ? 1
               : min((b.entries - 1) / target + 1,
                     min(b.end_tile - b.first_tile, unsigned{PartitionPolicy::chunks_per_bucket}));
  };
  unsigned entries = 0, mine = 0;
  for (unsigned d = first; d < last; ++d) {
    entries += plan.extents[d].entries;
    mine += chunks_of(plan.extents[d]);
  }
  unsigned total;
  unsigned base = block_exclusive_sum<plan_threads>(entries, warp_sums, total);
  unsigned number = block_exclusive_sum<plan_threads>(mine, more_sums, total);
  if (threadIdx.x == 0) {
    *plan.partial_count = 0;
    *plan.chunks_taken = 0;
    *plan.chunk_count = total;
  }
  __syncthreads();
  for (unsigned d = first; d < last; ++d) {
    const BucketExtent b = plan.extents[d];
    const unsigned count = chunks_of(b), tiles = b.end_tile - b.first_tile;
    for (unsigned k = 0; k < count; ++k) {
      const auto cut = [&](unsigned i) {
        return count == 1 ? i * tiles : static_cast<unsigned>(std::uint64_t{tiles} * i / count);
      };
      const unsigned from = cut(k), to = cut(k + 1);
      plan.chunks[number + k] = {d,      base, b.first_tile + from, b.first_tile + to,
                                 number, k,    whole(b) ? 0 : count};
      if (!whole(b)) {
        plan.partial[atomicAdd(plan.partial_count, 1U)] = number + k;
      }
    }
    number += count;
    base += b.entries;
  }
}

/// A warp per bucket finds its extent; the last block to finish cuts the buckets.
__global__ void __launch_bounds__(plan_threads)
    plan_kernel(RunTable table, unsigned tiles, unsigned buckets, unsigned target, unsigned window,
                Plan plan) {
  constexpr int ahead = 11;
  follow_previous_kernel();
  const unsigned d = blockIdx.x * (plan_threads / 32) + threadIdx.x / 32;
  if (d < buckets) {
    unsigned entries = 0, first = ~0U, end = 0;
    for (unsigned begin = threadIdx.x % 32; begin < tiles; begin += 32 * ahead) {
      unsigned sizes[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        sizes[k] = begin + 32 * k < tiles ? table.range[begin + 32 * k] : 0;
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        sizes[k] = table.size(d, begin + 32 * k, sizes[k]);
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        entries += sizes[k];
        if (sizes[k] > 0) {
          first = min(first, begin + 32 * k);
          end = begin + 32 * k + 1;
        }
      }
    }
    entries = __reduce_add_sync(full_warp, entries);
    first = __reduce_min_sync(full_warp, first);
    end = __reduce_max_sync(full_warp, end);
    if (threadIdx.x % 32 == 0) {
      plan.extents[d] = {entries, entries == 0 ? 0 : first, end};
    }
  }
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(plan.blocks_done, 1U) == gridDim.x - 1;
    if (last) {
      *plan.blocks_done = 0;
    }
    __threadfence();
  }
  __syncthreads();
  if (last) {
    cut_buckets(buckets, target, window, plan);
  }
}

/// Counts the columns of each chunk of a bucket beyond one tile.
template <class Value>
__global__ void __launch_bounds__(threads)
    count_columns_kernel(const void* entries, RunTable table, ColumnBuckets buckets, Plan plan) {
  extern __shared__ unsigned marks[];             // [tile_entries]
  unsigned* const counts = marks + tile_entries;  // [width]
  __shared__ unsigned warp_sums[warps];
  __shared__ uint2 cut;
  follow_previous_kernel();
  const unsigned partial_count = *plan.partial_count;
  for (unsigned k = blockIdx.x; k < partial_count; k += gridDim.x) {
    const unsigned number = plan.partial[k];
    const Chunk chunk = plan.chunks[number];
    for (unsigned i = threadIdx.x; i < buckets.width; i += threads) {
      counts[i] = 0;
    }
    for (unsigned t = chunk.first_tile; t < chunk.end_tile;) {
      const Window window =
          open_window(table, chunk.bucket, t, chunk.end_tile, marks, warp_sums, &cut);
      const unsigned mine = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
      unsigned words[items];
#pragma unroll
      for (int j = 0; j < items; ++j) {
        words[j] = word_at<Value>(entries, place_in_window(marks, mine + j * 32));
      }
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (mine + j * 32 < window.count) {
          count_digit(counts, words[j] & ((1U << buckets.low_bits) - 1));
        }
      }
      t += window.tiles;
      __syncthreads();
    }
    unsigned* const out = plan.column_counts + static_cast<std::size_t>(number) * buckets.width;
    for (unsigned i = threadIdx.x; i < buckets.width; i += threads) {
      out[i] = counts[i];
    }
    __syncthreads();
  }
}

/// Sets next[c] to where the chunk's entries of column c begin in A^T; the first chunk of a bucket
/// writes the column pointers. `sums` [width] is scratch.
__device__ __forceinline__ void begin_chunk(const Chunk& chunk, const Plan& plan, unsigned width,
                                            unsigned columns, unsigned* next, unsigned* sums,
                                            unsigned* warp_sums, AnyPointers col_ptr) {
  const unsigned each = (width + threads - 1) / threads;
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
  const unsigned base = chunk.base + block_exclusive_sum(sum, warp_sums, all);
  for (unsigned c = first; c < last; ++c) {
    next[c] += base;
    if (chunk.index == 0 && c < columns) {
      col_ptr.set(static_cast<std::size_t>(chunk.bucket) * width + c, base + sums[c]);
    }
  }
  __syncthreads();  // warp_sums is free again
}

}  // namespace sparserepro::partition
