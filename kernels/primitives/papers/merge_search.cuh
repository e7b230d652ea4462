// Binary searches for stable merging on the device, and pairs of segments.
#pragma once

#include <cstdint>

#include "cuda/launch.hpp"
#include "formats/types.hpp"

namespace sparserepro::device {

/// Segments [left, right) and [right, end) of an array; their merge is written to [left, end).
struct Pair {
  std::int64_t left, right, end;

  static __host__ __device__ Pair at(std::int64_t number, std::int64_t segment,
                                     std::int64_t length) {
    const std::int64_t left = number * 2 * segment;
    const std::int64_t right = left + segment < length ? left + segment : length;
    const std::int64_t end = left + 2 * segment < length ? left + 2 * segment : length;
    return {left, right, end};
  }
};

/// First p in [low, high) with keys[p] >= key, or keys[p] > key with `or_equal`; `high` if none.
template <bool or_equal, class Position>
__device__ __forceinline__ Position search(const index_t* keys, Position low, Position high,
                                           index_t key) {
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (keys[middle] < key || (or_equal && keys[middle] == key)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Number of elements of `left` [left_count] among the first `diagonal` elements of its merge with
/// `right` [right_count]. Equal keys of `left` come first. Source: Odeh, Green, Mwassi, Shmueli,
/// Birk, IPDPS workshops 2012.
template <class Position>
__device__ __forceinline__ Position merge_path(const index_t* left, Position left_count,
                                               const index_t* right, Position right_count,
                                               Position diagonal) {
  Position low = diagonal > right_count ? diagonal - right_count : 0;
  Position high = diagonal < left_count ? diagonal : left_count;
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (left[middle] <= right[diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace sparserepro::device
