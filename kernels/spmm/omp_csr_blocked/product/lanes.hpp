// K = 1: the lanes of eight doubles run over the units of a slice, those of a vector over the
// entries of a row.
#pragma once

#include <cstdint>

#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/omp_csr_blocked/product/simd.hpp"
#include "spmm/omp_csr_blocked/product/sums.hpp"

namespace sparserepro::csr_blocks {

/// `V` are the vectors of an instruction set (simd.hpp).
template <class V>
struct Column {
  using Eight = csr_blocks::Eight<V>;

  /// Eight elements of Y that follow each other; a whole line past the caches.
  static void put(double* y, const Eight& sum, bool stream) {
    if (stream && reinterpret_cast<std::uintptr_t>(y) % sizeof(Eight) == 0) {
      sum.stream(y);
    } else {
      sum.store(y);
    }
  }

  /// Layout::lanes or Layout::shifted, eight units a slice.
  template <int rows, bool shifted>
  static void slices(const Window& window, const Bundle& b, const Operands& o) {
    static constexpr index_t places[8] = {0,        rows,     2 * rows, 3 * rows,
                                          4 * rows, 5 * rows, 6 * rows, 7 * rows};
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    const index_t* first_row = window.first_row + b.unit;
    for (index_t u = 0; u < b.count; u += shifted ? 1 : 8, first_row += shifted ? 1 : 8) {
      Eight sum[rows];
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
        sum[r] = Eight::zero();
      }
      for (index_t p = 0; p < b.length; ++p, column += shifted ? 1 : 8, value += 8 * rows) {
        if (!shifted) {
          prefetch_later(column);
        }
#pragma GCC unroll 3
        for (int r = 0; r < rows; ++r) {
          prefetch_later(value + 8 * r);
        }
        const Eight x = !shifted    ? Eight::gather(o.x, column)
                        : rows == 1 ? Eight::load(o.x + *column)
                                    : Eight::gather(o.x + *column, places);
#pragma GCC unroll 3
        for (int r = 0; r < rows; ++r) {
          sum[r] = Eight::multiply_add(Eight::load(value + 8 * r), x, sum[r]);
        }
      }
      double* const y = o.y + first_row[0];
      if (rows == 1 && (shifted || first_row[7] - first_row[0] == 7)) {
        put(y, sum[0], o.stream);
        continue;
      }
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
        sum[r].scatter((shifted ? y : o.y) + r, shifted ? places : first_row);
      }
    }
  }

  static void rows(const Window& window, const Bundle& b, const Operands& o) {
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    for (index_t u = 0; u < b.count; ++u, column += b.length) {
      for (index_t r = 0; r < b.rows; ++r, value += b.length) {
        o.y[window.first_row[b.unit + u] + r] = dot(value, column, b.length, o.x);
      }
    }
  }

  /// sum of values[p] x[columns[p]] for p < count.
  static double dot(const double* values, const index_t* columns, std::int64_t count,
                    const double* x) {
    constexpr int parts = 4, lanes = V::lanes;
    typename V::Vector sum[parts] = {V::zero(), V::zero(), V::zero(), V::zero()};
    const auto add_products = [&](int part, std::int64_t p) {
      sum[part] = V::multiply_add(V::load(values + p), V::gather(x, columns + p), sum[part]);
    };
    std::int64_t p = 0;
    for (; p + parts * lanes <= count; p += parts * lanes) {
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) {
        add_products(part, p + part * lanes);
      }
    }
    for (; p + lanes <= count; p += lanes) {
      add_products(0, p);
    }
    if constexpr (V::gathers_part) {
      if (p < count) {
        const auto mask = V::mask(static_cast<int>(count - p));
        sum[1] =
            V::multiply_add(V::load(values + p, mask), V::gather(x, columns + p, mask), sum[1]);
        p = count;
      }
    }
    const auto all = V::add(V::add(sum[0], sum[1]), V::add(sum[2], sum[3]));
    double total = V::sum_of_lanes(all);
    for (; p < count; ++p) {
      total = values[p] * x[columns[p]] + total;
    }
    return total;
  }

  template <int rows>
  static void bundle(const Window& w, const Bundle& b, const Operands& o) {
    if (b.layout == Layout::shifted) {
      slices<rows, true>(w, b, o);
    } else {
      slices<rows, false>(w, b, o);
    }
  }

  static void window(const Window& w, const Operands& operands) {
    const Operands o = operands;
    for (std::int64_t i = 0; i < w.bundle_count; ++i) {
      const Bundle& b = w.bundles[i];
      if (b.layout == Layout::rows) {
        rows(w, b, o);
      } else if (b.rows == 1) {
        bundle<1>(w, b, o);
      } else if (b.rows == 2) {
        bundle<2>(w, b, o);
      } else {
        bundle<3>(w, b, o);
      }
    }
    if (o.stream) {
      V::fence();
    }
  }

  template <class Offset>
  static void csr(const double* values, const index_t* columns, const Offset* row_ptr,
                  index_t count, const Operands& o, Fetch) {
    for (index_t i = 0; i < count; ++i) {
      const std::int64_t begin = row_ptr[i];
      o.y[i] = dot(values + begin, columns + begin, row_ptr[i + 1] - begin, o.x);
    }
  }

  static void segment(const double* values, const index_t* columns, std::int64_t count,
                      const Operands& o, double* sum) {
    *sum = dot(values, columns, count, o.x);
  }
};

template <class V>
Kernels one_column() {
  using C = Column<V>;
  return {C::window,
          C::segment,
          C::template csr<std::int32_t>,
          C::template csr<std::int64_t>,
          {8, 8, 8}};
}

}  // namespace sparserepro::csr_blocks
