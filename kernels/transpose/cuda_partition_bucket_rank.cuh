// Stable ranks by column in the bucket pass of cuda_partition. Two groups of warps share a word of
// each column, a half each: half the memory, and half the words to clear and to add up.
#pragma once

#include "transpose/cuda_partition_block.cuh"

namespace sparserepro::partition {

/// The counters of one group of warps: the lower or the upper half of words
/// [columns + absent_digits].
class HalfCounters {
 public:
  __device__ HalfCounters(unsigned* words, unsigned half)
      : words_(words),
        halves_(reinterpret_cast<std::uint16_t*>(words) + half),
        one_(half == 0 ? 1U : 1U << 16),
        half_(half == 0 ? 0x4410U : 0x4432U) {}

  __device__ unsigned operator[](unsigned column) const { return halves_[2 * column]; }
  /// Returns the count before.
  __device__ unsigned add(unsigned column, unsigned count) const {
    return __byte_perm(atomicAdd(words_ + column, count * one_), 0, half_);
  }

 private:
  unsigned* words_;
  std::uint16_t* halves_;
  unsigned one_, half_;
};

/// Keeps the compiler from holding in registers what it has computed from these.
template <int items>
__device__ __forceinline__ void forget(unsigned (&words)[items]) {
#pragma unroll
  for (int j = 0; j < items; ++j) {
    asm volatile("" : "+r"(words[j]));
  }
}

/// Sets before[j] to the rank among the entries of the same column, word[j] & mask, of the group of
/// warps, in the order of warps, then j, then lanes. `counters` are 0 before and hold the number of
/// each column after. By leader, the first lane adds all the warp's entries of column `frequent` at
/// once; columns from `absent` on, one of each lane, do not count.
template <Ranks ranks, int items>
__device__ __forceinline__ void rank_columns(const HalfCounters& counters, unsigned mask,
                                             unsigned (&word)[items], unsigned (&before)[items],
                                             unsigned frequent = 0, unsigned absent = 0) {
  const unsigned lane = threadIdx.x % 32, below = (1U << lane) - 1;
  if constexpr (ranks == Ranks::by_addition) {
    await_turn();
    forget(word);
#pragma unroll
    for (int j = 0; j < items; ++j) {
      before[j] = counters.add(word[j] & mask, 1);
    }
    pass_turn();
  } else if constexpr (ranks == Ranks::by_leader) {
    unsigned all = 0, base = 0;
#pragma unroll
    for (int j = 0; j < items; ++j) {
      all += __popc(__ballot_sync(full_warp, (word[j] & mask) == frequent));
    }
    await_turn();
    forget(word);
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const unsigned column = word[j] & mask;
      const bool peer = column == frequent;
      before[j] = counters.add(peer ? absent + lane : column, peer ? 0 : 1);
    }
    if (lane == 0) {
      base = counters.add(frequent, all);
    }
    pass_turn();
    base = __shfl_sync(full_warp, base, 0);
    forget(word);
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const bool peer = (word[j] & mask) == frequent;
      const unsigned peers = __ballot_sync(full_warp, peer);
      before[j] = peer ? base + __popc(peers & below) : before[j];
      base += __popc(peers);
    }
  } else {
    await_turn();
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const unsigned column = word[j] & mask;
      const unsigned peers = __match_any_sync(full_warp, column);
      const unsigned leader = __ffs(peers) - 1;  // adds all, for the word is another group's too
      const unsigned first = lane == leader ? counters.add(column, __popc(peers)) : 0;
      before[j] = __shfl_sync(full_warp, first, leader) + __popc(peers & below);
      __syncwarp();
    }
    pass_turn();
  }
  forget(word);
}

/// The counters of all groups, [pairs][stride], become the first place of each group's entries of
/// each column in the sorted window, and `start` [width + 1] where each column begins. Barriers
/// before and after are the caller's.
template <int threads>
__device__ __forceinline__ void places_of_columns(unsigned* counters, unsigned stride,
                                                  unsigned width, unsigned* warp_sums,
                                                  std::uint16_t* start) {
  constexpr int pairs = groups_of<threads> / 2;
  const unsigned columns = width + absent_digits;
  const unsigned each = (columns + threads - 1) / threads;
  const unsigned first = min(threadIdx.x * each, columns);
  const unsigned last = min(first + each, columns);
  unsigned sum = 0;
  for (unsigned c = first; c < last; ++c) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      sum += counters[p * stride + c];  // both halves: no sum exceeds a tile
    }
  }
  unsigned total;
  unsigned running = block_exclusive_sum<threads>((sum & 0xffffU) + (sum >> 16), warp_sums, total);
  for (unsigned c = first; c < last; ++c) {
    if (c <= width) {
      start[c] = static_cast<std::uint16_t>(running);
    }
    unsigned counts[pairs];
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      counts[p] = counters[p * stride + c];
    }
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const unsigned low = counts[p] & 0xffffU;
      counters[p * stride + c] = running | (running + low) << 16;
      running += low + (counts[p] >> 16);
    }
  }
}

}  // namespace sparserepro::partition
