// compare_blocks.hpp on the device.
#pragma once

#include "formats/types.hpp"

namespace sparserepro {

/// Size of the intersection of two strictly ascending ranges, either of which may be in shared
/// memory. Algorithm 5 of the triangle seed: two pointers, three-way comparison.
__device__ inline index_t compare_blocks_on_device(const index_t* a, const index_t* a_end,
                                                   const index_t* b, const index_t* b_end) {
  index_t matches = 0;
  while (a != a_end && b != b_end) {
    const index_t from_a = *a, from_b = *b;
    matches += from_a == from_b;
    a += from_a <= from_b;
    b += from_b <= from_a;
  }
  return matches;
}

}  // namespace sparserepro
