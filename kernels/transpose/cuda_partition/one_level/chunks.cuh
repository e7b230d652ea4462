// The entries of a bucket, found in the tiles of the split: a block looks up the runs of as many
// consecutive tiles as together fit its own tile, and knows then where each entry lies. Of a bucket
// beyond one tile, the counts of columns of all chunks say where the entries of a chunk go.
#pragma once

#include "transpose/cuda_partition/one_level/plan.cuh"

namespace sparserepro::partition {

/// A stretch of a bucket that a block sorts at once.
struct Window {
  unsigned tiles, count;  ///< tiles of the split; entries
  /// In a wave: entries of all buckets before; of the bucket before the thread's tile; in that
  /// tile.
  unsigned base, before, own;
};

/// Opens the window that begins with tile `first` of the bucket. `marks` [tile_entries] becomes,
/// per run, what to add to an entry's place in the window to get its place among all. `unplanned`:
/// a bucket is looked up whole, and no window opened if it exceeds one.
template <class Shape, bool unplanned = false>
__device__ __forceinline__ Window open_window(const RunTable& table, unsigned bucket,
                                              unsigned first, unsigned end, unsigned* marks,
                                              unsigned* warp_sums, uint2* cut) {
  constexpr int threads = Shape::threads, tile_entries = Shape::entries;
  constexpr int most = Shape::wave ? 1 : DevicePartitionPolicy::runs_per_thread;
  const unsigned each = min((end - first + threads - 1) / threads, unsigned{most});
  const unsigned mine = first + threadIdx.x * each;
  unsigned runs[most], sum = 0;
#pragma unroll
  for (int k = 0; k < most; ++k) {
    runs[k] = k < each && mine + k < end ? table.run(bucket, mine + k) : 0;
    sum += runs[k] >> 16;
  }
  fill<threads>(marks, tile_entries, unmarked);
  __shared__ unsigned starts[threads / 32];
  if constexpr (unplanned) {  // in a tile, a run begins behind those of the buckets before
    const unsigned start = __reduce_add_sync(full_warp, runs[0] & 0xffffU);
    if (threadIdx.x % 32 == 0) {
      starts[threadIdx.x / 32] = start;
    }
  }
  unsigned total;
  const unsigned before = block_exclusive_sum<threads>(sum, warp_sums, total);
  Window window{min(threads * each, end - first), total, 0, before, sum};
  if constexpr (unplanned) {
    window.base = __reduce_add_sync(full_warp,
                                    threadIdx.x % 32 < threads / 32 ? starts[threadIdx.x % 32] : 0);
    if (total > tile_entries) {
      return window;
    }
  }
  if (total > tile_entries) {  // up to the run that does not fit
    unsigned running = before;
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (running <= tile_entries && running + (runs[k] >> 16) > tile_entries) {
        *cut = {threadIdx.x * each + k, running};
      }
      running += runs[k] >> 16;
    }
    __syncthreads();
    window.tiles = cut->x;
    window.count = cut->y;
  }
  unsigned running = before;
  if (__any_sync(full_warp, sum != 0)) {
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (k < each) {
        const unsigned size = runs[k] >> 16;
        mark_stretches(marks, running, running + size <= window.count ? running + size : running,
                       (mine + k) * table.size + (runs[k] & 0xffffU) - running);
        running += size;
      }
    }
  }
  if (threadIdx.x / 32 == threads / 32 - 1) {  // absent entries read the first 32 of all
#pragma unroll 1
    for (unsigned i = (window.count / 32 + threadIdx.x % 32) * 32; i < tile_entries; i += 32 * 32) {
      marks[max(i, window.count)] = 0U - i;
    }
  }
  __syncthreads();
  return window;
}

/// Lists a bucket of a wave in its place, or where it exceeds a tile its chunks, which end where a
/// tile does and have about equal entries. The whole block calls it.
__device__ __forceinline__ void list_in_wave(const Plan& plan, unsigned bucket, unsigned tiles,
                                             const Window& window) {
  const BucketExtent extent{window.count, window.base, 0, tiles};
  const unsigned count = plan.chunks_of(extent);
  __shared__ unsigned first;
  if (threadIdx.x == 0) {
    first = plan.list(bucket, extent, count);
  }
  if (plan.is_whole(extent)) {
    return;
  }
  __syncthreads();
  if (window.count / count + window.own >= plan.tile) {
    plan.state->long_run = 1;
  }
  const unsigned last = (window.before + window.own) * count / window.count;
  for (unsigned k = window.before * count / window.count + 1; k <= last; ++k) {
    plan.bound(bucket, window.base, first, count, k, threadIdx.x + 1);
  }
}

