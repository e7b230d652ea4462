// Between the passes of cuda_partition: where buckets begin in A^T, and their division into chunks
// of about equal work.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"

namespace sparserepro::partition {

/// The part of a bucket that lies in tiles [first_tile, end_tile), the work of one block.
struct alignas(16) Chunk {
  unsigned bucket, first_column;
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
  PassState* state;
  Chunk* chunks;
  unsigned* partial;        ///< numbers of the chunks of buckets beyond one tile
  unsigned* column_counts;  ///< [partial][width] entries of each column of those chunks
  unsigned width;           ///< columns of a bucket
  unsigned tile, target;    ///< entries of a whole bucket at most; of a chunk about
  unsigned window;          ///< tiles that a block of the bucket pass looks up at once

  __device__ bool is_whole(const BucketExtent& b) const {
    return b.entries <= tile && b.end_tile - b.first_tile <= window;
  }
  /// Chunks of a bucket: one, or of about `target` entries, or larger ones.
  __device__ unsigned chunks_of(const BucketExtent& b) const {
    return is_whole(b) ? 1
                       : min((b.entries - 1) / target + 1,
                             min(b.end_tile - b.first_tile,
                                 unsigned{DevicePartitionPolicy::chunks_per_bucket}));
  }
  /// Lists the `count` chunks of a bucket, from `number` and among the partial ones `first` on.
  __device__ void list(unsigned bucket, unsigned base, const BucketExtent& b, unsigned count,
                       unsigned number, unsigned first) const {
    const unsigned tiles = b.end_tile - b.first_tile;
    const bool whole = is_whole(b);
#pragma unroll 1
    for (unsigned k = 0; k < count; ++k) {  // tiles * count < 2^32
      chunks[number + k] = {bucket,
                            bucket * width,
                            base,
                            b.first_tile + tiles * k / count,
                            b.first_tile + tiles * (k + 1) / count,
                            first,
                            k,
                            whole ? 0 : count};
      if (!whole) {
        partial[first + k] = number + k;
      }
    }
  }
};

inline constexpr int plan_threads = 512, bucket_threads = 128;
inline constexpr int plan_buckets = plan_threads / bucket_threads;

/// Cuts the buckets into chunks: one block, a bucket per thread at a time. The code is short, for
/// it runs once: every line of it is fetched.
__device__ __forceinline__ void cut_buckets(unsigned buckets, const Plan& plan) {
  __shared__ unsigned sums[3][plan_threads / 32];
  const auto extent_at = [&](unsigned d) {
    return d < buckets ? plan.extents[d] : BucketExtent{0, 0, 0};
  };
  unsigned base = 0, number = 0, partial = 0;  // entries and chunks before
  BucketExtent following = extent_at(threadIdx.x);
#pragma unroll 1
  for (unsigned begin = 0; begin < buckets; begin += plan_threads) {
    const unsigned d = begin + threadIdx.x;
    const BucketExtent b = following;
    following = extent_at(d + plan_threads);
    const unsigned count = d < buckets ? plan.chunks_of(b) : 0;
    unsigned entries, chunks = min(buckets - begin, unsigned{plan_threads}), partials = 0;
    const unsigned own_base = base + block_exclusive_sum<plan_threads>(b.entries, sums[0], entries);
    unsigned own = number + threadIdx.x, own_partial = partial;
    if (__syncthreads_or(!plan.is_whole(b)) != 0) {
      own = number + block_exclusive_sum<plan_threads>(count, sums[1], chunks);
      own_partial +=
          block_exclusive_sum<plan_threads>(plan.is_whole(b) ? 0 : count, sums[2], partials);
      __syncthreads();  // the sums are free again
    }
    plan.list(d, own_base, b, count, own, own_partial);
    base += entries;
    number += chunks;
    partial += partials;
  }
  if (threadIdx.x == 0) {
    plan.state->partial_count = partial;
    plan.state->chunk_count = number;
  }
}

/// Four warps per bucket find its extent; the last block to finish cuts the buckets.
__global__ void __launch_bounds__(plan_threads)
    plan_kernel(TiledMatrix a, RunTable table, Plan plan) {
  constexpr int ahead = 6;
  __shared__ BucketExtent extents[plan_threads / 32];
  follow_previous_kernel();
  if (a.is_band(*plan.state)) {
    return;
  }
  const unsigned d = blockIdx.x * plan_buckets + threadIdx.x / bucket_threads;
  BucketExtent all{0, ~0U, 0};
  const unsigned end = d < a.buckets.count ? a.tiles : 0;
  for (unsigned t = threadIdx.x % bucket_threads; t < end; t += bucket_threads * ahead) {
    unsigned sizes[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const unsigned at = t + bucket_threads * k;
      sizes[k] = at < end ? table.run(d, at) >> 16 : 0;
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      all.entries += sizes[k];
      if (sizes[k] > 0) {
        all.first_tile = min(all.first_tile, t + bucket_threads * k);
        all.end_tile = t + bucket_threads * k + 1;
      }
    }
  }
  all = {__reduce_add_sync(full_warp, all.entries), __reduce_min_sync(full_warp, all.first_tile),
         __reduce_max_sync(full_warp, all.end_tile)};
  if (threadIdx.x % 32 == 0) {
    extents[threadIdx.x / 32] = all;
  }
  __syncthreads();
  if (d < a.buckets.count && threadIdx.x % bucket_threads == 0) {
    for (int w = 1; w < bucket_threads / 32; ++w) {
      const BucketExtent& more = extents[threadIdx.x / 32 + w];
      all = {all.entries + more.entries, min(all.first_tile, more.first_tile),
             max(all.end_tile, more.end_tile)};
    }
    plan.extents[d] = {all.entries, all.entries == 0 ? 0 : all.first_tile, all.end_tile};
  }
  if (is_last_block(&plan.state->blocks_done)) {
    if (threadIdx.x == 0) {
      plan.state->blocks_done = 0;
    }
    cut_buckets(a.buckets.count, plan);
  }
}

}  // namespace sparserepro::partition
