// Size of the intersection of two strictly ascending ranges.
#pragma once

#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro {

/// Number of common elements of [a, a_end) and [b, b_end), by two pointers and a three-way
/// comparison. O(length of a + length of b). Source: Algorithm 5 of the triangle seed.
inline std::uint64_t compare_blocks(const index_t* a, const index_t* a_end, const index_t* b,
                                    const index_t* b_end) {
  std::uint64_t matches = 0;
  while (a != a_end && b != b_end) {
    if (*a == *b) {
      ++a;
      ++b;
      ++matches;
    } else if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  return matches;
}

}  // namespace sparserepro