/// Place among all entries of entry `i` of the window; beyond its last, of some entry.
__device__ __forceinline__ unsigned place_in_window(const unsigned* marks, unsigned i) {
  return i + stretch_of(marks[i]);
}

/// One element per thread of `chunk`, which is shared. A barrier after is the caller's.
__device__ __forceinline__ void load_chunk(const Plan& plan, unsigned number, Chunk* chunk) {
  if (threadIdx.x < sizeof(Chunk) / sizeof(unsigned)) {
    reinterpret_cast<unsigned*>(chunk)[threadIdx.x] =
        reinterpret_cast<const unsigned*>(plan.chunks + number)[threadIdx.x];
  }
}

/// Counts the columns of each chunk of a bucket beyond one tile. Blocks take one after the other.
template <class Value, class Shape>
__device__ __forceinline__ void count_columns(const SplitTiles<Value>& in, int low_bits,
                                              const Plan& plan) {
  constexpr int threads = Shape::threads, items = Shape::items, tile_entries = Shape::entries;
  auto* const marks = reinterpret_cast<unsigned*>(shared_memory());  // [tile_entries]
  unsigned* const counts = marks + tile_entries;                     // [width]
  __shared__ unsigned warp_sums[threads / 32];
  __shared__ uint2 cut;
  __shared__ unsigned taken;
  const unsigned partial_count = plan.state->partial_count;
  for (;;) {
    if (threadIdx.x == 0) {
      taken = partial_count == 0 ? 0 : atomicAdd(&plan.state->counted.taken, 1U);
    }
    __syncthreads();
    const unsigned k = taken;
    if (k >= partial_count) {
      return;
    }
    const Chunk chunk = plan.chunks[plan.buckets + k];
    for (unsigned i = threadIdx.x; i < plan.width; i += threads) {
      counts[i] = 0;
    }
    for (unsigned t = chunk.first_tile; t < chunk.end_tile;) {
      const Window window =
          open_window<Shape>(in.table, chunk.bucket, t, chunk.end_tile, marks, warp_sums, &cut);
      const unsigned mine = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
      unsigned words[items];
#pragma unroll
      for (int j = 0; j < items; ++j) {
        const std::size_t at = place_in_window(marks, mine + j * 32);
        words[j] = __ldcs(static_cast<const unsigned*>(in.entries) + at * (entry_bytes<Value> / 4));
      }
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (mine + j * 32 < window.count) {
          atomicAdd(counts + (words[j] & ((1U << low_bits) - 1)), 1U);
        }
      }
      t += window.tiles;
      __syncthreads();
    }
    unsigned* const out = plan.column_counts + static_cast<std::size_t>(k) * plan.width;
    for (unsigned i = threadIdx.x; i < plan.width; i += threads) {
      out[i] = counts[i];
    }
    __syncthreads();
    plan.state->counted.one_done();
  }
}

/// Sets next[c] to where the chunk's entries of column c begin in A^T; the first chunk of a bucket
/// writes the pointers of the `columns` that are there.
template <int threads>
__device__ __forceinline__ void begin_chunk(const Chunk& chunk, const Plan& plan, unsigned columns,
                                            unsigned* next, unsigned* warp_sums,
                                            AnyPointers col_ptr) {
  const unsigned each = ceil_div(plan.width, threads);
  const unsigned first = min(threadIdx.x * each, plan.width);
  const unsigned last = min(first + each, plan.width);
  const unsigned* const counts =
      plan.column_counts + static_cast<std::size_t>(chunk.first) * plan.width;
  constexpr int ahead = 16;
  unsigned sum = 0;
  for (unsigned c = first; c < last; ++c) {
    unsigned before = 0, total = 0;
    for (unsigned begin = 0; begin < chunk.count; begin += ahead) {
      unsigned count[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        count[k] = begin + k < chunk.count ? counts[std::size_t{begin + k} * plan.width + c] : 0;
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        before += begin + k < chunk.index ? count[k] : 0;
        total += count[k];
      }
    }
    next[c] = sum + before;
    sum += total;
  }
  unsigned all;
  const unsigned base = chunk.base + block_exclusive_sum<threads>(sum, warp_sums, all);
  for (unsigned c = first; c < last; ++c) {
    next[c] += base;
    if (chunk.index == 0 && c < columns) {
      col_ptr.set(chunk.first_column + c, next[c]);
    }
  }
  __syncthreads();  // warp_sums is free again
}

}  // namespace sparserepro::partition
