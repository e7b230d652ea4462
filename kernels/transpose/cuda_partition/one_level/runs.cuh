// The entries of a bucket, found in the tiles of the split: a block looks up the runs of as many
// consecutive tiles as together fit its own tile, and knows then where each entry lies.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"

namespace sparserepro::partition {

/// A stretch of a bucket that a block sorts at once.
struct Window {
  unsigned tiles;  ///< of the split
  unsigned count;  ///< entries
};

/// Opens the window that begins with tile `first` of the bucket in row `bucket` of the table, or
/// side by side in rows [bucket, last_bucket]. `marks` [tile_entries] becomes, per run, what to add
/// to an entry's place in the window to get its place among all.
template <int threads, int tile_entries, Lies lies>
__device__ __forceinline__ Window open_window(const RunTable& table, unsigned bucket,
                                              unsigned last_bucket, unsigned first, unsigned end,
                                              unsigned* marks, unsigned* warp_sums, uint2* cut) {
  constexpr int most = DevicePartitionPolicy::runs_per_thread;
  const unsigned each = min((end - first + threads - 1) / threads, unsigned{most});
  const unsigned mine = first + threadIdx.x * each;
  constexpr bool packed = lies == Lies::side_by_side;
  unsigned runs[most], sum = 0;
  [[maybe_unused]] unsigned begins[most];
#pragma unroll
  for (int k = 0; k < most; ++k) {
    const bool there = k < each && mine + k < end;
    if constexpr (packed) {
      runs[k] = there ? table.run(bucket, last_bucket, mine + k) : 0;
      begins[k] = there ? table.begin[mine + k] : 0;
    } else {
      runs[k] = there ? table.run(bucket, mine + k) : 0;
    }
  }
#pragma unroll
  for (int k = 0; k < most; ++k) {
    sum += runs[k] >> 16;
  }
  fill<threads>(marks, tile_entries, unmarked);
  unsigned total;
  const unsigned before = block_exclusive_sum<threads>(sum, warp_sums, total);
  Window window{min(threads * each, end - first), total};
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
        const unsigned begin = packed ? begins[k] : (mine + k) * tile_entries;
        mark_stretches(marks, running, running + size <= window.count ? running + size : running,
                       begin + (runs[k] & 0xffffU) - running);
        running += size;
      }
    }
  }
  if (threadIdx.x / 32 == threads / 32 - 1) {  // absent entries read from the beginning
    mark_stretches(marks, window.count + threadIdx.x % 32 * tile_entries, tile_entries,
                   0U - window.count / 32 * 32);
  }
  __syncthreads();
  return window;
}

/// Place among all entries of entry `i` of the window; beyond its last, of some entry.
__device__ __forceinline__ unsigned place_in_window(const unsigned* marks, unsigned i) {
  return i + stretch_of(marks[i]);
}

template <class Value>
__device__ __forceinline__ unsigned word_at(const void* entries, std::size_t i) {
  if constexpr (fused_entry<Value>) {
    return __ldcs(&static_cast<const uint2*>(entries)[i].x);
  } else {
    return __ldcs(static_cast<const unsigned*>(entries) + i);
  }
}

}  // namespace sparserepro::partition
