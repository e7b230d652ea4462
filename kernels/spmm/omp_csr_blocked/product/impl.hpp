// The products of product.hpp for the instruction set `Simd`: sums over `full` vectors and a
// `Tail` of fewer lanes stay in registers while the entries of some units of equal length go by.
// Everything here depends on `Simd`, so that translation units of different instruction sets share
// no code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spmm/omp_csr_blocked/product/fetch.hpp"
#include "spmm/omp_csr_blocked/product/lanes.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/omp_csr_blocked/product/sums.hpp"

namespace sparserepro::csr_blocks {

/// `fixed` is K where the compiler is to know it, else 0. The tail of K = 3 has a fourth lane.
template <class Simd, class Tail, int full, int fixed = 0>
struct Tile {
  using Mask = typename Tail::Mask;
  static constexpr int vectors = full + (Tail::lanes > 0 ? 1 : 0);

  /// Independent partial sums, p mod chains, for a long row: a fused multiply-add takes four cycles
  /// and two can start in each. A short row ends before they pay, and the next one overlaps it.
  static constexpr int chains = vectors == 1 ? 4 : vectors <= 4 ? 2 : 1;
  static constexpr std::int64_t long_row = 16;

  /// Units of a slice, which go through one loop: so many that it keeps eight sums or more, as far
  /// as the registers hold their sums.
  static constexpr index_t lanes_of(int rows) {
    const int sums = rows * vectors;
    const int most = (rows == 1 ? 2 : 3) * Simd::tile_vectors / sums;
    const int wanted = rows == 1 || sums < 3 ? 4 : sums == 3 ? 3 : 2;
    return most < 1 ? 1 : most < wanted ? most : wanted;
  }

  /// Four single rows that follow each other are written together.
  static constexpr bool packs = fixed == 3;
  static_assert(!packs || (full == 0 && Tail::lanes == 4 && lanes_of(1) == 4));

  static constexpr int bytes = 8 * (full * Simd::lanes + Tail::lanes);
  using Rows = RowFetch<bytes>;

  /// Sums of a unit.
  template <int rows, int parts, Fetch fetch>
  [[gnu::always_inline]] static Sums<Simd, Tail, full, rows> sum(
      const double* const (&values)[rows], const index_t* columns, std::int64_t count,
      const double* x, std::int64_t k, Mask mask) {
    Sums<Simd, Tail, full, rows> part[parts];
#pragma GCC unroll 4
    for (int c = 0; c < parts; ++c) {
      part[c].clear();
    }
    std::int64_t p = 0;
    for (; p + parts <= count; p += parts) {
#pragma GCC unroll 4
      for (int c = 0; c < parts; ++c) {
        prefetch_later(values[0] + rows * (p + c));
        Rows::template fetch_entry<fetch>(x, columns + p + c, k);
        part[c].add_product(values, p + c, x + columns[p + c] * k, mask);
      }
    }
    for (; parts > 1 && p < count; ++p) {
      part[0].add_product(values, p, x + columns[p] * k, mask);
    }
    for (int step = 1; step < parts; step *= 2) {
#pragma GCC unroll 4
      for (int c = 0; c + step < parts; c += 2 * step) {
        part[c].add(part[c + step]);
      }
    }
    return part[0];
  }

  /// Layout::lanes or Layout::shifted, with lanes_of(rows) units a slice.
  template <int rows, bool shifted, Fetch fetch>
  static void slices(const Window& window, const Bundle& b, const Operands& o, Mask mask,
                     bool stream) {
    constexpr index_t lanes = lanes_of(rows);
    const std::int64_t k = fixed > 0 ? fixed : o.k;
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    const index_t* first_row = window.first_row + b.unit;
    const index_t length = std::max(b.length, index_t{1});  // rows may be empty
    const std::int64_t later = lanes * rows * k * ((Rows::ahead_of(fetch) + length - 1) / length);
    const int lines = (lanes * rows * Rows::lines + length - 1) / length;
    const bool together = packs && rows == 1 && (shifted || window.rows_follow(b));
    for (index_t u = 0; u < b.count; u += shifted ? 1 : lanes) {
      Sums<Simd, Tail, full, rows> sums[lanes];
#pragma GCC unroll 4
      for (int t = 0; t < lanes; ++t) {
        sums[t].clear();
      }
      const bool edge = shifted && fetch == Fetch::last && b.length > 0;
      std::int64_t line = edge ? (column[b.length - 1] - (rows - 1)) * k + later : 0;
      for (index_t p = 0; p < b.length; ++p, column += shifted ? 1 : lanes, value += lanes * rows) {
        prefetch_later(value);
        for (int i = 0; edge && i < lines; ++i, line += 8) {
          Rows::fetch_line(o.x, line);
        }
        const double* x = o.x + *column * k;
#pragma GCC unroll 4
        for (int t = 0; t < lanes; ++t) {
          if (shifted) {
            if constexpr (fetch != Fetch::last) {
              Rows::template fetch<fetch>(x, later);
            }
          } else {
            Rows::template fetch_entry<fetch>(o.x, column + t, k);
            x = o.x + column[t] * k;
          }
          const double* values[rows];
#pragma GCC unroll 3
          for (int r = 0; r < rows; ++r) {
            values[r] = value + r * lanes + t;
          }
          sums[t].add_product(values, 0, x, mask);
          x += rows * k;
        }
      }
      if constexpr (packs && rows == 1) {
        if (together && (shifted || first_row[u + 3] - first_row[u] == 3)) {
          const typename Tail::Vector of_row[4] = {sums[0].tail[0], sums[1].tail[0],
                                                   sums[2].tail[0], sums[3].tail[0]};
          put_rows_of_three<Tail>(of_row, o.y + first_row[u] * k, stream);
          continue;
        }
      }
#pragma GCC unroll 4
      for (int t = 0; t < lanes; ++t) {
        const index_t row = shifted ? first_row[u] + t * rows : first_row[u + t];
        sums[t].put(o.y + row * k, k, mask, streams_rows(stream));
      }
    }
  }

