// A tile of cuda_mergetrans_mergepath put in order of its keys by counting.
//
// There are more buckets than slots, and a bucket takes the keys of equal leading bits: columns
// where they are few, ranges of columns where they are many, parts of a column where the tile has
// hardly another. In a bucket an entry comes after those of smaller keys, which are counted.
#pragma once

#include <cstdint>

#include "transpose/cuda_mergepath_tile.cuh"

namespace sparserepro::mergepath {

/// A barrier after it is the caller's.
template <class S>
__device__ __forceinline__ void clear_counters(const Tile<S>& tile) {
  for (unsigned i = threadIdx.x; i < S::counters; i += S::threads) {
    static_cast<unsigned*>(tile.stage)[i] = 0;
  }
}

/// The counters become the first place of each bucket; false, and they stay, where keys crowd
/// together.
template <class S>
__device__ __forceinline__ bool scan_counters(const Tile<S>& tile, BlockState& state,
                                              unsigned count) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned* const own = tile.counter(threadIdx.x * S::each);
  unsigned sum = 0, comparisons = 0, most = 0;
#pragma unroll
  for (unsigned b = 0; b < S::each; ++b) {
    sum += own[b];
    comparisons += own[b] * own[b];
    most = max(most, own[b]);
  }
  unsigned inclusive = sum;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned below = __shfl_up_sync(rows::full_warp, inclusive, offset);
    inclusive += static_cast<int>(lane) >= offset ? below : 0;
  }
  comparisons = __reduce_add_sync(rows::full_warp, comparisons);
  if (lane == 31) {
    state.warp_sums[warp] = inclusive;
  }
  if (threadIdx.x == 0) {
    *tile.counter(S::buckets) = count;
  }
  if (__syncthreads_or(most > MergepathPolicy::most_in_bucket ||
                       comparisons > MergepathPolicy::most_comparisons * 32 * items)) {
    return false;
  }
  unsigned running = inclusive - sum;
#pragma unroll
  for (unsigned w = 0; w < S::threads / 32; ++w) {
    running += w < warp ? state.warp_sums[w] : 0;
  }
#pragma unroll
  for (unsigned b = 0; b < S::each; ++b) {
    const unsigned held = own[b];
    own[b] = running;
    running += held;
  }
  __syncthreads();
  return true;
}

/// Smaller keys of a bucket that begins at keys[0]. The first few are read without regard to its
/// end, past all keys if need be, so that the reads of several buckets go together.
__device__ __forceinline__ unsigned first_smaller(const unsigned* keys, unsigned held,
                                                  unsigned key) {
  unsigned smaller = 0;
#pragma unroll
  for (unsigned j = 0; j < MergepathPolicy::few_keys; ++j) {
    smaller += j < held && keys[j] < key ? 1 : 0;
  }
  return smaller;
}
__device__ __forceinline__ unsigned further_smaller(const unsigned* keys, unsigned held,
                                                    unsigned key) {
  unsigned smaller = 0;
#pragma unroll 4
  for (unsigned j = MergepathPolicy::few_keys; j < held; ++j) {
    smaller += keys[j] < key ? 1 : 0;
  }
  return smaller;
}

/// The counters hold the first place of each bucket, and place[k] which one of its bucket the entry
/// in the thread's slot k is, in order of arrival: puts the keys in order. A thread ranks the keys
/// that lie side by side, so that long buckets are shared and read together.
template <class S>
__device__ __forceinline__ void order_buckets(const Tile<S>& tile, const unsigned (&key)[items],
                                              unsigned count, unsigned (&place)[items]) {
  const unsigned own = first_slot();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {
      const unsigned bucket = tile.bucket(key[k]);
      tile.keys[*tile.counter(bucket) + place[k]] = key[k];
    }
  }
  __syncthreads();
  unsigned ranked[items], longer = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = k * S::threads + threadIdx.x;
    if (i < count) {
      ranked[k] = tile.keys[i];
      const unsigned bucket = tile.bucket(ranked[k]);
      const unsigned first = *tile.counter(bucket), held = *tile.counter(bucket + 1) - first;
      place[k] = first + first_smaller(tile.keys + first, held, ranked[k]);
      longer |= (held > MergepathPolicy::few_keys ? 1U : 0U) << k;
    }
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (longer >> k & 1) {
      const unsigned bucket = tile.bucket(ranked[k]);
      const unsigned first = *tile.counter(bucket), held = *tile.counter(bucket + 1) - first;
      place[k] += further_smaller(tile.keys + first, held, ranked[k]);
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (k * S::threads + threadIdx.x < count) {
      tile.keys[place[k]] = ranked[k];
    }
  }
  __syncthreads();
}

/// Fills tile.keys in order, or returns false where keys crowd together. The counters are zero
/// before it, and free after it. All threads of the block call it.
template <class S>
__device__ __forceinline__ bool order_by_counting(const Tile<S>& tile, BlockState& state,
                                                  const unsigned (&key)[items], unsigned count) {
  const unsigned own = first_slot();
  unsigned place[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {
      place[k] = atomicAdd(tile.counter(tile.bucket(key[k])), 1U);
    }
  }
  __syncthreads();
  if (!scan_counters(tile, state, count)) {
    return false;
  }
  order_buckets(tile, key, count, place);
  return true;
}

}  // namespace sparserepro::mergepath
