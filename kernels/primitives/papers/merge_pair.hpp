// Stable merge of two neighbouring sorted segments, whole or in parts, on the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro {

/// Keys and their payload, of one length; non-owning.
struct KeyedArray {
  const index_t* keys{};
  const index_t* payload{};
};
/// Where merged keys and payload are written; non-owning.
struct KeyedOutput {
  index_t* keys{};
  index_t* payload{};
};

/// Segments [left, right) and [right, end) of an array; their merge is written to [left, end).
struct SegmentPair {
  std::int64_t left{}, right{}, end{};

  /// Pair `number` of an array of `length` elements in segments of `segment` elements. In the last
  /// pair the right segment may be short or empty; the left one is short only beside an empty one.
  static SegmentPair at(std::int64_t number, std::int64_t segment, std::int64_t length) {
    const std::int64_t left = number * 2 * segment;
    return {left, std::min(length, left + segment), std::min(length, left + 2 * segment)};
  }
  std::int64_t size() const { return end - left; }
};

/// Number of pairs of an array; the last one may be incomplete.
constexpr std::int64_t pair_count(std::int64_t segment, std::int64_t length) {
  return (length + 2 * segment - 1) / (2 * segment);
}

/// Number of elements of the left segment among the first `diagonal` elements of the merged pair.
/// Equal keys of the left segment come first. O(log diagonal). Source: Odeh, Green, Mwassi,
/// Shmueli, Birk, "Merge Path - parallel merging made simple", IPDPS workshops 2012.
inline std::int64_t merge_path(const index_t* keys, const SegmentPair& pair,
                               std::int64_t diagonal) {
  const index_t* const left = keys + pair.left;
  const index_t* const right = keys + pair.right;
  std::int64_t low = std::max<std::int64_t>(0, diagonal - (pair.end - pair.right));
  std::int64_t high = std::min(diagonal, pair.right - pair.left);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (left[middle] <= right[diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Merges `in` [a, a_end) and [b, b_end) to `out` from `place` on; equal keys of a come first.
inline void merge_ranges(const KeyedArray& in, std::int64_t a, std::int64_t a_end, std::int64_t b,
                         std::int64_t b_end, const KeyedOutput& out, std::int64_t place) {
  while (a < a_end && b < b_end) {
    const bool from_b = in.keys[b] < in.keys[a];
    const std::int64_t from = from_b ? b : a;
    out.keys[place] = in.keys[from];
    out.payload[place++] = in.payload[from];
    a += !from_b;
    b += from_b;
  }
  const std::int64_t rest = a < a_end ? a : b;
  const std::int64_t count = a < a_end ? a_end - a : b_end - b;
  std::copy_n(in.keys + rest, count, out.keys + place);
  std::copy_n(in.payload + rest, count, out.payload + place);
}

}  // namespace sparserepro
