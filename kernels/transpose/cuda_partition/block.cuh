// What the two passes of cuda_partition share inside a block: the stable rank of each entry among
// the entries of its digit, and the scan that turns counts into places.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/any_pointers.cuh"
#include "cuda/grid_dependency.cuh"
#include "cuda/scan.cuh"
#include "transpose/cuda_partition/policy.hpp"

namespace sparserepro::partition {

/// Warps that share counters, and pass between them one after the other.
inline constexpr int group_warps = DevicePartitionPolicy::group_warps;
template <int threads>
inline constexpr int groups_of = threads / 32 / group_warps;

/// The entries that a block sorts at once, `items` for each of its threads. `wave`: all tiles of A
/// are split at once, in the kernel that sorts the buckets.
template <int threads_, int items_, bool wave_ = false>
struct TileShape {
  static constexpr int threads = threads_, items = items_, entries = threads * items;
  static constexpr bool wave = wave_;
};

/// Each lane has one more digit, beyond the real ones, for absent entries.
inline constexpr unsigned absent_digits = DevicePartitionPolicy::absent_columns;

/// Calls work() in one warp of a group after the other. All warps of the group wait together after
/// each, some before their work and some after: at two instructions, so the barrier is unaligned.
template <class Work>
__device__ __forceinline__ void in_turn(const Work& work) {
  const auto wait = [](unsigned times) {
#pragma unroll 1
    for (; times > 0; --times) {
      asm volatile("barrier.sync %0, %1;" ::"r"(1 + threadIdx.x / (32 * group_warps)),
                   "n"(32 * group_warps)
                   : "memory");
    }
  };
  const unsigned before = threadIdx.x / 32 % group_warps;
  wait(before);
  work();
  wait(group_warps - 1 - before);
}

/// How the lanes of one instruction that meet on a digit get ranks that ascend with the lane.
enum class Ranks {
  by_addition,  ///< in the order of their additions, which CUDA does not promise: the caller checks
  by_leader,    ///< the same; a warp's entries of one frequent digit are added together
  by_vote,      ///< by construction
};

/// The counters of one group of warps. Two groups share a word of each digit, a half each: half the
/// memory, and half the words to clear and to add up. No count exceeds a tile.
class HalfCounters {
 public:
  /// Of the thread's group, among those [groups / 2][stride] of all.
  __device__ HalfCounters(unsigned* all, unsigned stride) {
    const unsigned group = threadIdx.x / (32 * group_warps);
    words_ = all + group / 2 * stride;
    halves_ = reinterpret_cast<std::uint16_t*>(words_) + group % 2;
    one_ = group % 2 == 0 ? 1U : 1U << 16;
    half_ = group % 2 == 0 ? 0x4410U : 0x4432U;
  }
  __device__ unsigned operator[](unsigned digit) const { return halves_[2 * digit]; }
  /// Returns the count before.
  __device__ unsigned add(unsigned digit, unsigned count) const {
    return __byte_perm(atomicAdd(words_ + digit, count * one_), 0, half_);
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

/// Keeps in peers[j] the lanes whose word[j] is the lane's own in `bits` bits from `shift` on, for
/// j < count. A ballot for each bit, for all items in turn.
template <int items>
__device__ __forceinline__ void keep_alike(int shift, int bits, const unsigned (&word)[items],
                                           unsigned (&peers)[items], unsigned count = items) {
  for (int bit = shift; bit < shift + bits; ++bit) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if (j < count) {
        const bool set = (word[j] >> bit & 1U) != 0;
        const unsigned ones = __ballot_sync(full_warp, set);
        peers[j] &= set ? ones : ~ones;
      }
    }
  }
}

/// Sets before[j] to the rank among the entries of its digit, word[j] >> shift & mask, of the group
/// of warps, in the order of warps, then j, then lanes. `counters` of the group are 0 before and
/// hold the number of each digit after. Absent entries have digit `absent`, by vote, or one of the
/// 32 from there on. By leader, the first lane adds all the warp's entries of digit `frequent` at
/// once.
template <Ranks ranks, int items>
__device__ __forceinline__ void rank(const HalfCounters& counters, int shift, unsigned mask,
                                     unsigned absent, unsigned (&word)[items],
                                     unsigned (&before)[items], unsigned frequent = 0) {
  const unsigned lane = threadIdx.x % 32, below = (1U << lane) - 1;
  const auto digit = [&](int j) { return word[j] >> shift & mask; };
  if constexpr (ranks == Ranks::by_addition) {
    in_turn([&] {
      forget(word);
#pragma unroll
      for (int j = 0; j < items; ++j) {
        before[j] = counters.add(digit(j), 1);
      }
    });
  } else if constexpr (ranks == Ranks::by_leader) {
    unsigned all = 0, base = 0;
#pragma unroll
    for (int j = 0; j < items; ++j) {
      all += __popc(__ballot_sync(full_warp, digit(j) == frequent));
    }
    in_turn([&] {
      forget(word);
#pragma unroll
      for (int j = 0; j < items; ++j) {
        const bool peer = digit(j) == frequent;
        before[j] = counters.add(peer ? absent + lane : digit(j), peer ? 0 : 1);
      }
      if (lane == 0) {
        base = counters.add(frequent, all);
      }
    });
    base = __shfl_sync(full_warp, base, 0);
    forget(word);
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const bool peer = digit(j) == frequent;
      const unsigned peers = __ballot_sync(full_warp, peer);
      before[j] = peer ? base + __popc(peers & below) : before[j];
      base += __popc(peers);
    }
  } else {
    unsigned(&peers)[items] = before;
#pragma unroll
    for (int j = 0; j < items; ++j) {
      peers[j] = full_warp;
    }
    keep_alike(shift, 32 - __clz(absent), word, peers);
#pragma unroll
    for (int j = 0; j < items; ++j) {  // the first of them, the rank among them, their number
      before[j] = (__ffs(peers[j]) - 1) | __popc(peers[j] & below) << 5 | __popc(peers[j]) << 10;
    }
    in_turn([&] {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if ((before[j] & 31U) == lane) {  // adds all, for the word is another group's too
          before[j] |= counters.add(digit(j), before[j] >> 10) << 16;
        }
        __syncwarp();
      }
    });
#pragma unroll
    for (int j = 0; j < items; ++j) {
      before[j] =
          (__shfl_sync(full_warp, before[j], before[j] & 31U) >> 16) + (before[j] >> 5 & 31U);
    }
  }
  forget(word);
}

