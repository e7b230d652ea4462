// Sort of the tiles of cuda_mergetrans_mergepath that counting does not sort: many keys are in few
// buckets, few parts are merged, or the keys exceed 32 bits. These functions are not inlined and
// read the keys again, so that they take no registers from other tiles.
#pragma once

#include "transpose/papers/cuda_mergetrans_mergepath/block.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/count.cuh"

namespace sparserepro::mergepath {

/// Divides each bucket of n keys into n buckets of equal ranges of keys and counts again. Sets
/// tile.order and returns true; if the keys exceed `most_crowded`, it leaves the keys by slot and
/// returns false. Requires the keys by slot and scanned counters.
template <class S>
__device__ __forceinline__ bool order_divided_buckets(const Tile<S>& tile, BlockState& state,
                                                      unsigned count) {
  const unsigned own = first_slot();
  unsigned key[items], place[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    key[k] = tile.keys[own + k * 32];
    if (own + k * 32 < count) {
      const unsigned counter = tile.stage[tile.counter_of_key(key[k])];
      const unsigned rest = key[k] & ((1U << tile.range_bits) - 1);
      place[k] = first_of(counter) +
                 static_cast<unsigned>(std::uint64_t{rest} * held_of(counter) >> tile.range_bits);
    }
  }
  __syncthreads();
  clear_counters(tile);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {  // place in the bucket << 16 | bucket
      place[k] |= atomicAdd(tile.stage + tile.counter(place[k]), 1U) << 16;
    }
  }
  __syncthreads();
  if (scan_counters<MergepathPolicy::most_crowded>(tile, state)) {
    return false;
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {
      tile.keys[first_of(tile.stage[tile.counter(place[k] & 0xffffU)]) + (place[k] >> 16)] = key[k];
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {
      const unsigned counter = tile.stage[tile.counter(place[k] & 0xffffU)];
      const unsigned* const keys = tile.keys + first_of(counter);
      place[k] = first_of(counter) + first_smaller<true>(keys, held_of(counter), key[k]) +
                 further_smaller(keys, held_of(counter), key[k]);
      tile.order[place[k]] = static_cast<std::uint16_t>(tile.slot(key[k]));
    }
  }
  __syncthreads();
  return true;
}

/// Sets tile.order from sorted words, whose low bits are slots. A barrier ends it.
template <class S, class Word>
__device__ __forceinline__ void take_order(const Tile<S>& tile, const Word* words, unsigned count) {
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += S::threads) {
    tile.order[i] = static_cast<std::uint16_t>(words[i] & (S::buckets - 1));
  }
  __syncthreads();
}

/// Sets tile.order by merging. Requires the keys by slot. Wide keys occupy the columns, which are
/// computed from them again.
template <class S>
__device__ __forceinline__ void order_by_merging(const Tile<S>& tile, unsigned count) {
  const EqualLists lists{count};
  const unsigned list_count = ceil_div(count, items);
  if constexpr (S::wide) {
    const unsigned own = first_slot();
    auto* const words = reinterpret_cast<std::uint64_t*>(tile.columns);
    std::uint64_t word[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const unsigned i = own + k * 32;
      word[k] = i < count ? tile.wide_key(tile.columns[i], i) : no_word<std::uint64_t>;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      words[own + k * 32] = word[k];
    }
    __syncthreads();
    order_words<false>(words, lists, list_count, threadIdx.x, count);
    take_order(tile, words, count);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      word[k] = words[own + k * 32];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (own + k * 32 < count) {
        tile.columns[tile.slot(static_cast<unsigned>(word[k]))] =
            tile.least + static_cast<unsigned>(word[k] >> S::slot_bits);
      }
    }
    __syncthreads();
  } else {
    order_words<false>(tile.keys, lists, list_count, threadIdx.x, count);
    take_order(tile, tile.keys, count);
  }
}

/// The tile of the block, with a known range of columns.
template <class S>
__device__ __forceinline__ Tile<S> tile_of_block(unsigned least, int range_bits) {
  extern __shared__ std::uint64_t shared[];
  Tile<S> tile(shared);
  tile.least = least;
  tile.range_bits = range_bits;
  return tile;
}

/// Sets tile.order after order_by_counting() has returned false. All threads of the block call it.
template <class S>
__device__ __noinline__ void order_crowded(unsigned least, int range_bits, BlockState& state,
                                           unsigned count) {
  const auto tile = tile_of_block<S>(least, range_bits);
  __syncthreads();
  if (!order_divided_buckets(tile, state, count)) {
    order_by_merging(tile, count);
  }
}

/// The last of at most `few_parts` parts that begins at `slot` or before it.
__device__ __forceinline__ unsigned part_of(const unsigned* starts, unsigned parts, unsigned slot) {
  unsigned part = 0;
  for (unsigned half = MergepathPolicy::few_parts; half > 0; half /= 2) {
    if (part + half < parts && starts[part + half] <= slot) {
      part += half;
    }
  }
  return part;
}

/// Sets tile.order and tile.columns by merging at most `few_parts` sorted parts. Requires the keys
/// by slot. All threads of the block call it.
template <class S>
__device__ __noinline__ void order_few_parts(unsigned least, const unsigned* starts, unsigned parts,
                                             unsigned count) {
  static_assert(!S::wide);
  const auto tile = tile_of_block<S>(least, 0);
  const unsigned own = first_slot();
  __syncthreads();
  order_words<true>(tile.keys, AnyLists{starts, parts}, parts,
                    part_of(starts, parts, threadIdx.x * items), count);
  unsigned key[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    key[k] = tile.keys[own + k * 32];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {
      tile.order[own + k * 32] = static_cast<std::uint16_t>(tile.slot(key[k]));
      tile.columns[tile.slot(key[k])] = tile.column_of(key[k]);
    }
  }
}

/// Writes keys of 64 bits by slot. They also occupy the memory of the counters, which no thread may
/// read any more. The caller synchronises the block afterwards.
template <class S>
__device__ __forceinline__ void put_wide_keys(const Tile<S>& tile, const unsigned (&column)[items],
                                              unsigned count) {
  const unsigned own = first_slot();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned i = own + k * 32;
    reinterpret_cast<std::uint64_t*>(tile.keys)[i] =
        i < count ? tile.wide_key(column[k], i) : no_word<std::uint64_t>;
  }
}

/// Sets tile.order from the keys of 64 bits. All threads of the block call it.
template <class S>
__device__ __noinline__ void order_wide(unsigned count) {
  static_assert(!S::wide);
  const auto tile = tile_of_block<S>(0, 0);
  auto* const words = reinterpret_cast<std::uint64_t*>(tile.keys);
  __syncthreads();
  order_words<false>(words, EqualLists{count}, ceil_div(count, items), threadIdx.x, count);
  take_order(tile, words, count);
}

}  // namespace sparserepro::mergepath