  /// Layout::band: row t of a slice has the columns c + t, ..., c + t + length - 1, so that each
  /// row of X is loaded once for all rows that meet it. Those that the slice 16 rows later meets
  /// first are prefetched: 1.12 (K = 32), 1.17 (64), fewer columns within noise.
  static void bands(const Window& window, const Bundle& b, const Operands& o, Mask mask,
                    bool stream) {
    constexpr index_t lanes = lanes_of(1);
    const std::int64_t k = fixed > 0 ? fixed : o.k;
    const index_t length = b.length;
    const double* value = window.values + b.value;
    for (index_t s = 0; s < b.count; ++s, value += lanes * length) {
      const double* const x = o.x + window.columns[b.column + s] * k;
      constexpr std::int64_t rows_ahead = 16;
#pragma GCC unroll 4
      for (int t = 0; t < lanes; ++t) {
        Rows::template fetch<Rows::far>(x, (length + rows_ahead + t) * k);
      }
      Sums<Simd, Tail, full, lanes> sums;
      sums.clear();
      const double* values[lanes];  // values[t][(j - (lanes - 1)) lanes] meets row j of X
#pragma GCC unroll 4
      for (int t = 0; t < lanes; ++t) {
        values[t] = value + (lanes - 1) * (lanes - t);
      }
#pragma GCC unroll 4
      for (int j = 0; j < lanes - 1; ++j) {
#pragma GCC unroll 4
        for (int t = 0; t <= j; ++t) {
          sums.add_product_to(t, values[t][(j - (lanes - 1)) * lanes], x + j * k, mask);
        }
      }
      for (index_t j = lanes - 1; j < length; ++j) {
        prefetch_later(values[0] + (j - (lanes - 1)) * lanes);
        sums.add_product(values, (j - (lanes - 1)) * lanes, x + j * k, mask);
      }
#pragma GCC unroll 4
      for (int j = 0; j < lanes - 1; ++j) {
#pragma GCC unroll 4
        for (int t = j + 1; t < lanes; ++t) {
          sums.add_product_to(t, values[t][(length + j - (lanes - 1)) * lanes],
                              x + (length + j) * k, mask);
        }
      }
      double* const y = o.y + window.first_row[b.unit + s] * k;
      if constexpr (packs) {
        put_rows_of_three<Tail>(sums.tail, y, stream);
      } else {
        sums.put(y, k, mask, stream);
      }
    }
  }

  /// Layout::rows.
  template <int rows, Fetch fetch>
  static void units(const Window& window, const Bundle& b, const Operands& o, Mask mask,
                    bool stream) {
    constexpr int unit_chains = rows == 1 ? chains : vectors == 1 ? 2 : 1;
    const std::int64_t k = fixed > 0 ? fixed : o.k;
    const index_t* column = window.columns + b.column;
    const double* value = window.values + b.value;
    const index_t* const first_row = window.first_row + b.unit;
    const std::int64_t count = b.length;
    for (index_t u = 0; u < b.count; ++u, column += count, value += rows * count) {
      const double* values[rows];
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) {
        values[r] = value + r * count;
      }
      const auto sums = count < long_row
                            ? sum<rows, 1, fetch>(values, column, count, o.x, k, mask)
                            : sum<rows, unit_chains, fetch>(values, column, count, o.x, k, mask);
      sums.put(o.y + first_row[u] * k, k, mask, streams_rows(stream));
    }
  }

  template <int rows, Fetch fetch>
  static void bundle(const Window& window, const Bundle& b, const Operands& o, Mask mask,
                     bool stream) {
    stream = stream && (o.k % 8 == 0 || window.rows_follow(b));
    if (b.layout == Layout::rows) {
      units<rows, fetch>(window, b, o, mask, stream);
    } else if (b.layout == Layout::band) {
      bands(window, b, o, mask, stream);
    } else if (b.layout == Layout::shifted) {
      slices<rows, true, fetch>(window, b, o, mask, stream);
    } else {
      slices<rows, false, fetch>(window, b, o, mask, stream);
    }
  }

