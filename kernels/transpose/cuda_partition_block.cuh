// What the two passes of cuda_partition share inside a block: the stable rank of each entry among
// the entries of its digit, and the scan that turns counts into places.
#pragma once

#include <cstdint>
#include <type_traits>

#include "transpose/cuda_partition_policy.hpp"

namespace sparserepro::partition {

inline constexpr unsigned full_warp = 0xffffffffU;
inline constexpr int threads = PartitionPolicy::threads;
inline constexpr int warps = threads / 32;
inline constexpr int items = PartitionPolicy::items;
inline constexpr int tile_entries = PartitionPolicy::tile;

/// A counter per digit of one warp, 32 bits each.
struct WordCounters {
  unsigned* words;
  unsigned stride;  ///< words of a warp

  static constexpr __host__ __device__ unsigned words_for(unsigned digits) { return digits; }
  __device__ unsigned* word(unsigned digit) const { return words + digit; }
  __device__ int shift(unsigned) const { return 0; }
  static __device__ unsigned part(unsigned word, int) { return word; }
};

/// The same with 16 bits, two in a word: digit d < stride is the low part of word d, digit
/// d >= stride the high part of word d - stride. Neighbouring digits, often hit by one instruction,
/// thus never share a word.
struct HalfCounters {
  unsigned* words;
  unsigned stride;

  static constexpr __host__ __device__ unsigned words_for(unsigned digits) {
    return (digits + 1) / 2;
  }
  __device__ unsigned* word(unsigned digit) const {
    return words + (digit >= stride ? digit - stride : digit);
  }
  __device__ int shift(unsigned digit) const { return digit >= stride ? 16 : 0; }
  static __device__ unsigned part(unsigned word, int shift) { return word >> shift & 0xffffU; }
};

/// Ranks of the thread's entries among those of their digit in its warp, which precede: of
/// key[j] = digit << 16 the lower half. Lanes that meet on a digit get consecutive ranks, ascending
/// with the lane on every device seen so far; as no manual promises that order, the caller proves
/// it of its result and repeats `by_vote`, where it is so by construction.
template <bool by_vote, class Counters>
__device__ __forceinline__ void rank(const Counters& counters, unsigned (&key)[items]) {
  if constexpr (!by_vote) {
    unsigned before[items];
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const unsigned digit = key[j] >> 16;
      before[j] = atomicAdd(counters.word(digit), 1U << counters.shift(digit));
    }
#pragma unroll
    for (int j = 0; j < items; ++j) {
      key[j] |= Counters::part(before[j], counters.shift(key[j] >> 16));
    }
  } else {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const unsigned digit = key[j] >> 16;
      const unsigned peers = __match_any_sync(full_warp, digit);
      const unsigned before = Counters::part(*counters.word(digit), counters.shift(digit));
      __syncwarp();
      if (peers >> lane == 1) {  // the last of them
        atomicAdd(counters.word(digit), __popc(peers) << counters.shift(digit));
      }
      __syncwarp();
      key[j] |= before + __popc(peers & ((1U << lane) - 1));
    }
  }
}

/// Adds to the lower halves what the counters hold by now, the place of the warp's first entry.
template <class Counters>
__device__ __forceinline__ void add_places(const Counters& counters, unsigned (&key)[items]) {
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned digit = key[j] >> 16;
    key[j] += Counters::part(*counters.word(digit), counters.shift(digit));
  }
}

/// Exclusive sum of one number per thread over the block. `warp_sums` [warps] is shared; every
/// thread of the block calls it, and may write `warp_sums` again after the next barrier.
template <int block_threads = threads>
__device__ __forceinline__ unsigned block_exclusive_sum(unsigned value, unsigned* warp_sums,
                                                        unsigned& total) {
  constexpr int warps = block_threads / 32;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned inclusive = value;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned below = __shfl_up_sync(full_warp, inclusive, offset);
    if (lane >= offset) {
      inclusive += below;
    }
  }
  if (lane == 31) {
    warp_sums[warp] = inclusive;
  }
  __syncthreads();
  unsigned sums = lane < warps ? warp_sums[lane] : 0;
#pragma unroll
  for (int offset = 1; offset < warps; offset *= 2) {
    const unsigned below = __shfl_up_sync(full_warp, sums, offset);
    if (lane >= offset) {
      sums += below;
    }
  }
  total = __shfl_sync(full_warp, sums, warps - 1);
  const unsigned before = __shfl_sync(full_warp, sums, (warp + 31) % 32);
  return (warp == 0 ? 0 : before) + inclusive - value;
}

