// Between the passes of cuda_partition: where buckets begin in A^T, their division into chunks of
// about equal work, and the columns of chunks that do not fit one tile.
#pragma once

#include "transpose/cuda_partition/one_level/find_rows.cuh"
#include "transpose/cuda_partition/one_level/runs.cuh"

namespace sparserepro::partition {

/// The part of a bucket that lies in tiles [first_tile, end_tile), the work of one block.
struct alignas(16) Chunk {
  unsigned first_column, columns;
  unsigned bias;           ///< subtracted from words, to count columns from the first one
  unsigned row, last_row;  ///< of the bucket in the table of runs
  unsigned base;           ///< first entry of the bucket in A^T
  unsigned first_tile, end_tile;
  unsigned first;       ///< number of the bucket's first chunk among the partial ones
  unsigned index;       ///< among the bucket's chunks
  unsigned count;       ///< chunks of the bucket; 0: the bucket is one tile of the bucket pass
  unsigned filler = 0;  ///< what aligns chunks is read with them
};

/// Entries of a bucket and the tiles where its first and last are.
struct BucketExtent {
  unsigned entries;
  unsigned first_tile, end_tile;
};

/// Of a number of pieces of work that blocks take in turn, and whose results other blocks read.
struct Progress {
  unsigned taken, done;

  /// After a barrier of the block that has done it.
  __device__ void one_done() {
    if (threadIdx.x == 0) {
      __threadfence();  // with the barriers, between what all threads wrote and read
      atomicAdd(&done, 1U);
    }
  }
  /// A barrier of the block as well.
  __device__ void await(unsigned count) {
    if (threadIdx.x == 0) {
      while (*static_cast<volatile unsigned*>(&done) < count) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

/// What the kernels of one way tell each other, and the host afterwards; 0 before the first run.
struct PassState {
  unsigned disorder;  ///< neighbours in a column of A^T that do not ascend
  unsigned blocks_done, chunk_count, chunks_taken, partial_count;  ///< as in Plan
  unsigned band_far, band_blocks_done, band_was_narrow;            ///< as in Band
  unsigned way, locality_runs, locality_blocks_done;               ///< as in Locality
  alignas(128) Progress counted, split_again;                      ///< as in Plan
};

struct Plan {
  BucketExtent* extents;
  unsigned* blocks_done;  ///< 0 before and after
  unsigned* chunk_count;
  unsigned* chunks_taken;  ///< beyond the first of each block
  unsigned* partial_count;
  Progress* counted;      ///< of the chunks of buckets beyond one tile
  Progress* split_again;  ///< of the tiles of one level
  Chunk* chunks;
  unsigned* partial;        ///< numbers of the chunks of buckets beyond one tile
  unsigned* column_counts;  ///< [partial][width] entries of each column of those chunks
  unsigned width;
  Gate gate = {};
  Band band = {};
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

/// Cuts the buckets into chunks: one block, a bucket per thread at a time. A bucket above one tile
/// is cut into chunks of about `target` entries, or larger ones. The code is short, for it runs
/// once: every line of it is fetched.
__device__ __forceinline__ void cut_buckets(const ColumnBuckets& buckets, unsigned target,
                                            unsigned tile_entries, unsigned window,
                                            const Plan& plan) {
  __shared__ unsigned sums[3][plan_threads / 32];
  const auto extent_at = [&](unsigned d) {
    return d < buckets.count ? plan.extents[d] : BucketExtent{0, 0, 0};
  };
  unsigned base = 0, number = 0, partial = 0;  // entries and chunks before
  BucketExtent following = extent_at(threadIdx.x);
#pragma unroll 1
  for (unsigned begin = 0; begin < buckets.count; begin += plan_threads) {
    const unsigned d = begin + threadIdx.x;
    const BucketExtent b = following;
    following = extent_at(d + plan_threads);
    const unsigned tiles = b.end_tile - b.first_tile;
    const bool whole = b.entries <= tile_entries && tiles <= window;
    const unsigned count =
        d >= buckets.count ? 0
        : whole            ? 1
                           : min((b.entries - 1) / target + 1,
                                 min(tiles, unsigned{DevicePartitionPolicy::chunks_per_bucket}));
    unsigned entries, chunks, partials;
    const unsigned own_base = base + block_exclusive_sum<plan_threads>(b.entries, sums[0], entries);
    const unsigned own = number + block_exclusive_sum<plan_threads>(count, sums[1], chunks);
    const unsigned own_partial =
        partial + block_exclusive_sum<plan_threads>(whole ? 0 : count, sums[2], partials);
#pragma unroll 1
    for (unsigned k = 0; k < count; ++k) {  // tiles * count < 2^32
      plan.chunks[own + k] = {d * buckets.width,
                              buckets.width,
                              0,
                              d,
                              d,
                              own_base,
                              b.first_tile + tiles * k / count,
                              b.first_tile + tiles * (k + 1) / count,
                              own_partial,
                              k,
                              whole ? 0 : count};
      if (!whole) {
        plan.partial[own_partial + k] = own + k;
      }
    }
    base += entries;
    number += chunks;
    partial += partials;
    __syncthreads();  // the sums are free again
  }
  if (threadIdx.x == 0) {
    *plan.partial_count = partial;
    *plan.chunks_taken = 0;
    *plan.counted = {0, 0};
    *plan.split_again = {0, 0};
    *plan.chunk_count = number;
  }
}

/// Four warps per bucket find its extent; the last block to finish cuts the buckets.
__global__ void __launch_bounds__(plan_threads)
    plan_kernel(RunTable table, unsigned tiles, ColumnBuckets buckets, unsigned target,
                unsigned tile_entries, unsigned window, Plan plan) {
  constexpr int ahead = 6;
  __shared__ BucketExtent extents[plan_threads / 32];
  follow_previous_kernel();
  if (plan.gate.closed()) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *plan.chunk_count = 0;
      *plan.partial_count = 0;
    }
    return;
  }
  const unsigned d = blockIdx.x * plan_buckets + threadIdx.x / bucket_threads;
  unsigned entries = 0, first = ~0U, end = 0;
  if (d < buckets.count) {
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
  if (d < buckets.count && threadIdx.x % bucket_threads == 0) {
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

}  // namespace sparserepro::partition