  template <Fetch fetch>
  static void bundles(const Window& window, const Operands& o, Mask mask, bool stream) {
    for (std::int64_t i = 0; i < window.bundle_count; ++i) {
      const Bundle& b = window.bundles[i];
      switch (b.rows) {
        case 1:
          bundle<1, fetch>(window, b, o, mask, stream);
          break;
        case 2:
          bundle<2, fetch>(window, b, o, mask, stream);
          break;
        default:
          bundle<3, fetch>(window, b, o, mask, stream);
      }
    }
  }

  static Mask mask_of(int columns) {
    return Tail::mask(columns - full * Simd::lanes);
  }

  /// Whether rows one by one are written past the caches.
  static constexpr bool streams_rows(bool stream) {
    return !packs && stream;
  }

  /// Every vector of Y is whole and aligned, or is seen to be when it is written.
  static bool can_stream(const Operands& o) {
    if (packs) {
      return true;
    }
    constexpr std::size_t vector_bytes =
        full > 0 ? sizeof(typename Simd::Vector) : sizeof(typename Tail::Vector);
    return (full > 0 ? Tail::lanes == 0 : o.columns == Tail::lanes) &&
           reinterpret_cast<std::uintptr_t>(o.y) % vector_bytes == 0 &&
           static_cast<std::size_t>(o.k) * sizeof(double) % vector_bytes == 0;
  }

  static void window(const Window& w, const Operands& operands) {
    const Operands o = operands;
    const Mask mask = mask_of(o.columns);
    const bool stream = o.stream && can_stream(o);
    const auto multiply = w.fetch == Fetch::none   ? bundles<Fetch::none>
                          : w.fetch == Fetch::near ? bundles<Fetch::near>
                                                   : bundles<Rows::far>;
    multiply(w, o, mask, stream);
    if (stream) {
      Simd::fence();
    }
  }

  /// Rows as they lie in A.
  template <class Offset, Fetch fetch>
  static void csr_rows(const double* values, const index_t* columns, const Offset* row_ptr,
                       index_t count, const Operands& o, Mask mask, bool stream) {
    const std::int64_t k = fixed > 0 ? fixed : o.k;
    for (index_t i = 0; i < count; ++i) {
      const std::int64_t begin = row_ptr[i], length = row_ptr[i + 1] - begin;
      const double* const of_row[1] = {values + begin};
      const auto sums = length < long_row
                            ? sum<1, 1, fetch>(of_row, columns + begin, length, o.x, k, mask)
                            : sum<1, chains, fetch>(of_row, columns + begin, length, o.x, k, mask);
      sums.put(o.y + i * k, k, mask, stream);
    }
  }

  template <class Offset>
  static void csr(const double* values, const index_t* columns, const Offset* row_ptr,
                  index_t count, const Operands& operands, Fetch how) {
    const Operands o = operands;
    const bool stream = streams_rows(o.stream && can_stream(o));
    const auto multiply = how == Fetch::none  ? csr_rows<Offset, Fetch::none>
                          : how == Fetch::far ? csr_rows<Offset, Rows::far>
                                              : csr_rows<Offset, Fetch::near>;
    multiply(values, columns, row_ptr, count, o, mask_of(o.columns), stream);
    if (stream) {
      Simd::fence();
    }
  }

  static void segment(const double* values, const index_t* columns, std::int64_t count,
                      const Operands& o, double* out) {
    const double* const of_row[1] = {values};
    const Mask mask = mask_of(o.columns);
    sum<1, chains, Fetch::none>(of_row, columns, count, o.x, o.k, mask).store(0, out, mask);
  }
};

template <class Simd, class Tail, int full, int fixed = 0>
constexpr Kernels kernels() {
  using T = Tile<Simd, Tail, full, fixed>;
  return {T::window,
          T::segment,
          T::template csr<std::int32_t>,
          T::template csr<std::int64_t>,
          {T::lanes_of(1), T::lanes_of(2), T::lanes_of(3)}};
}

template <class Simd, class Tail, int... index>
Kernels tile_of(int full, std::integer_sequence<int, index...>) {
  constexpr int least = Tail::lanes == 0 ? 1 : 0;
  const Kernels table[] = {kernels<Simd, Tail, index + least>()...};
  return table[full - least];
}

/// The products of a tile whose last columns take a tail of type `Tail`.
template <class Simd, class Tail>
Kernels with_tail(int columns) {
  return tile_of<Simd, Tail>(columns / Simd::lanes,
                             std::make_integer_sequence<int, Simd::tile_vectors>{});
}

}  // namespace sparserepro::csr_blocks