/// `counters` [groups / 2][stride] become the first place of each group's entries of each digit in
/// the tile sorted by digit, and `with_start(d, start, count)` is called for each of `digits`;
/// number d is digit `digit_at(d)`. Barriers before and after are the caller's.
template <int threads, class DigitAt, class WithStart>
__device__ __forceinline__ void places_from_counts(unsigned* counters, unsigned stride,
                                                   unsigned digits, unsigned* warp_sums,
                                                   const DigitAt& digit_at,
                                                   const WithStart& with_start) {
  constexpr int pairs = groups_of<threads> / 2;
  const unsigned each = ceil_div(digits, threads);
  const unsigned first = min(threadIdx.x * each, digits);
  const unsigned last = min(first + each, digits);
  unsigned sum = 0;  // of both halves
#pragma unroll 1
  for (unsigned d = first; d < last; ++d) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      sum += counters[p * stride + digit_at(d)];
    }
  }
  unsigned total;
  unsigned running = block_exclusive_sum<threads>((sum & 0xffffU) + (sum >> 16), warp_sums, total);
#pragma unroll 1
  for (unsigned d = first; d < last; ++d) {
    const unsigned digit = digit_at(d), start = running;
    unsigned counts[pairs];
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      counts[p] = counters[p * stride + digit];
    }
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const unsigned low = counts[p] & 0xffffU;
      counters[p * stride + digit] = running | (running + low) << 16;
      running += low + (counts[p] >> 16);
    }
    with_start(d, start, running - start);
  }
}

/// Writes `value` to `words` [count rounded up to 4], aligned to 16 bytes.
template <int threads>
__device__ __forceinline__ void fill(unsigned* words, unsigned count, unsigned value) {
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < (count + 3) / 4; i += threads) {
    reinterpret_cast<uint4*>(words)[i] = {value, value, value, value};
  }
}

}  // namespace sparserepro::partition
