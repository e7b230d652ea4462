// Sort of a tile of cuda_mergetrans_mergepath by counting.
//
// A bucket holds the keys with equal leading bits; there are more buckets than slots. A bucket is a
// range of columns, a column, or a part of a column, depending on the number of columns in the
// tile.
//
//   place of an entry = first place of its bucket + smaller keys in the bucket
#pragma once

#include <cstdint>

#include "transpose/papers/cuda_mergetrans_mergepath/tile.cuh"

namespace sparserepro::mergepath {

/// Sets the counters to 0. The caller synchronises the block afterwards.
template <class S>
__device__ __forceinline__ void clear_counters(const Tile<S>& tile) {
  for (unsigned i = threadIdx.x; i < S::counters; i += S::threads) {
    tile.stage[i] = 0;
  }
}

/// First place of a bucket (first_of) and number of its keys (held_of), from its scanned counter.
__device__ __forceinline__ unsigned first_of(unsigned counter) {
  return counter >> 16;
}
__device__ __forceinline__ unsigned held_of(unsigned counter) {
  return counter & 0xffffU;
}

/// Scans the counters and returns whether the keys exceed `limit`. Barriers are in it and end it.
template <Crowd limit, class S>
__device__ __forceinline__ bool scan_counters(const Tile<S>& tile, BlockState& state) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned* const own = tile.stage + tile.counter(threadIdx.x * S::each);
  unsigned sum = 0, comparisons = 0, most = 0;
#pragma unroll
  for (unsigned b = 0; b < S::each; ++b) {
    sum += own[b];
    comparisons += own[b] * own[b];
    most = max(most, own[b]);
  }
  const unsigned inclusive = warp_inclusive_sum(sum);
  comparisons = __reduce_add_sync(full_warp, comparisons);
  if (lane == 31) {
    state.warp_sums[warp] = inclusive;
  }
  const bool crowded =
      __syncthreads_or(most > limit.in_bucket || comparisons > limit.comparisons * 32 * items);
  unsigned running =
      inclusive - sum + __reduce_add_sync(full_warp, lane < warp ? state.warp_sums[lane] : 0);
#pragma unroll
  for (unsigned b = 0; b < S::each; ++b) {
    const unsigned held = own[b];
    own[b] = running << 16 | held;
    running += held;
  }
  __syncthreads();
  return crowded;
}

/// Number of keys less than `key` among the first `few_keys` of a bucket of `held` keys. Unless
/// `bounded`, keys after the bucket are read too: they are greater if 32 bits distinguish keys of
/// different buckets, and no read depends on the length of the bucket.
template <bool bounded>
__device__ __forceinline__ unsigned first_smaller(const unsigned* keys, unsigned held,
                                                  unsigned key) {
  unsigned smaller = 0;
#pragma unroll
  for (unsigned j = 0; j < MergepathPolicy::few_keys; ++j) {
    smaller += (!bounded || j < held) && keys[j] < key ? 1 : 0;
  }
  return smaller;
}
/// Number of keys less than `key` among the others of a bucket of `held` keys.
__device__ __forceinline__ unsigned further_smaller(const unsigned* keys, unsigned held,
                                                    unsigned key) {
  unsigned smaller = 0;
#pragma unroll 1
  for (unsigned j = MergepathPolicy::few_keys; j < held; ++j) {
    smaller += keys[j] < key ? 1 : 0;
  }
  return smaller;
}

/// Sets tile.order. Requires scanned counters and the keys in their buckets. The lanes of a warp
/// rank neighbouring keys, so that they share long buckets and read the same words. A barrier ends
/// it.
template <bool full, class S>
__device__ __forceinline__ void rank_keys(const Tile<S>& tile, unsigned count) {
  constexpr int at_once = MergepathPolicy::ranked_at_once;
  static_assert(items % at_once == 0);
#pragma unroll 1
  for (unsigned begin = threadIdx.x; begin < S::size; begin += at_once * S::threads) {
    unsigned key[at_once], counter[at_once], place[at_once];
#pragma unroll
    for (int q = 0; q < at_once; ++q) {
      counter[q] = 0;
      if (inside<full>(begin + q * S::threads, count)) {
        key[q] = tile.keys[begin + q * S::threads];
        counter[q] = tile.stage[tile.counter_of_key(key[q])];
        const unsigned first = first_of(counter[q]);
        place[q] = first + first_smaller<S::wide>(tile.keys + first, held_of(counter[q]), key[q]);
      }
    }
#pragma unroll
    for (int q = 0; q < at_once; ++q) {
      if (held_of(counter[q]) > MergepathPolicy::few_keys) {
        place[q] += further_smaller(tile.keys + first_of(counter[q]), held_of(counter[q]), key[q]);
      }
      if (inside<full>(begin + q * S::threads, count)) {
        tile.order[place[q]] = static_cast<std::uint16_t>(tile.slot(key[q]));
      }
    }
  }
  __syncthreads();
}

/// Writes the greatest key after the last key of the tile. The caller synchronises the block
/// afterwards.
template <class S>
__device__ __forceinline__ void put_greater_keys(const Tile<S>& tile, unsigned count) {
  if (threadIdx.x < MergepathPolicy::few_keys) {
    tile.keys[count + threadIdx.x] = ~0U;
  }
}

/// Writes the keys of the thread's words by slot. The caller synchronises the block afterwards.
template <class S>
__device__ __forceinline__ void put_keys(const Tile<S>& tile, const unsigned (&word)[items],
                                         unsigned count) {
  const unsigned own = first_slot();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = own + k * 32;
    tile.keys[i] = i < count ? tile.key_of_word(word[k], i) : ~0U;
  }
}

/// Sets tile.order and returns true. If the keys exceed `crowded`, it returns false and leaves the
/// keys by slot and the counters scanned. Requires counters of 0. All threads of the block call it.
template <bool full, class S>
__device__ __forceinline__ bool order_by_counting(const Tile<S>& tile, BlockState& state,
                                                  const unsigned (&word)[items], unsigned count) {
  const unsigned own = first_slot();
  unsigned place[items];  // place in the bucket << 16 | counter of the bucket
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = own + k * 32;
    if (inside<full>(i, count)) {
      const unsigned counter = tile.counter_of_word(word[k], i);
      place[k] = counter | atomicAdd(tile.stage + counter, 1U) << 16;
    }
  }
  __syncthreads();
  if (scan_counters<MergepathPolicy::crowded>(tile, state)) {
    put_keys(tile, word, count);
    return false;
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = own + k * 32;
    if (inside<full>(i, count)) {
      tile.keys[first_of(tile.stage[place[k] & 0xffffU]) + (place[k] >> 16)] =
          tile.key_of_word(S::wide ? anew(word[k]) : word[k], i);
    }
  }
  put_greater_keys(tile, count);
  __syncthreads();
  rank_keys<full>(tile, count);
  return true;
}

}  // namespace sparserepro::mergepath
