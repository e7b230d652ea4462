// What the two passes of cuda_partition share inside a block: the stable rank of each entry among
// the entries of its digit, and the scan that turns counts into places.
#pragma once

#include <cstdint>

#include "transpose/cuda_partition_policy.hpp"

namespace sparserepro::partition {

inline constexpr unsigned full_warp = 0xffffffffU;

/// 16-bit counters of one warp, two in a word: digit d < half is the low part of words[d], digit
/// d >= half the high part of words[d - half]. Neighbouring digits, often hit by one instruction,
/// thus never share a word.
struct WarpCounters {
  unsigned* words;
  unsigned half;

  __device__ unsigned index(unsigned digit) const { return digit >= half ? digit - half : digit; }
  __device__ int shift(unsigned digit) const { return digit >= half ? 16 : 0; }
  __device__ unsigned read(unsigned digit) const {
    return words[index(digit)] >> shift(digit) & 0xffffU;
  }
};

/// Counts the entry and returns how many the warp counted before. Lanes that meet on a digit get
/// consecutive ranks, ascending with the lane on every device seen so far; as no manual promises
/// that order, the caller proves it of its result and repeats with rank_by_match if it fails.
__device__ __forceinline__ unsigned rank_by_add(const WarpCounters& counters, unsigned digit) {
  const int shift = counters.shift(digit);
  return atomicAdd(counters.words + counters.index(digit), 1U << shift) >> shift & 0xffffU;
}

/// The same with the order of the lanes by construction. All lanes of the warp call it; those that
/// have no entry with `valid` false.
__device__ __forceinline__ unsigned rank_by_match(const WarpCounters& counters, unsigned digit,
                                                  bool valid) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned peers = __match_any_sync(full_warp, valid ? digit : ~0U);
  unsigned before = 0;
  if (valid) {
    before = counters.read(digit);
  }
  __syncwarp();
  if (valid && peers >> lane == 1) {  // the last of them
    atomicAdd(counters.words + counters.index(digit), __popc(peers) << counters.shift(digit));
  }
  __syncwarp();
  return before + __popc(peers & ((1U << lane) - 1));
}

/// Exclusive sum of one number per thread over the block. `warp_sums` [warps] is shared; every
/// thread of the block calls it, and may write `warp_sums` again after the next barrier.
__device__ __forceinline__ unsigned block_exclusive_sum(unsigned value, unsigned* warp_sums,
                                                        unsigned& total) {
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
  unsigned sums = lane < PartitionPolicy::warps ? warp_sums[lane] : 0;
#pragma unroll
  for (int offset = 1; offset < PartitionPolicy::warps; offset *= 2) {
    const unsigned below = __shfl_up_sync(full_warp, sums, offset);
    if (lane >= offset) {
      sums += below;
    }
  }
  total = __shfl_sync(full_warp, sums, PartitionPolicy::warps - 1);
  const unsigned before = __shfl_sync(full_warp, sums, (warp + 31) % 32);
  return (warp == 0 ? 0 : before) + inclusive - value;
}

/// `counters` [warps][half] of the whole block become the first place of each warp's entries of
/// each digit in the tile sorted by digit; `start` [2 half] the first place of each digit. Fits 16
/// bits as a tile has fewer than 65,536 entries. Barriers before and after are the caller's.
__device__ __forceinline__ void places_from_counts(unsigned* counters, unsigned half,
                                                   unsigned* start, unsigned* warp_sums) {
  const unsigned each = (half + PartitionPolicy::threads - 1) / PartitionPolicy::threads;
  const unsigned first = min(threadIdx.x * each, half);
  const unsigned last = min(first + each, half);
  unsigned sum = 0;
  for (unsigned i = first; i < last; ++i) {
#pragma unroll
    for (int w = 0; w < PartitionPolicy::warps; ++w) {
      sum += counters[w * half + i];
    }
  }
  unsigned total;
  unsigned running = block_exclusive_sum(sum, warp_sums, total);
  running += total << 16;  // the upper digits come after all lower ones
  for (unsigned i = first; i < last; ++i) {
    start[i] = running & 0xffffU;
    start[half + i] = running >> 16;
#pragma unroll
    for (int w = 0; w < PartitionPolicy::warps; ++w) {
      const unsigned count = counters[w * half + i];
      counters[w * half + i] = running;
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

/// How an entry travels between the passes: Word holds row << low_bits | column within the bucket,
/// and a 4-byte value beside a 4-byte word goes along in one 8-byte store.
template <class Word, class Value>
inline constexpr bool fused_entry = sizeof(Word) == 4 && sizeof(Value) == 4;

template <class Word, class Value>
inline constexpr std::size_t entry_bytes = sizeof(Word) +
                                           (fused_entry<Word, Value> ? sizeof(Value) : 0);

template <class Word>
struct EntryWord {
  static __device__ Word make(unsigned row, unsigned low, int low_bits) {
    return row << low_bits | low;
  }
  static __device__ unsigned row(Word word, int low_bits) { return word >> low_bits; }
  static __device__ unsigned low(Word word, int low_bits) { return word & ((1U << low_bits) - 1); }
};
template <>
struct EntryWord<std::uint64_t> {
  static __device__ std::uint64_t make(unsigned row, unsigned low, int) {
    return std::uint64_t{row} << 32 | low;
  }
  static __device__ unsigned row(std::uint64_t word, int) {
    return static_cast<unsigned>(word >> 32);
  }
  static __device__ unsigned low(std::uint64_t word, int) { return static_cast<unsigned>(word); }
};

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
