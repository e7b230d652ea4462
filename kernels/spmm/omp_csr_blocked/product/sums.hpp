// Sums of a few rows over a tile of columns, all in registers, and prefetches for them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "spmm/omp_csr_blocked/product/product.hpp"

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

  /// Entries from a load of X back to its prefetch. Rows of 256 bytes or more may wait in the L2
  /// cache, so that more of them are under way.
  static constexpr int ahead(bool far) {
    return bytes <= 64 ? 64 : bytes <= 128 ? 32 : bytes < 256 || !far ? 16 : bytes < 512 ? 32 : 64;
  }
  static_assert(ahead(true) <= RowBundles::columns_ahead);

  /// The row of X at x[later], which may lie behind X.
  [[gnu::always_inline]] static void at(const Element* x, std::int64_t later, bool far) {
    const auto from = reinterpret_cast<std::uintptr_t>(x) + later * sizeof(Element);
#pragma GCC unroll 8
    for (int byte = 0; byte < bytes; byte += line_bytes) {
      const auto* const line = reinterpret_cast<const void*>(from + byte);
      bytes >= 256 && far ? __builtin_prefetch(line, 0, 2) : __builtin_prefetch(line, 0, 3);
    }
  }
  /// That of the entry so many after the one at `column`.
  [[gnu::always_inline]] static void of_entry(const Element* x, const index_t* column,
                                              std::int64_t k, bool far) {
    at(x, column[ahead(far)] * k, far);
  }
};

/// The bundles of a window by the loops of `Loops`, which know the rows of a unit. Halves of cache
/// lines of Y are written past the caches where their neighbours follow at once.
template <class Loops, class Element>
void multiply_bundles(const Window& window, const Element* values, const Operands<Element>& all) {
  for (const Bundle& b : window.bundles) {
    Operands<Element> o = all;
    o.stream &= o.k * sizeof(SumOf<Element>) % 64 == 0 || b.is_shifted();
    const auto multiply = [&](auto rows) {
      if (b.layout == Layout::rows) {
        Loops::template units<rows>(window, values, b, o);
      } else if (b.layout == Layout::lanes) {
        Loops::template slices<rows, false>(window, values, b, o);
      } else if (b.layout == Layout::shifted) {
        Loops::template slices<rows, true>(window, values, b, o);
      } else if constexpr (requires { &Loops::bands; }) {
        Loops::bands(window, values, b, o);
      } else {
        if constexpr (Loops::has_jagged) {
          if (b.layout == Layout::jagged) {
            return Loops::template slices<rows, false, true>(window, values, b, o);
          }
        }
        if constexpr (Loops::has_diagonals) {
          b.layout == Layout::padded
              ? Loops::template diagonals<true>(window, values + b.value, b, o)
              : Loops::template diagonals<false>(window, values + b.value, b, o);
        }
      }
    };
    b.rows == 1   ? multiply(std::integral_constant<int, 1>())
    : b.rows == 2 ? multiply(std::integral_constant<int, 2>())
                  : multiply(std::integral_constant<int, 3>());
  }
}

/// Of `rows` rows (at most 4). The last vector of a row ends with the tile: where columns are no
/// multiple of the lanes, some of its sums are those of the vector before, to the same bits.
template <class V, int vectors, int rows>
struct Sums {
  using Element = typename V::Element;
  using Sum = typename V::Sum;
  typename V::Vector v[rows][vectors] = {};

  /// Whether vector q begins at `last`.
  static constexpr bool is_last(int q) { return q > 0 && q == vectors - 1; }

  /// Row r += values[r * step] * x for low <= r < high.
  [[gnu::always_inline]] void add_product(const Element* values, std::int64_t step,
                                          const Element* x, std::int64_t last, int low = 0,
                                          int high = rows) {
#pragma GCC unroll 8
    for (int q = 0; q < vectors; ++q) {
      typename V::Vector x_q = is_last(q) ? V::load_last(x + last) : V::load(x + q * V::lanes);
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
        } else if (is_last(q)) {
          V::store_last(y + r * k + last, v[r][q]);
        } else {
          V::store(y + r * k + q * V::lanes, v[r][q]);
        }
      }
    }
  }
};

}  // namespace sparserepro::csr_blocks
