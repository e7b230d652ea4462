// Sums of a few rows over a tile of columns, all in registers, and prefetches for them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// Asks for the values or columns that a loop comes to half a page later: the processor, left to
/// itself, falls behind loops that take rows of X as well. 1.2 to 1.35 on FEM and band at K = 3 to
/// 16, 1.05 to 1.2 on them at K = 1 and on the stencil; 512 bytes ahead: 0.84 to 0.97 of that; 4096
/// and 8192: 0.98 to 1.07.
[[gnu::always_inline]] static inline void prefetch_later(const void* place) {
  constexpr std::uintptr_t ahead = 2048;
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(place) + ahead));
}

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

/// Calls visit(bundle, rows of its units), which the compiler then knows.
template <class Visit>
[[gnu::always_inline]] inline void for_each_bundle(const Window& window, Visit visit) {
  for (std::int64_t i = 0; i < window.bundle_count; ++i) {
    const Bundle& b = window.bundles[i];
    if (b.rows == 1) {
      visit(b, std::integral_constant<int, 1>());
    } else if (b.rows == 2) {
      visit(b, std::integral_constant<int, 2>());
    } else {
      visit(b, std::integral_constant<int, 3>());
    }
  }
}

/// Of `rows` rows (at most 4). The last vector of a row ends with the tile: where columns are no
/// multiple of the lanes, some of its sums are those of the vector before, to the same bits.
template <class V, int vectors, int rows>
struct Sums {
  using Element = typename V::Element;
  using Sum = typename V::Sum;
  typename V::Vector v[rows][vectors] = {};

  /// Where vector q begins, the last one at `last`.
  static std::int64_t place(int q, std::int64_t last) {
    return q > 0 && q == vectors - 1 ? last : q * V::lanes;
  }

  /// Row r += values[r * step] * x for low <= r < high.
  [[gnu::always_inline]] void add_product(const Element* values, std::int64_t step,
                                          const Element* x, std::int64_t last, int low = 0,
                                          int high = rows) {
#pragma GCC unroll 8
    for (int q = 0; q < vectors; ++q) {
      typename V::Vector x_q = V::load(x + place(q, last));
      if (rows > 1) {
        V::keep(x_q);
      }
#pragma GCC unroll 4
      for (int r = low; r < high; ++r) {
        v[r][q] = widened(values[r * step]) * x_q + v[r][q];
      }
    }
  }

  [[gnu::always_inline]] void add(const Sums& other) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int q = 0; q < vectors; ++q) {
        v[r][q] += other.v[r][q];
      }
    }
  }

  /// Rows of Y are k apart. Past the caches: whole, aligned vectors alone.
  [[gnu::always_inline]] void put(Sum* y, std::int64_t k, std::int64_t last,
                                  bool past_caches) const {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int q = 0; q < vectors; ++q) {
        if (past_caches) {
          V::stream(y + r * k + q * V::lanes, v[r][q]);
        } else {
          V::store(y + r * k + place(q, last), v[r][q]);
        }
      }
    }
  }
};

}  // namespace sparserepro::csr_blocks
