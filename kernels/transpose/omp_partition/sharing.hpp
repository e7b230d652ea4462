// Whether the slices of two threads meet the same columns, so that lines of the answer travel from
// one thread to the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/csr.hpp"
#include "formats/processor.hpp"
#include "transpose/omp_partition/policy.hpp"

namespace sparserepro {

/// Whether both halves of the entries of `a` have the same columns, by samples: for the entries x
/// of one and y of the other, how often x >= y. Never in a band, in half of the pairs at random.
template <class Offset, class Value>
bool halves_share_columns(const CsrView<Offset, Value>& a) {
  constexpr int samples = 32;
  if (a.nnz < 2 * samples) {
    return false;
  }
  const auto half = static_cast<std::int64_t>(a.nnz) / 2;
  const std::int64_t step = half / samples;
  int later = 0;
  for (int x = 0; x < samples; ++x) {
    for (int y = 0; y < samples; ++y) {
      later += a.col_idx[x * step] >= a.col_idx[half + y * step];
    }
  }
  return std::min(later, samples * samples - later) > samples * samples / 8;
}

/// Threads that share `a`. Where no cache is near, lines travel between two threads in any case,
/// and one of them alone scatters few entries as fast.
template <class Offset, class Value>
int sharing_threads(const CsrView<Offset, Value>& a, int threads) {
  using Policy = HostPartitionPolicy;
  const bool alone = threads == 2 && !has_near_last_level_cache() &&
                     (a.nnz < Policy::serial_entries_of_two ||
                      (a.nnz < Policy::shared_entries && a.nnz < Policy::line_entries * a.cols &&
                       halves_share_columns(a)));
  return alone ? 1 : threads;
}

}  // namespace sparserepro
