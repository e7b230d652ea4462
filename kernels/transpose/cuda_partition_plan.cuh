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
  unsigned first;  ///< number of the bucket's first chunk among the partial ones
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
  unsigned* column_counts;  ///< [partial][width] entries of each column of those chunks
};

/// Upper bound of the number of chunks.
constexpr std::size_t largest_chunk_count(std::size_t buckets, std::size_t nnz,
                                          std::size_t chunk_entries) {
  return buckets + nnz / chunk_entries + 1;
}

inline constexpr int plan_threads = 512, bucket_threads = 128;
inline constexpr int plan_buckets = plan_threads / bucket_threads;

/// Upper bound of the number of chunks of buckets beyond one tile: of those of more than a tile of
/// entries, unless some span more tiles than a block looks up at once.
constexpr std::size_t largest_partial_count(std::size_t buckets, std::size_t nnz, std::size_t tiles,
                                            std::size_t chunk_entries, std::size_t window) {
  const std::size_t all = largest_chunk_count(buckets, nnz, chunk_entries);
  return tiles > window ? all : std::min(all, 2 * nnz / chunk_entries + 1);
}

/// Cuts the buckets into chunks: one block. A bucket above one tile is cut into chunks of about
/// `target` entries, or larger ones.
__device__ __forceinline__ void cut_buckets(unsigned buckets, unsigned target,
                                            unsigned tile_entries, unsigned window,
                                            const Plan& plan) {
  __shared__ unsigned sums[3][plan_threads / 32];
  constexpr int most_each = PartitionPolicy::largest_digits / plan_threads + 1;
  const unsigned each = (buckets + plan_threads - 1) / plan_threads;
  const unsigned first = min(threadIdx.x * each, buckets);
  const unsigned mine_count = min(each, buckets - first);
  BucketExtent mine_extents[most_each];
#pragma unroll
  for (int k = 0; k < most_each; ++k) {
    mine_extents[k] = k < mine_count ? plan.extents[first + k] : BucketExtent{0, 0, 0};
  }
  const auto whole = [&](const BucketExtent& b) {
    return b.entries <= tile_entries && b.end_tile - b.first_tile <= window;
  };
  const auto chunks_of = [&](const BucketExtent& b) {
    return whole(b)
               ? 1
               : min((b.entries - 1) / target + 1,
                     min(b.end_tile - b.first_tile, unsigned{PartitionPolicy::chunks_per_bucket}));
  };
  unsigned entries = 0, mine = 0, mine_partial = 0;
#pragma unroll
  for (int k = 0; k < most_each; ++k) {
    const BucketExtent& b = mine_extents[k];
    entries += b.entries;
    mine += k < mine_count ? chunks_of(b) : 0;
    mine_partial += whole(b) ? 0 : chunks_of(b);
  }
  unsigned total, total_partial;
  unsigned base = block_exclusive_sum<plan_threads>(entries, sums[0], total);
  unsigned number = block_exclusive_sum<plan_threads>(mine, sums[1], total);
  unsigned partial = block_exclusive_sum<plan_threads>(mine_partial, sums[2], total_partial);
  if (threadIdx.x == 0) {
    *plan.partial_count = total_partial;
    *plan.chunks_taken = 0;
    *plan.chunk_count = total;
  }
#pragma unroll
  for (int e = 0; e < most_each; ++e) {
    if (e >= mine_count) {
      break;
    }
    const unsigned d = first + e;
    const BucketExtent b = mine_extents[e];
    const unsigned count = chunks_of(b), tiles = b.end_tile - b.first_tile;
    const unsigned first_partial = partial;
    for (unsigned k = 0; k < count; ++k) {  // tiles * count < 2^32
      plan.chunks[number + k] = {d,
                                 base,
                                 b.first_tile + tiles * k / count,
                                 b.first_tile + tiles * (k + 1) / count,
                                 first_partial,
                                 k,
                                 whole(b) ? 0 : count};
      if (!whole(b)) {
        plan.partial[partial++] = number + k;
      }
    }
    number += count;
    base += b.entries;
  }
}

