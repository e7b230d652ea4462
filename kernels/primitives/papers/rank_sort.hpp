// Stable sort of one segment by rank, on the host.
#pragma once

#include <cstdint>
#include <string>

#include "primitives/primitives.hpp"

namespace sparserepro {

/// Sorts `keys`, `payload` [n] into `out_keys`, `out_payload` [n], which must not overlap them.
/// Element i goes to place  #{j < i : key[j] <= key[i]} + #{j > i : key[j] < key[i]}.
/// n (n - 1) comparisons, without a branch. Source: transposition seed IV-B.
inline void rank_sort(const index_t* keys, const index_t* payload, index_t n, index_t* out_keys,
                      index_t* out_payload) {
  for (index_t i = 0; i < n; ++i) {
    const index_t key = keys[i];
    index_t rank = 0;
    for (index_t j = 0; j < i; ++j) {
      rank += keys[j] <= key;
    }
    for (index_t j = i + 1; j < n; ++j) {
      rank += keys[j] < key;
    }
    out_keys[rank] = key;
    out_payload[rank] = payload[i];
  }
}

/// Longest segment that is sorted by rank. The seed's segments must fit shared memory: 48 KiB hold
/// 12288 keys.
inline constexpr std::int64_t max_ranked_segment = 16384;

/// "" or, if segments exceed max_ranked_segment, a message that says so.
inline std::string rank_sort_refusal(const PrimitivesProblem& problem, const Params&) {
  return problem.segment() <= max_ranked_segment
             ? ""
             : "ranking takes segment^2 comparisons; segments above " +
                   std::to_string(max_ranked_segment) + " elements are not ranked";
}

}  // namespace sparserepro
