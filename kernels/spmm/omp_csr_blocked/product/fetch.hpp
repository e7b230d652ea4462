// Rows of X that are asked for before a window's products come to them.
#pragma once

#include <cstdint>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// Rows of X of a tile of columns.
template <int bytes>
struct RowFetch {
  static constexpr int line_bytes = 64;
  static constexpr int lines = (bytes + line_bytes - 1) / line_bytes;

  /// Rows of 256 bytes or more that are met from afar wait in the L2 cache, so that more of them
  /// are under way: 2.5 with 3 entries a row at K = 32 and 64 (Zen 4, 1 thread).
  static constexpr Fetch far = bytes < 256 ? Fetch::near : Fetch::far;

  /// Entries from a load of X back to its prefetch.
  static constexpr int ahead_of(Fetch fetch) {
    return bytes <= 64 ? 64 : bytes <= 128 ? 32 : fetch == Fetch::near ? 16 : bytes < 512 ? 32 : 64;
  }
  static_assert(ahead_of(far) <= RowBundles::columns_ahead);

  /// The row of X at x[later], which may lie behind X.
  template <Fetch how>
  [[gnu::always_inline]] static void fetch(const double* x, std::int64_t later = 0) {
    if constexpr (how != Fetch::none) {
      const auto from = reinterpret_cast<std::uintptr_t>(x) + later * sizeof(double);
#pragma GCC unroll 8
      for (int byte = 0; byte < bytes; byte += line_bytes) {
        __builtin_prefetch(reinterpret_cast<const void*>(from + byte), 0,
                           how == Fetch::near ? 3 : 2);
      }
    }
  }

  /// The line of X at x[later] alone, into the L2 cache.
  [[gnu::always_inline]] static void fetch_line(const double* x, std::int64_t later) {
    const auto from = reinterpret_cast<std::uintptr_t>(x) + later * sizeof(double);
    __builtin_prefetch(reinterpret_cast<const void*>(from), 0, 2);
  }

  /// That of the entry so many after the one at `column`, where each entry's is asked for.
  template <Fetch how>
  [[gnu::always_inline]] static void fetch_entry(const double* x, const index_t* column,
                                                 std::int64_t k) {
    if constexpr (how == Fetch::near || how == Fetch::far) {
      fetch<how>(x + column[ahead_of(how)] * k);
    }
  }
};

}  // namespace sparserepro::csr_blocks
