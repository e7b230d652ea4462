// Consecutive stretches of entries, joined as long as together they fit a tile, in the kernels of
// cuda_partition with two levels.
#pragma once

#include <cstdint>

namespace sparserepro::partition {

/// The largest n in [i + 1, most] with sums[n] - sums[i] <= room, i + 1 at least; `sums` [most + 1]
/// are exclusive.
__device__ __forceinline__ unsigned last_that_fits(const unsigned* sums, unsigned i, unsigned most,
                                                   unsigned room) {
  unsigned low = i + 1, high = most;
  while (low < high) {
    const unsigned middle = (low + high + 1) / 2;
    if (sums[middle] - sums[i] <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Follows `next` from 0 on while `more(i)`, and returns how many it came by, listed in `chosen`.
/// One thread calls it.
template <class More>
__device__ __forceinline__ unsigned follow(const std::uint16_t* next, std::uint16_t* chosen,
                                           const More& more) {
  unsigned count = 0;
  for (unsigned i = 0; more(i); i = next[i]) {
    chosen[count++] = static_cast<std::uint16_t>(i);
  }
  return count;
}

}  // namespace sparserepro::partition