/// Four warps per bucket find its extent; the last block to finish cuts the buckets.
__global__ void __launch_bounds__(plan_threads)
    plan_kernel(RunTable table, unsigned tiles, unsigned buckets, unsigned target,
                unsigned tile_entries, unsigned window, Plan plan) {
  constexpr int ahead = 6;
  __shared__ BucketExtent extents[plan_threads / 32];
  follow_previous_kernel();
  const unsigned d = blockIdx.x * plan_buckets + threadIdx.x / bucket_threads;
  unsigned entries = 0, first = ~0U, end = 0;
  if (d < buckets) {
    for (unsigned begin = threadIdx.x % bucket_threads; begin < tiles;
         begin += bucket_threads * ahead) {
      unsigned sizes[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const unsigned t = begin + bucket_threads * k;
        sizes[k] = t < tiles ? table.run(d, t) >> 16 : 0;
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        entries += sizes[k];
        if (sizes[k] > 0) {
          first = min(first, begin + bucket_threads * k);
          end = begin + bucket_threads * k + 1;
        }
      }
    }
  }
  entries = __reduce_add_sync(full_warp, entries);
  first = __reduce_min_sync(full_warp, first);
  end = __reduce_max_sync(full_warp, end);
  if (threadIdx.x % 32 == 0) {
    extents[threadIdx.x / 32] = {entries, first, end};
  }
  __syncthreads();
  if (d < buckets && threadIdx.x % bucket_threads == 0) {
    for (int w = 1; w < bucket_threads / 32; ++w) {
      const BucketExtent& more = extents[threadIdx.x / 32 + w];
      entries += more.entries;
      first = min(first, more.first_tile);
      end = max(end, more.end_tile);
    }
    plan.extents[d] = {entries, entries == 0 ? 0 : first, end};
  }
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // with the barriers, between what all threads wrote and read
    last = atomicAdd(plan.blocks_done, 1U) == gridDim.x - 1;
    if (last) {
      *plan.blocks_done = 0;
    }
    __threadfence();
  }
  __syncthreads();
  if (last) {
    cut_buckets(buckets, target, tile_entries, window, plan);
  }
}

/// Counts the columns of each chunk of a bucket beyond one tile.
template <class Value, int threads>
__global__ void __launch_bounds__(threads, PartitionPolicy::block_threads / threads)
    count_columns_kernel(const void* entries, RunTable table, ColumnBuckets buckets, Plan plan) {
  constexpr int items = items_of<Value>, tile_entries = tile_of<Value, threads>;
  extern __shared__ __align__(16) unsigned marks[];  // [tile_entries]
  unsigned* const counts = marks + tile_entries;     // [width]
  __shared__ unsigned warp_sums[threads / 32];
  __shared__ uint2 cut;
  follow_previous_kernel();
  const unsigned partial_count = *plan.partial_count;
  for (unsigned k = blockIdx.x; k < partial_count; k += gridDim.x) {
    const Chunk chunk = plan.chunks[plan.partial[k]];
    for (unsigned i = threadIdx.x; i < buckets.width; i += threads) {
      counts[i] = 0;
    }
    for (unsigned t = chunk.first_tile; t < chunk.end_tile;) {
      const Window window = open_window<threads, tile_entries>(
          table, chunk.bucket, t, chunk.end_tile, marks, warp_sums, &cut);
      const unsigned mine = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
      unsigned words[items];
#pragma unroll
      for (int j = 0; j < items; ++j) {
        words[j] = word_at<Value>(entries, place_in_window(marks, mine + j * 32));
      }
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (mine + j * 32 < window.count) {
          atomicAdd(counts + (words[j] & ((1U << buckets.low_bits) - 1)), 1U);
        }
      }
      t += window.tiles;
      __syncthreads();
    }
    unsigned* const out = plan.column_counts + static_cast<std::size_t>(k) * buckets.width;
    for (unsigned i = threadIdx.x; i < buckets.width; i += threads) {
      out[i] = counts[i];
    }
    __syncthreads();
  }
}

/// Sets next[c] to where the chunk's entries of column c begin in A^T, and the lower 13 bits of
/// *frequent (0 before) to the bucket's most frequent column; the first chunk of a bucket writes
/// the column pointers. `sums` [width] is scratch.
template <int threads>
__device__ __forceinline__ void begin_chunk(const Chunk& chunk, const Plan& plan, unsigned width,
                                            unsigned columns, unsigned* next, unsigned* sums,
                                            unsigned* warp_sums, unsigned* frequent,
                                            AnyPointers col_ptr) {
  const unsigned each = (width + threads - 1) / threads;
  const unsigned first = min(threadIdx.x * each, width);
  const unsigned last = min(first + each, width);
  const unsigned* const counts = plan.column_counts + static_cast<std::size_t>(chunk.first) * width;
  constexpr int ahead = 16;
  unsigned sum = 0;
  unsigned most = 0;
  for (unsigned c = first; c < last; ++c) {
    unsigned before = 0, total = 0;
    for (unsigned begin = 0; begin < chunk.count; begin += ahead) {
      unsigned count[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        count[k] = begin + k < chunk.count ? counts[std::size_t{begin + k} * width + c] : 0;
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        before += begin + k < chunk.index ? count[k] : 0;
        total += count[k];
      }
    }
    sums[c] = sum;
    next[c] = sum + before;
    sum += total;
    most = max(most, min(total, 0x7ffffU) << 13 | c);
  }
  most = __reduce_max_sync(full_warp, most);
  if (threadIdx.x % 32 == 0) {
    atomicMax(frequent, most);
  }
  unsigned all;
  const unsigned base = chunk.base + block_exclusive_sum<threads>(sum, warp_sums, all);
  for (unsigned c = first; c < last; ++c) {
    next[c] += base;
    if (chunk.index == 0 && c < columns) {
      col_ptr.set(static_cast<std::size_t>(chunk.bucket) * width + c, base + sums[c]);
    }
  }
  __syncthreads();  // warp_sums is free again
}

}  // namespace sparserepro::partition
