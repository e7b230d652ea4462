// K = 1: the lanes of a vector run over the units of a slice, or over the entries of a row.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/omp_csr_blocked/product/simd.hpp"
#include "spmm/omp_csr_blocked/product/sums.hpp"

namespace sparserepro::csr_blocks {

/// `V` are the vectors of an instruction set (simd.hpp).
template <class V>
struct Column {
  using Element = typename V::Element;
  using Sum = typename V::Sum;
  static constexpr index_t lanes = V::lanes;

  /// Layout::lanes, Layout::shifted or Layout::jagged.
  template <int rows, bool shifted, bool jagged = false>
  static void slices(const Window& window, const Element* values, const Bundle& b,
                     const Operands<Element>& o) {
    constexpr index_t step = shifted ? 1 : lanes;  // to the next column, and to the next slice
    constexpr typename V::Lanes all;
    const index_t* length =
        jagged ? window.lengths + b.unit : nullptr;  // of the units of a jagged slice
    const index_t* column = window.columns + b.column;
    const Element* value = values + b.value;
    const index_t* first_row = window.first_row + b.unit;
    for (index_t u = 0; u < b.count; u += step, first_row += step) {
      typename V::Vector sum[rows] = {};
      const index_t least = jagged ? length[lanes - 1] : b.length;
      for (index_t p = 0; p < least; ++p, column += step, value += lanes * rows) {
        if (!shifted) {
          prefetch_later(column);
        }
        const typename V::Vector x =
            shifted ? V::template load_every<rows>(o.x + *column, V::load(o.x + *column), all)
                    : V::gather(o.x, column);
#pragma GCC unroll 3
        for (int r = 0; r < rows; ++r) {
          prefetch_later(value + lanes * r);
          sum[r] = V::load(value + lanes * r) * x + sum[r];
        }
      }
      if constexpr (jagged) {
        for (index_t p = least; p < *length; ++p) {
          const index_t count = V::longer(length, p);
          prefetch_later(column);
          const typename V::Vector x = V::gather_first(o.x, column, count);
#pragma GCC unroll 3
          for (int r = 0; r < rows; ++r, value += count) {
            prefetch_later(value);
            sum[r] = V::load_first(value, count) * x + sum[r];
          }
          column += count;
        }
        length += lanes;
      }
      if (shifted || (rows == 1 && !jagged && first_row[lanes - 1] - first_row[0] == lanes - 1)) {
        V::template store_every<rows>(o.y + first_row[0], sum, all);
        continue;
      }
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
        for (int lane = 0; lane < lanes; ++lane) {
          o.y[first_row[lane] + r] = sum[r][lane];
        }
      }
    }
  }

  /// Layout::rows.
  template <int rows>
  static void units(const Window& window, const Element* values, const Bundle& b,
                    const Operands<Element>& o) {
    const index_t* column = window.columns + b.column;
    const Element* value = values + b.value;
    for (index_t u = 0; u < b.count; ++u, column += b.length) {
      for (index_t r = 0; r < rows; ++r, value += b.length) {
        o.y[window.first_row[b.unit + u] + r] = dot(value, column, b.length, o.x);
      }
    }
  }

  static constexpr bool has_diagonals = requires {
    &V::all_finite;
  };
  static constexpr bool has_jagged = requires {
    &V::gather_first;
  };

  /// Layout::diagonals or Layout::padded. The products of padded places are +0 or -0, and change
  /// no sum, unless X is not finite there: then the sums are not finite, and are made without them.
  template <bool padded>
  static void diagonals(const Window& window, const Element* value, const Bundle& b,
                        const Operands<Element>& o) {
    const index_t* column = window.columns + b.column;
    for (index_t s = 0; s < b.count; ++s) {
      const index_t head = *column++, diagonals = head / 2;
      const auto sum_of = [&](auto whole, auto within) {
        typename V::Vector sum[2] = {};
        const auto add = [&](int part) {
          prefetch_later(value);
          V::template add_present<padded, within>(whole ? index_t{-1} : column[diagonals], value,
                                                  o.x + *column, sum[part]);
          value += padded ? lanes : std::popcount(static_cast<std::uint32_t>(column[diagonals]));
          ++column;
        };
        index_t left = diagonals;
        for (; left >= 2; left -= 2) {
          add(0);
          add(1);
        }
        if (left > 0) {
          add(0);
        }
        return sum[0] + sum[1];
      };
      constexpr std::true_type yes;
      constexpr std::false_type no;
      typename V::Vector sum;
      if (head % 2 == 0) {
        sum = sum_of(no, no);
      } else if (sum = sum_of(std::bool_constant<padded>(), yes); padded && !V::all_finite(sum)) {
        column -= diagonals;
        value -= diagonals * lanes;
        sum = sum_of(no, yes);
      }
      column += diagonals;
      V::store(o.y + window.first_row[b.unit + s], sum);
    }
  }

  /// sum of values[p] x[columns[p]] for p < count.
  static Sum dot(const Element* values, const index_t* columns, std::int64_t count,
                 const Element* x) {
    constexpr int parts = 4;
    typename V::Vector sum[parts] = {};
    const auto add_products = [&](int part, std::int64_t p) {
      sum[part] = V::load(values + p) * V::gather(x, columns + p) + sum[part];
    };
    std::int64_t p = 0;
    if (count >= parts * lanes) {
      for (; p + parts * lanes <= count; p += parts * lanes) {
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) {
          add_products(part, p + part * lanes);
        }
      }
      sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    for (; p + lanes <= count; p += lanes) {
      add_products(0, p);
    }
    if constexpr (has_jagged) {
      const auto rest = static_cast<index_t>(count - p);
      sum[0] = V::load_first(values + p, rest) * V::gather_first(x, columns + p, rest) + sum[0];
      p = count;
    }
    Sum total = V::sum_of_lanes(sum[0]);
    for (; p < count; ++p) {
      total = widened(values[p]) * widened(x[columns[p]]) + total;
    }
    return total;
  }

  static void csr(const Element* values, const index_t* columns, IndexArray row_ptr, index_t count,
                  const Operands<Element>& o) {
    for (index_t i = 0; i < count; ++i) {
      const std::int64_t begin = row_ptr[i];
      o.y[i] = dot(values + begin, columns + begin, row_ptr[i + 1] - begin, o.x);
    }
  }
};

template <class V>
Kernels<typename V::Element> one_column() {
  return {multiply_bundles<Column<V>, typename V::Element>,
          Column<V>::csr,
          {V::lanes, V::lanes, V::lanes},
          Column<V>::has_diagonals,
          Column<V>::has_jagged};
}

}  // namespace sparserepro::csr_blocks
