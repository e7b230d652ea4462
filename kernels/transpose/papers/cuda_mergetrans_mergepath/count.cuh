// A tile of cuda_mergetrans_mergepath put in order of its keys by counting.
//
// There are more buckets than slots, and a bucket takes the keys of equal leading bits: columns
// where they are few, ranges of columns where they are many, parts of a column where the tile has
// hardly another. In a bucket an entry comes after those of smaller keys, which are counted.
#pragma once

#include <cstdint>

#include "transpose/papers/cuda_mergetrans_mergepath/tile.cuh"

namespace sparserepro::mergepath {

/// A barrier after it is the caller's.
template <class S>
__device__ __forceinline__ void clear_counters(const Tile<S>& tile) {
  for (unsigned i = threadIdx.x; i < S::counters; i += S::threads) {
    tile.stage[i] = 0;
  }
}

/// Of a scanned counter: the first place of its bucket, and the keys in it.
__device__ __forceinline__ unsigned first_of(unsigned counter) {
  return counter >> 16;
}
__device__ __forceinline__ unsigned held_of(unsigned counter) {
  return counter & 0xffffU;
}

/// The counters are scanned; whether keys crowd together beyond `limit`.
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

/// Smaller keys of a bucket that begins at keys[0]. The first few are read without regard to its
/// end, so that the reads of several buckets go together. Those of later buckets are greater, if 32
/// bits tell keys of different buckets apart.
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
__device__ __forceinline__ unsigned further_smaller(const unsigned* keys, unsigned held,
                                                    unsigned key) {
  unsigned smaller = 0;
#pragma unroll 1
  for (unsigned j = MergepathPolicy::few_keys; j < held; ++j) {
    smaller += keys[j] < key ? 1 : 0;
  }
  return smaller;
}

/// The counters are scanned, and the keys in their buckets: fills tile.order. A thread ranks keys
/// that lie side by side with those of other lanes, so that long buckets are shared and read
/// together. A barrier is at its end.
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

/// The keys beyond the tile's. A barrier after it is the caller's.
template <class S>
__device__ __forceinline__ void put_greater_keys(const Tile<S>& tile, unsigned count) {
  if (threadIdx.x < MergepathPolicy::few_keys) {
    tile.keys[count + threadIdx.x] = ~0U;
  }
}

/// The keys by slot. A barrier after it is the caller's.
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

/// Fills tile.order; or, where keys crowd together, returns false with the keys by slot, the
/// counters scanned. They are zero before it. All threads of the block call it.
template <bool full, class S>
__device__ __forceinline__ bool order_by_counting(const Tile<S>& tile, BlockState& state,
                                                  const unsigned (&word)[items], unsigned count) {
  const unsigned own = first_slot();
  unsigned place[items];  // the counter, and above it which of its bucket the entry is
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