/// `counters` [warps][stride] of the whole block become the first place of each warp's entries of
/// each digit in the tile sorted by digit; `start` [2 stride] the first place of each digit.
/// Barriers before and after are the caller's.
template <class Counters>
__device__ __forceinline__ void places_from_counts(unsigned* counters, unsigned stride,
                                                   std::uint16_t* start, unsigned* warp_sums) {
  constexpr bool halves = std::is_same_v<Counters, HalfCounters>;
  const unsigned each = (stride + threads - 1) / threads;
  const unsigned first = min(threadIdx.x * each, stride);
  const unsigned last = min(first + each, stride);
  unsigned sum = 0;
  for (unsigned i = first; i < last; ++i) {
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      sum += counters[w * stride + i];
    }
  }
  unsigned total;
  unsigned running = block_exclusive_sum(sum, warp_sums, total);
  if constexpr (halves) {
    running += total << 16;  // the upper digits come after all lower ones
  }
  for (unsigned i = first; i < last; ++i) {
    if constexpr (halves) {
      start[i] = static_cast<std::uint16_t>(running);
      start[stride + i] = static_cast<std::uint16_t>(running >> 16);
    } else {
      start[i] = static_cast<std::uint16_t>(running);
    }
#pragma unroll 8
    for (int w = 0; w < warps; ++w) {
      const unsigned count = counters[w * stride + i];
      counters[w * stride + i] = running;
      running += count;
    }
  }
}

/// The sum of `value` over the block, in every thread. `sum` is shared.
__device__ __forceinline__ int block_sum(int value, int* sum) {
  if (threadIdx.x == 0) {
    *sum = 0;
  }
  __syncthreads();
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(full_warp, value, offset);
  }
  if (threadIdx.x % 32 == 0 && value != 0) {
    atomicAdd(sum, value);
  }
  __syncthreads();
  return *sum;
}

/// Counts one entry of `digit`. Additions to one word take turns, so lanes that all agree with the
/// first active one add once.
__device__ __forceinline__ void count_digit(unsigned* counts, unsigned digit) {
  const unsigned active = __activemask();
  const int first = __ffs(active) - 1;
  if (__all_sync(active, digit == __shfl_sync(active, digit, first))) {
    if (static_cast<int>(threadIdx.x % 32) == first) {
      atomicAdd(counts + digit, __popc(active));
    }
  } else {
    atomicAdd(counts + digit, 1U);
  }
}

/// Asks for `count` elements from `data` on to be brought into L2. One thread calls it. Before
/// Hopper it does nothing.
template <class T>
__device__ __forceinline__ void prefetch_l2([[maybe_unused]] const T* data,
                                            [[maybe_unused]] std::size_t count) {
#if __CUDA_ARCH__ >= 900
  const std::size_t bytes = count * sizeof(T) / 16 * 16;
  if (bytes > 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(data) /
                                                                    16 * 16),
                 "r"(static_cast<unsigned>(bytes)));
  }
#endif
}

/// Lets the next kernel of the stream begin its launch, and waits for the results of the one
/// before. Every thread calls it before anything else.
__device__ __forceinline__ void follow_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// How an entry travels between the passes: a word holds row << low_bits | column within the
/// bucket, and a 4-byte value goes along in one 8-byte store.
template <class Value>
inline constexpr bool fused_entry = sizeof(Value) == 4 && !std::is_empty_v<Value>;

template <class Value>
inline constexpr std::size_t entry_bytes = fused_entry<Value> ? 8 : 4;

/// Of `items` values of a thread, how many are loaded before the first is used: what the registers
/// bear.
template <class Value>
inline constexpr int value_batch = sizeof(Value) == 4 ? items : items / 3;

/// Row pointers of either width.
struct AnyPointers {
  void* data;
  bool wide;

  __device__ unsigned operator[](std::size_t i) const {
    return wide ? static_cast<unsigned>(static_cast<const std::int64_t*>(data)[i])
                : static_cast<const std::uint32_t*>(data)[i];
  }
  __device__ void set(std::size_t i, unsigned value) const {
    if (wide) {
      static_cast<std::int64_t*>(data)[i] = value;
    } else {
      static_cast<std::uint32_t*>(data)[i] = value;
    }
  }
};

__device__ __forceinline__ unsigned bucket_of(unsigned column, const ColumnBuckets& buckets) {
  return __umulhi(2 * column, buckets.multiplier) >> buckets.shift;
}

}  // namespace sparserepro::partition
