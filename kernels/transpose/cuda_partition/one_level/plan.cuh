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

/// Entries of a bucket, those of all buckets before, and the tiles where its first and last are.
struct BucketExtent {
  unsigned entries, before;
  unsigned first_tile, end_tile;
};

struct Plan {
  PassState* state;
  Chunk* chunks;  ///< [buckets] whole ones, then the partial ones, in any order of buckets
  unsigned* column_counts;  ///< [partial][width] entries of each column of those chunks
  unsigned buckets, width;  ///< and columns of a bucket
  unsigned tile, target;    ///< entries of a whole bucket at most; of a chunk about
  unsigned window;          ///< tiles that a block of the bucket pass looks up at once
  static constexpr unsigned no_bucket = ~0U;  ///< stands for a bucket that is not whole

  __device__ bool is_whole(const BucketExtent& b) const {
    return b.entries <= tile && b.end_tile - b.first_tile <= window;
  }
  /// Chunks of a bucket: one, or of about `target` entries, or larger ones.
  __device__ unsigned chunks_of(const BucketExtent& b) const {
    const unsigned most =
        min(b.end_tile - b.first_tile, unsigned{DevicePartitionPolicy::chunks_per_bucket});
    return is_whole(b) ? 1 : min((b.entries - 1) / target + 1, most);
  }
  /// Lists, of a bucket's `count` chunks from the partial one `first` on, that number k begins with
  /// `tile`, and that number k - 1 ends there.
  __device__ void bound(unsigned bucket, unsigned base, unsigned first, unsigned count, unsigned k,
                        unsigned tile) const {
    auto* const halves = reinterpret_cast<uint4*>(chunks + buckets + first + k);
    if (k < count) {
      halves[0] = {bucket, bucket * width, base, tile};
    }
    if (k > 0) {
      halves[-1] = {tile, first, k - 1, count};
    } else {
      chunks[bucket] = {no_bucket, 0, 0, 0, 0, 0, 0, 0};  // whole, as it is loaded
    }
  }
  /// Lists a bucket if it is whole, else begins the list of its `count` chunks; returns the first.
  __device__ unsigned list(unsigned bucket, const BucketExtent& b, unsigned count) const {
    if (is_whole(b)) {
      chunks[bucket] = {bucket, bucket * width, b.before, b.first_tile, b.end_tile, 0, 0, 0};
      return 0;
    }
    const unsigned first = atomicAdd(&state->partial_count, count);
    bound(bucket, b.before, first, count, 0, b.first_tile);
    return first;
  }
  /// The chunk that is number `i` in turn: the partial ones come first.
  __device__ unsigned in_turn(unsigned i, unsigned partial_count) const {
    return i < partial_count ? buckets + i : i - partial_count;
  }
};

inline constexpr int plan_threads = 512, bucket_threads = 128;
inline constexpr int plan_buckets = plan_threads / bucket_threads;

/// Plans the buckets of stretch `number`, four warps each, which find its extent. Where it begins
/// in A^T is the sum of where its runs begin in their tiles, so no bucket need know of another.
template <int threads>
__device__ __forceinline__ void plan_stretch(const TiledMatrix& a, const RunTable& table,
                                             const Plan& plan, unsigned number) {
  constexpr int ahead = 6;
  __shared__ BucketExtent extents[threads / 32];
  const unsigned d = number * (threads / bucket_threads) + threadIdx.x / bucket_threads;
  BucketExtent all{0, 0, ~0U, 0};
  const unsigned end = d < a.buckets.count ? a.tiles : 0;
  for (unsigned t = threadIdx.x % bucket_threads; t < end; t += bucket_threads * ahead) {
    unsigned runs[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const unsigned at = t + bucket_threads * k;
      runs[k] = at < end ? table.run(d, at) : 0;
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      all.entries += runs[k] >> 16;
      all.before += runs[k] & 0xffffU;
      if (runs[k] >> 16 > 0) {
        all.first_tile = min(all.first_tile, t + bucket_threads * k);
        all.end_tile = t + bucket_threads * k + 1;
      }
    }
  }
  all = {__reduce_add_sync(full_warp, all.entries), __reduce_add_sync(full_warp, all.before),
         __reduce_min_sync(full_warp, all.first_tile), __reduce_max_sync(full_warp, all.end_tile)};
  if (threadIdx.x % 32 == 0) {
    extents[threadIdx.x / 32] = all;
  }
  __syncthreads();
  if (d < a.buckets.count && threadIdx.x % bucket_threads == 0) {
    for (int w = 1; w < bucket_threads / 32; ++w) {
      const BucketExtent& more = extents[threadIdx.x / 32 + w];
      all = {all.entries + more.entries, all.before + more.before,
             min(all.first_tile, more.first_tile), max(all.end_tile, more.end_tile)};
    }
    all.first_tile = all.entries == 0 ? 0 : all.first_tile;
    const unsigned count = plan.chunks_of(all), tiles = all.end_tile - all.first_tile;
    const unsigned first = plan.list(d, all, count);
#pragma unroll 1
    for (unsigned k = 1; k <= count && !plan.is_whole(all); ++k) {  // tiles * count < 2^32
      plan.bound(d, all.before, first, count, k, all.first_tile + tiles * k / count);
    }
  }
}

static __global__ void __launch_bounds__(plan_threads)
    plan_kernel(TiledMatrix a, RunTable table, Plan plan) {
  let_next_grid_launch();
  wait_for_previous_grid();
  if (plan.state->is_band == 0) {
    plan_stretch<plan_threads>(a, table, plan, blockIdx.x);
  }
}

}  // namespace sparserepro::partition
