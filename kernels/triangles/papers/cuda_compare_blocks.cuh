// Size of the intersection of two strictly ascending ranges, on the device.
#pragma once

#include "formats/types.hpp"

namespace sparserepro {

/// Number of common elements of [a, a_end) and [b, b_end), each in global or shared memory, by two
/// pointers. Source: Algorithm 5 of the triangle seed.
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
