// Stable ranks by column in the bucket pass of cuda_partition.
#pragma once

#include "transpose/cuda_partition/one_level/split_memory.cuh"

namespace sparserepro::partition {

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
/// each column after. Absent entries have column `absent`, by vote, or one of the 32 from there on.
/// By leader, the first lane adds all the warp's entries of column `frequent` at once.
template <Ranks ranks, int items>
__device__ __forceinline__ void rank_columns(const HalfCounters& counters, unsigned mask,
                                             unsigned absent, unsigned (&word)[items],
                                             unsigned (&before)[items], unsigned frequent = 0) {
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
    rank_by_vote(
        counters, 32 - __clz(absent), [&](int j) { return word[j] & mask; }, before);
  }
  forget(word);
}

/// Ranks become places in the tile sorted by column, and start[c] where each column begins; absent
/// entries come last. The caller has barriers before and after.
template <int threads, int items>
__device__ __forceinline__ void place_columns(unsigned* counters, unsigned width,
                                              const HalfCounters& own, unsigned mask,
                                              unsigned* warp_sums, std::uint16_t* start,
                                              unsigned (&word)[items], unsigned (&place)[items]) {
  places_from_counts<threads>(
      counters, counter_stride(width), width + absent_digits, warp_sums,
      [](unsigned d) { return d; },
      [&](unsigned d, unsigned first, unsigned) {
        if (d <= width) {
          start[d] = static_cast<std::uint16_t>(first);
        }
      });
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    place[j] += own[word[j] & mask];
  }
  forget(word);
}

}  // namespace sparserepro::partition
