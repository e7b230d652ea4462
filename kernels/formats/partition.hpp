// Static partition of work between threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// First element of part `part` when `count` elements are cut into `parts` consecutive parts whose
/// sizes differ by at most one; part `parts` begins at `count`. Parts may be empty.
constexpr std::int64_t part_begin(std::int64_t count, std::int64_t parts, std::int64_t part) {
  return count / parts * part + std::min(part, count % parts);
}

/// The segment of `pointers` [segments+1] that holds element `element`, which must exist: the only
/// i with pointers[i] <= element < pointers[i+1]. O(log segments).
template <class Offset>
std::int64_t segment_of(const Offset* pointers, std::int64_t segments, Offset element) {
  return std::upper_bound(pointers, pointers + segments + 1, element) - pointers - 1;
}

}  // namespace sparserepro
