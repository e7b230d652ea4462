// Rows of X that are asked for before a window's products come to them.
#pragma once

#include <cstdint>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// Rows of X of a tile of so many columns.
template <class Element, int columns>
struct RowFetch {
  static constexpr int bytes = sizeof(Element) * columns, line_bytes = 64;

  /// Rows of 256 bytes or more wait in the L2 cache, so that more of them are under way: 2.5 with 3
  /// entries a row at K = 32 and 64 (Zen 4, 1 thread).
  static constexpr int level = bytes < 256 ? 3 : 2;

  /// Entries from a load of X back to its prefetch.
  static constexpr int ahead = bytes <= 64    ? 64
                               : bytes <= 128 ? 32
                               : bytes < 256  ? 16
                               : bytes < 512  ? 32
                                              : 64;
  static_assert(ahead <= RowBundles::columns_ahead);

  /// The row of X at x[later], which may lie behind X.
  [[gnu::always_inline]] static void at(const Element* x, std::int64_t later) {
    const auto from = reinterpret_cast<std::uintptr_t>(x) + later * sizeof(Element);
#pragma GCC unroll 8
    for (int byte = 0; byte < bytes; byte += line_bytes) {
      __builtin_prefetch(reinterpret_cast<const void*>(from + byte), 0, level);
    }
  }
  /// That of the entry so many after the one at `column`.
  [[gnu::always_inline]] static void of_entry(const Element* x, const index_t* column,
                                              std::int64_t k) {
    at(x, column[ahead] * k);
  }
};

}  // namespace sparserepro::csr_blocks
