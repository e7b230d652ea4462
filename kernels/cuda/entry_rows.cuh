// Rows of consecutive entries on the device, from row pointers. All lanes of a warp call each
// function.
//
// Where a row begins among the entries, its number is marked; a ballot of the marks tells each lane
// the last one before it. Where rows are many more than entries, each entry's row is searched.
#pragma once

#include <cstddef>

#include "cuda/any_pointers.cuh"
#include "cuda/scan.cuh"

namespace sparserepro {

/// The last i of [low, high) with at_most(i), which holds at `low` and up to the answer. Each step
/// cuts the range to a 32nd, so that few loads depend on one another.
template <class AtMost>
__device__ __forceinline__ unsigned last_at_most(unsigned low, unsigned high,
                                                 const AtMost& at_most) {
  while (high - low > 1) {
    const unsigned stride = (high - low + 31) / 32;
    const unsigned probe = low + threadIdx.x % 32 * stride;
    const unsigned begins = __ballot_sync(full_warp, probe < high && at_most(probe));
    low += (31 - __clz(begins)) * stride;  // the probe at `low` is always among them
    high = min(low + stride, high);
  }
  return low;
}

/// The rows of two entries. All of the block's `threads` search: each step cuts the range of each
/// to a (2 threads)-th.
template <unsigned threads>
__device__ __forceinline__ uint2 rows_of_ends(const AnyPointers& row_ptr, unsigned row_count,
                                              uint2 entries) {
  constexpr unsigned warps = threads / 32;
  __shared__ unsigned counts[2][warps];  // of rows that begin at most at the entries, 16 bits each
  const unsigned lane = threadIdx.x % 32, position[2] = {entries.x, entries.y};
  unsigned low[2] = {0, 0}, high[2] = {row_count, row_count};
  for (unsigned step = 0; max(high[0] - low[0], high[1] - low[1]) > 1; step ^= 1) {
    unsigned stride[2], begins = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      stride[k] = (high[k] - low[k] + 2 * threads - 1) / (2 * threads);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const unsigned probe = low[k] + (i * threads + threadIdx.x) * stride[k];
        begins += probe < high[k] && row_ptr[probe] <= position[k] ? 1U << 16 * k : 0;
      }
    }
    begins = __reduce_add_sync(full_warp, begins);
    if (lane == 0) {
      counts[step][threadIdx.x / 32] = begins;
    }
    __syncthreads();
    begins = __reduce_add_sync(full_warp, lane < warps ? counts[step][lane] : 0);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      low[k] += ((begins >> 16 * k & 0xffffU) - 1) * stride[k];
      high[k] = min(low[k] + stride[k], high[k]);
    }
  }
  return {low[0], low[1]};
}

/// Consecutive entries belong to stretches, such as rows. `marks[i]` holds what stands for its
/// stretch where one begins and at every 32nd entry, else `unmarked`.
inline constexpr unsigned unmarked = ~0U;

/// Marks the stretch [begin, end) of each lane.
__device__ __forceinline__ void mark_stretches(unsigned* marks, unsigned begin, unsigned end,
                                               unsigned what) {
  constexpr unsigned alone = 8 * 32;  // longer ones are marked by all lanes together
  if (begin < end) {
    marks[begin] = what;
    const unsigned stop = end - begin > alone ? begin : end;
#pragma unroll 1
    for (unsigned i = begin / 32 * 32 + 32; i < stop; i += 32) {
      marks[i] = what;
    }
  }
  unsigned rest = __ballot_sync(full_warp, begin < end && end - begin > alone);
#pragma unroll 1
  for (; rest != 0; rest &= rest - 1) {
    const int lane = __ffs(rest) - 1;
    const unsigned from = __shfl_sync(full_warp, begin, lane);
    const unsigned to = __shfl_sync(full_warp, end, lane);
    const unsigned all = __shfl_sync(full_warp, what, lane);
#pragma unroll 1
    for (unsigned i = (from / 32 + 1 + threadIdx.x % 32) * 32; i < to; i += 32 * 32) {
      marks[i] = all;
    }
  }
}

/// What stands for the stretch of each lane's entry, of 32 from a multiple of 32 on, where the
/// lanes hold the marks.
__device__ __forceinline__ unsigned stretch_of(unsigned mark) {
  const unsigned begins = __ballot_sync(full_warp, mark != unmarked);
  return __shfl_sync(full_warp, mark, 31 - __clz(begins & (full_warp >> (31 - threadIdx.x % 32))));
}

/// Sets row[j] to the row of entry begin + 32 j + lane, of `count` <= 32 items from `begin` on.
/// `marks` [count rounded up to 32], in shared memory, is the warp's own.
template <int items>
__device__ __forceinline__ void rows_of_entries(const AnyPointers& row_ptr, unsigned row_count,
                                                unsigned begin, unsigned count, unsigned* marks,
                                                unsigned (&row)[items]) {
  constexpr unsigned most_scanned = 2048;  // rows; among more, each entry's is searched
  constexpr int at_once = 4;
  if (count == 0) {
    return;
  }
  const unsigned lane = threadIdx.x % 32, end = begin + count;
  const unsigned position[2] = {begin, end - 1};  // the first and the last are searched together
  unsigned low[2] = {0, 0}, high[2] = {row_count, row_count};
  while (high[0] - low[0] > 1 || high[1] - low[1] > 1) {
    bool at_most[2];
    unsigned stride[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      stride[k] = (high[k] - low[k] + 31) / 32;
      const unsigned probe = low[k] + lane * stride[k];
      at_most[k] = probe < high[k] && row_ptr[probe] <= position[k];
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {  // as in last_at_most
      low[k] += (31 - __clz(__ballot_sync(full_warp, at_most[k]))) * stride[k];
      high[k] = min(low[k] + stride[k], high[k]);
    }
  }
  const unsigned first = low[0], last = low[1];
  if (last - first > most_scanned) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      row[j] = first;
    }
    for (unsigned span = last - first + 1; span > 1; span -= span / 2) {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        row[j] += row_ptr[row[j] + span / 2] <= begin + j * 32 + lane ? span / 2 : 0;
      }
    }
    return;
  }
  for (unsigned i = lane; i - lane < count; i += 32) {
    marks[i] = unmarked;
  }
  __syncwarp();
  for (unsigned r = first + lane; r - lane <= last; r += 32 * at_once) {
    unsigned from[at_once], to[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const bool here = r + 32 * k <= last;
      from[k] = here ? max(row_ptr[r + 32 * k], begin) : begin;
      to[k] = here ? min(row_ptr[r + 32 * k + std::size_t{1}], end) : begin;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      mark_stretches(marks, from[k] - begin, to[k] - begin, r + 32 * k);
    }
  }
  __syncwarp();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    if (j * 32 < count) {
      row[j] = stretch_of(marks[j * 32 + lane]);
    }
  }
}

}  // namespace sparserepro
