// Rows of consecutive entries on the device, from row pointers. All functions are called by all
// lanes of a warp.
#pragma once

#include <cstdint>

#include "cuda/any_pointers.cuh"
#include "cuda/scan.cuh"

namespace sparserepro::rows {

/// The row of entry `position`. The 32 lanes of the warp search together: each step divides the
/// range by 32, so that few loads depend on one another.
__device__ __forceinline__ unsigned row_of(const AnyPointers& row_ptr, unsigned rows,
                                           unsigned position) {
  unsigned low = 0, high = rows;  // row_ptr[low] <= position < row_ptr[high]
  while (high - low > 1) {
    const unsigned stride = (high - low + 31) / 32;
    const unsigned probe = low + threadIdx.x % 32 * stride;
    const unsigned below = __ballot_sync(full_warp, probe < high && row_ptr[probe] <= position);
    low += (31 - __clz(below)) * stride;  // lane 0 probes `low`, so `below` is not 0
    high = min(low + stride, high);
  }
  return low;
}

/// The rows of the entries position.x and position.y; both searches advance together.
__device__ __forceinline__ uint2 rows_of_two(const AnyPointers& row_ptr, unsigned rows,
                                             uint2 position) {
  uint2 low{0, 0}, high{rows, rows};
  while (high.x - low.x > 1 || high.y - low.y > 1) {
    const uint2 stride{(high.x - low.x + 31) / 32, (high.y - low.y + 31) / 32};
    const uint2 probe{low.x + threadIdx.x % 32 * stride.x, low.y + threadIdx.x % 32 * stride.y};
    // A search that has ended finds its row again.
    const unsigned first = probe.x < high.x ? row_ptr[probe.x] : ~0U;
    const unsigned second = probe.y < high.y ? row_ptr[probe.y] : ~0U;
    low.x += (31 - __clz(__ballot_sync(full_warp, first <= position.x))) * stride.x;
    low.y += (31 - __clz(__ballot_sync(full_warp, second <= position.y))) * stride.y;
    high = {min(low.x + stride.x, high.x), min(low.y + stride.y, high.y)};
  }
  return low;
}

/// Writes the rows of the entries [begin, begin + count) to `out` [count] in shared memory, which
/// only this warp uses. `first` and `last` are the rows of the first and the last entry. The number
/// of a row is written where the row begins, and a scan by maximum copies it to the other entries.
/// If last - first > 4 count, so that most rows are empty, a binary search finds each row instead.
__device__ __forceinline__ void expand_rows(const AnyPointers& row_ptr, unsigned first,
                                            unsigned last, unsigned begin, unsigned count,
                                            unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  if (last - first > 4 * count) {
    for (unsigned i = lane; i < count; i += 32) {
      unsigned low = first, high = last + 1;
      while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        (row_ptr[middle] <= begin + i ? low : high) = middle;
      }
      out[i] = low;
    }
    __syncwarp();
    return;
  }
  for (unsigned i = lane; i < count; i += 32) {
    out[i] = first;
  }
  __syncwarp();
  for (unsigned r = first + 1 + lane; r <= last; r += 32) {
    atomicMax(out + (row_ptr[r] - begin), r);
  }
  __syncwarp();
  constexpr int at_once = 4;  // independent scans in flight
  unsigned carried = first;
  for (unsigned i = lane; i - lane < count; i += 32 * at_once) {
    unsigned row[at_once];
#pragma unroll
    for (int q = 0; q < at_once; ++q) {
      row[q] = i + 32 * q < count ? out[i + 32 * q] : 0;
    }
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
#pragma unroll
      for (int q = 0; q < at_once; ++q) {
        row[q] = max(row[q], __shfl_up_sync(full_warp, row[q], offset));
      }
    }
#pragma unroll
    for (int q = 0; q < at_once; ++q) {
      row[q] = max(row[q], carried);
      carried = __shfl_sync(full_warp, row[q], 31);
      if (i + 32 * q < count) {
        out[i + 32 * q] = row[q];
      }
    }
  }
  __syncwarp();
}

/// expand_rows, which first searches the rows of the first and the last entry.
__device__ __forceinline__ void rows_of(const AnyPointers& row_ptr, unsigned rows, unsigned begin,
                                        unsigned count, unsigned* out) {
  if (count > 0) {
    expand_rows(row_ptr, row_of(row_ptr, rows, begin), row_of(row_ptr, rows, begin + count - 1),
                begin, count, out);
  }
}

}  // namespace sparserepro::rows
