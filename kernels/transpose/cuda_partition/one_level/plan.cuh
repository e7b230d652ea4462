// Between the passes of cuda_partition: where buckets begin in A^T, their division into chunks of
// about equal work, and the columns of chunks that do not fit one tile.
#pragma once

#include <algorithm>

#include "cuda/device_memory.hpp"
#include "transpose/cuda_partition/one_level/find_rows.cuh"

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

struct Plan {
  BucketExtent* extents;
  PassState* state;
  Chunk* chunks;
  unsigned* partial;        ///< numbers of the chunks of buckets beyond one tile
  unsigned* column_counts;  ///< [partial][width] entries of each column of those chunks
  unsigned width;
  unsigned tile, target;  ///< entries of a whole bucket at most; of a chunk about
  unsigned window;        ///< tiles of the split that a block of the bucket pass looks up at once
  Gate gate = {};
  Band band = {};

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
  __device__ void list(Chunk chunk, const BucketExtent& b, unsigned count, unsigned number,
                       unsigned first) const {
    const unsigned tiles = b.end_tile - b.first_tile;
    const bool whole = is_whole(b);
    chunk.first = first;
    chunk.count = whole ? 0 : count;
#pragma unroll 1
    for (unsigned k = 0; k < count; ++k) {  // tiles * count < 2^32
      chunk.first_tile = b.first_tile + tiles * k / count;
      chunk.end_tile = b.first_tile + tiles * (k + 1) / count;
      chunk.index = k;
      chunks[number + k] = chunk;
      if (!whole) {
        partial[first + k] = number + k;
      }
    }
  }
};

/// The extent of the runs in row `row` of the table, in those of tiles [.., end) that the lanes of
/// the warp take from `first` on in steps.
template <int step, int ahead>
__device__ __forceinline__ BucketExtent extent_of_runs(const RunTable& table, unsigned row,
                                                       unsigned first, unsigned end) {
  BucketExtent all{0, ~0U, 0};
  for (unsigned t = first; t < end; t += step * ahead) {
    unsigned sizes[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      sizes[k] = t + step * k < end ? table.run(row, t + step * k) >> 16 : 0;
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      all.entries += sizes[k];
      if (sizes[k] > 0) {
        all.first_tile = min(all.first_tile, t + step * k);
        all.end_tile = t + step * k + 1;
      }
    }
  }
  return {__reduce_add_sync(full_warp, all.entries), __reduce_min_sync(full_warp, all.first_tile),
          __reduce_max_sync(full_warp, all.end_tile)};
}

inline constexpr int plan_threads = 512, bucket_threads = 128;
inline constexpr int plan_buckets = plan_threads / bucket_threads;

/// Cuts the buckets into chunks: one block, a bucket per thread at a time. The code is short, for
/// it runs once: every line of it is fetched.
__device__ __forceinline__ void cut_buckets(const ColumnBuckets& buckets, const Plan& plan) {
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
    const unsigned count = d < buckets.count ? plan.chunks_of(b) : 0;
    unsigned entries, chunks, partials;
    const unsigned own_base = base + block_exclusive_sum<plan_threads>(b.entries, sums[0], entries);
    const unsigned own = number + block_exclusive_sum<plan_threads>(count, sums[1], chunks);
    const unsigned own_partial = partial + block_exclusive_sum<plan_threads>(
                                               plan.is_whole(b) ? 0 : count, sums[2], partials);
    plan.list({d * buckets.width, buckets.width, 0, d, d, own_base}, b, count, own, own_partial);
    base += entries;
    number += chunks;
    partial += partials;
    __syncthreads();  // the sums are free again
  }
  if (threadIdx.x == 0) {
    plan.state->partial_count = partial;
    plan.state->chunk_count = number;
  }
}

/// Four warps per bucket find its extent; the last block to finish cuts the buckets.
__global__ void __launch_bounds__(plan_threads)
    plan_kernel(RunTable table, unsigned tiles, ColumnBuckets buckets, Plan plan) {
  __shared__ BucketExtent extents[plan_threads / 32];
  follow_previous_kernel();
  if (plan.gate.closed()) {
    return;
  }
  const unsigned d = blockIdx.x * plan_buckets + threadIdx.x / bucket_threads;
  BucketExtent all = extent_of_runs<bucket_threads, 6>(table, d, threadIdx.x % bucket_threads,
                                                       d < buckets.count ? tiles : 0);
  if (threadIdx.x % 32 == 0) {
    extents[threadIdx.x / 32] = all;
  }
  __syncthreads();
  if (d < buckets.count && threadIdx.x % bucket_threads == 0) {
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
    cut_buckets(buckets, plan);
  }
}

/// Device memory of the plan and of the state.
class PlanBuffers {
 public:
  /// For `buckets` of `width` columns each (or units of columns), gathered from `tiles` of a split
  /// by blocks of `threads` with tiles of `tile` entries.
  void allocate(std::size_t buckets, unsigned width, unsigned nnz, std::size_t tiles, unsigned tile,
                int threads, DeviceMemory& memory, cudaStream_t stream) {
    const auto target = static_cast<unsigned>(chunk_entries(tile, width));
    const unsigned window = DevicePartitionPolicy::runs_per_thread * static_cast<unsigned>(threads);
    const std::size_t chunks = buckets + nnz / target + 1;
    // Buckets beyond one tile have more entries, unless some span more tiles than a window.
    const std::size_t partial =
        tiles > window ? chunks : std::min<std::size_t>(chunks, 2 * std::size_t{nnz} / target + 1);
    extents_ = DeviceArray<BucketExtent>(buckets, memory);
    chunks_ = DeviceArray<Chunk>(chunks, memory);
    partial_ = DeviceArray<unsigned>(partial, memory);
    column_counts_ = DeviceArray<unsigned>(partial * width, memory);
    state_ = DeviceArray<PassState>(std::size_t{1}, memory);
    state_.fill_bytes(0, stream);
    plan_ = {extents_.data(), state_.data(), chunks_.data(), partial_.data(), column_counts_.data(),
             width,           tile,          target,         window};
  }

  Plan plan() const { return plan_; }
  /// On the device.
  PassState* state() const { return state_.data(); }
  /// The state after all kernels queued on `stream`. Waits for them.
  PassState final_state(cudaStream_t stream) const {
    PassState state;
    state_.copy_to(&state, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return state;
  }

 private:
  Plan plan_{};
  DeviceArray<BucketExtent> extents_;
  DeviceArray<Chunk> chunks_;
  DeviceArray<unsigned> partial_, column_counts_;
  DeviceArray<PassState> state_;
};

}  // namespace sparserepro::partition
