// The parts of the runs that a block of cuda_mergetrans_mergepath merges.
#pragma once

#include "transpose/papers/cuda_mergetrans_mergepath/divide.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/tile.cuh"

namespace sparserepro::mergepath {

/// The non-empty parts of the runs of a group that a block merges; a part occupies consecutive
/// slots.
template <class S>
struct Parts {
  unsigned marks[S::size / 32];  ///< one bit for each slot: whether a part begins there
  unsigned starts[MergepathPolicy::few_parts + 1];  ///< first slots of up to few_parts parts
  unsigned warp_sums[32];
};

/// Sets the marks to 0. The caller synchronises the block afterwards.
template <class S>
__device__ __forceinline__ void clear(Parts<S>& parts) {
  for (unsigned w = threadIdx.x; w < S::size / 32; w += S::threads) {
    parts.marks[w] = 0;
  }
}

/// Sets `parts`, which must be clear, and sources[part] = first entry - first slot. Returns the
/// numbers of parts (x) and of entries (y). A barrier ends it.
template <class S>
__device__ __forceinline__ uint2 find_parts(const Tiles& tiles, const Runs& runs,
                                            const unsigned* splits, bool ends_group,
                                            Parts<S>& parts, unsigned* sources) {
  static_assert(S::size < 1U << 16 && MergepathPolicy::most_ways < 1 << 16);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned each = ceil_div(runs.ways, S::threads);
  const unsigned begin = threadIdx.x * each, end = min(begin + each, runs.ways);
  const unsigned group = runs.group_begin(blockIdx.x, tiles);
  const unsigned* const own = splits + std::size_t{blockIdx.x} * runs.ways;
  const auto held_by = [&](unsigned j) {
    return (ends_group ? runs.run(group, j, tiles).y : own[runs.ways + j]) - own[j];
  };
  unsigned sum = 0;  // entries << 16 | parts
#pragma unroll 1
  for (unsigned j = begin; j < end; ++j) {
    const unsigned held = held_by(j);
    sum += held << 16 | (held > 0 ? 1 : 0);
  }
  const unsigned inclusive = warp_inclusive_sum(sum);
  if (lane == 31) {
    parts.warp_sums[warp] = inclusive;
  }
  __syncthreads();
  const unsigned of_warp = lane < S::threads / 32 ? parts.warp_sums[lane] : 0;
  const unsigned total = __reduce_add_sync(full_warp, of_warp);
  unsigned running = inclusive - sum + __reduce_add_sync(full_warp, lane < warp ? of_warp : 0);
#pragma unroll 1
  for (unsigned j = begin; j < end; ++j) {
    const unsigned held = held_by(j);
    if (held > 0) {
      const unsigned slot = running >> 16, part = running & 0xffffU;
      sources[part] = own[j] - slot;
      atomicOr(parts.marks + slot / 32, 1U << slot % 32);
      if (part < MergepathPolicy::few_parts) {
        parts.starts[part] = slot;
      }
      running += held << 16 | 1;
    }
  }
  const uint2 found{total & 0xffffU, total >> 16};
  if (threadIdx.x == 0 && found.x <= MergepathPolicy::few_parts) {
    parts.starts[found.x] = found.y;
  }
  __syncthreads();
  return found;
}

/// Maps the thread's slots to entries. Lane k keeps the marks of the 32 slots k of the warp's
/// threads and the number of parts that begin before them.
class SlotSources {
 public:
  template <class S>
  __device__ SlotSources(const Parts<S>& parts, const unsigned* sources) : sources_(sources) {
    static_assert(items <= 16);
    const unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32 * items;
    unsigned before = 0;
    for (unsigned w = lane; w < first; w += 32) {
      before += __popc(parts.marks[w]);
    }
    before = __reduce_add_sync(full_warp, before);
    marks_ = lane < items ? parts.marks[first + lane] : 0;
    unsigned inclusive = __popc(marks_);
#pragma unroll
    for (int offset = 1; offset < 16; offset *= 2) {
      const unsigned other = __shfl_up_sync(full_warp, inclusive, offset);
      inclusive += static_cast<int>(lane) >= offset ? other : 0;
    }
    before_ = before + inclusive - __popc(marks_);
  }

  /// The entry of the thread's slot k. All lanes of the warp call it.
  __device__ unsigned entry(int k) const {
    const unsigned lane = threadIdx.x % 32;
    const unsigned marks = __shfl_sync(full_warp, marks_, k);
    const unsigned begun = __shfl_sync(full_warp, before_, k) + __popc(marks & (2U << lane) - 1);
    return sources_[begun - 1] + first_slot() + k * 32;
  }

 private:
  const unsigned* sources_;
  unsigned marks_, before_;
};

}  // namespace sparserepro::mergepath
