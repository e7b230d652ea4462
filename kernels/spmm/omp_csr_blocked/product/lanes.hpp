// K = 1: the lanes of a vector run over eight units of a slice, or over the entries of a row.
#pragma once

#include <cstdint>

#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/omp_csr_blocked/product/sums.hpp"

namespace sparserepro::csr_blocks {

/// `Simd::Eight` is a vector of eight doubles, in whatever registers the instruction set has.
template <class Simd>
struct Column {
  using Eight = typename Simd::Eight;

  static void scatter(double* y, const index_t* at, Eight sum, bool add) {
    Simd::eight_scatter(y, at, add ? Simd::eight_add(Simd::eight_gather(y, at), sum) : sum);
  }

  /// Eight elements of Y that follow each other; a whole line past the caches.
  static void put(double* y, Eight sum, bool stream, bool add) {
    if (add) {
      Simd::eight_store(y, Simd::eight_add(Simd::eight_load(y), sum));
    } else if (stream && reinterpret_cast<std::uintptr_t>(y) % sizeof(Eight) == 0) {
      Simd::eight_stream(y, sum);
    } else {
      Simd::eight_store(y, sum);
    }
  }

  template <int rows>
  static void shifted(const Window& window, const Bundle& b, const Operands& o, bool add) {
    static constexpr index_t places[8] = {0,        rows,     2 * rows, 3 * rows,
                                          4 * rows, 5 * rows, 6 * rows, 7 * rows};
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    for (index_t s = 0; s < b.count; ++s) {
      Eight sum[rows];
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
        sum[r] = Simd::eight_zero();
      }
      for (index_t p = 0; p < b.length; ++p, ++column, value += 8 * rows) {
#pragma GCC unroll 3
        for (int r = 0; r < rows; ++r) {
          prefetch_later(value + 8 * r);
        }
        const double* const from = o.x + *column;
        const Eight x = rows == 1 ? Simd::eight_load(from) : Simd::eight_gather(from, places);
#pragma GCC unroll 3
        for (int r = 0; r < rows; ++r) {
          sum[r] = Simd::eight_multiply_add(Simd::eight_load(value + 8 * r), x, sum[r]);
        }
      }
      double* const y = o.y + window.first_row[b.unit + s];
      if (rows == 1) {
        put(y, sum[0], o.stream, add);
        continue;
      }
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
        scatter(y + r, places, sum[r], add);
      }
    }
  }

  template <int rows>
  static void slices(const Window& window, const Bundle& b, const Operands& o, bool add) {
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    const index_t* first_row = window.first_row + b.unit;
    for (index_t u = 0; u < b.count; u += 8, first_row += 8) {
      Eight sum[rows];
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
        sum[r] = Simd::eight_zero();
      }
      for (index_t p = 0; p < b.length; ++p, column += 8, value += 8 * rows) {
        prefetch_later(column);
#pragma GCC unroll 3
        for (int r = 0; r < rows; ++r) {
          prefetch_later(value + 8 * r);
        }
        const Eight x = Simd::eight_gather(o.x, column);
#pragma GCC unroll 3
        for (int r = 0; r < rows; ++r) {
          sum[r] = Simd::eight_multiply_add(Simd::eight_load(value + 8 * r), x, sum[r]);
        }
      }
      if (rows == 1 && first_row[7] - first_row[0] == 7) {
        double* const y = o.y + first_row[0];
        put(y, sum[0], o.stream, add);
        continue;
      }
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
        scatter(o.y + r, first_row, sum[r], add);
      }
    }
  }

  /// One slice of fewer than eight units.
  static void rest(const Window& window, const Bundle& b, const Operands& o, bool add) {
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    const int lanes = b.lanes;
    Eight sum[3] = {Simd::eight_zero(), Simd::eight_zero(), Simd::eight_zero()};
    for (index_t p = 0; p < b.length; ++p, column += lanes) {
      const Eight x = Simd::eight_gather(o.x, column, lanes);
      for (int r = 0; r < b.rows; ++r, value += lanes) {
        sum[r] = Simd::eight_multiply_add(Simd::eight_load(value, lanes), x, sum[r]);
      }
    }
    for (int r = 0; r < b.rows; ++r) {
      double y[8];
      Simd::eight_store(y, sum[r]);
      for (int lane = 0; lane < lanes; ++lane) {
        double& to = o.y[window.first_row[b.unit + lane] + r];
        to = add ? to + y[lane] : y[lane];
      }
    }
  }

  static void rows(const Window& window, const Bundle& b, const Operands& o, bool add) {
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    for (index_t u = 0; u < b.count; ++u, column += b.length) {
      for (index_t r = 0; r < b.rows; ++r, value += b.length) {
        const double sum = Simd::dot(value, column, b.length, o.x);
        double& to = o.y[window.first_row[b.unit + u] + r];
        to = add ? to + sum : sum;
      }
    }
  }

  template <int rows>
  static void bundle(const Window& w, const Bundle& b, const Operands& o, bool add) {
    if (b.layout == Layout::shifted) {
      shifted<rows>(w, b, o, add);
    } else {
      slices<rows>(w, b, o, add);
    }
  }

  static void window(const Window& w, const Operands& operands) {
    const Operands o = operands;
    for (std::int64_t i = 0; i < w.bundle_count; ++i) {
      const Bundle& b = w.bundles[i];
      if (b.layout == Layout::rows) {
        rows(w, b, o, w.add);
      } else if (b.lanes < 8) {
        rest(w, b, o, w.add);
      } else if (b.rows == 1) {
        bundle<1>(w, b, o, w.add);
      } else if (b.rows == 2) {
        bundle<2>(w, b, o, w.add);
      } else {
        bundle<3>(w, b, o, w.add);
      }
    }
    if (o.stream) {
      Simd::fence();
    }
  }

  static void segment(const double* values, const index_t* columns, std::int64_t count,
                      const Operands& o, double* sum) {
    *sum = Simd::dot(values, columns, count, o.x);
  }
};

template <class Simd>
Kernels one_column() {
  return {Column<Simd>::window, Column<Simd>::segment, {8, 8, 8}};
}

}  // namespace sparserepro::csr_blocks
