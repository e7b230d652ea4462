// The products of product.hpp for an instruction set: sums over a tile of columns stay in
// registers while the entries of some units of equal length go by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "spmm/omp_csr_blocked/product/lanes.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/omp_csr_blocked/product/sums.hpp"

namespace sparserepro::csr_blocks {

/// A tile of `vectors` vectors (simd.hpp), which meet or overlap. `whole` are those of full width
/// that would take its columns: units and slices, and with them the bits, are the same.
template <class V, int vectors, int whole = vectors>
struct Tile {
  using Element = typename V::Element;
  using Sum = typename V::Sum;
  using O = Operands<Element>;
  template <int rows>
  using SumsOf = Sums<V, vectors, rows>;

  /// Independent partial sums, p mod chains, for a long row: a fused multiply-add takes four cycles
  /// and two can start in each. A short row ends before they pay, and the next one overlaps it.
  static constexpr int chains = whole == 1 ? 4 : whole <= 4 ? 2 : 1;
  static constexpr std::int64_t long_row = 16;

  /// Units of a slice, which go through one loop: so many that it keeps eight sums or more, as far
  /// as the registers hold their sums.
  static constexpr index_t lanes_of(int rows) {
    const int sums = rows * whole;
    const int most = (rows == 1 ? 2 : 3) * V::tile_vectors / sums;
    const int wanted = rows == 1 || sums < 3 ? 4 : sums == 3 ? 3 : 2;
    return most < 1 ? 1 : most < wanted ? most : wanted;
  }

  using Rows = RowFetch<Element, vectors * V::lanes>;

  /// Sums of a unit.
  template <int rows, int parts>
  [[gnu::always_inline]] static SumsOf<rows> sum(const Element* values, const index_t* columns,
                                                 std::int64_t count, const O& o) {
    const std::int64_t k = o.k, last = o.columns - V::last_lanes;
    SumsOf<rows> part[parts];
    std::int64_t p = 0;
    for (; p + parts <= count; p += parts) {
#pragma GCC unroll 4
      for (int c = 0; c < parts; ++c) {
        if (c == 0) {
          prefetch_later(values + rows * p);
        }
        if (o.fetch) {
          Rows::of_entry(o.x, columns + p + c, k, o.far);
        }
        part[c].add_product(values + p + c, count, o.x + columns[p + c] * k, last);
      }
    }
    for (; parts > 1 && p < count; ++p) {
      part[0].add_product(values + p, count, o.x + columns[p] * k, last);
    }
    for (int step = 1; step < parts; step *= 2) {
#pragma GCC unroll 4
      for (int c = 0; c + step < parts; c += 2 * step) {
        part[c].add(part[c + step]);
      }
    }
    return part[0];
  }

  /// Rows of Y of short rows, sorted by length, do not follow each other: a large Y is asked for
  /// some units ahead, 1.15 to 1.7 on rows of three entries at K = 20 (X).
  template <int rows>
  [[gnu::always_inline]] static void fetch_y(const index_t* first_row, index_t u, const Bundle& b,
                                             const O& o) {
    constexpr index_t ahead = 8, most_length = 8;
    if (!o.fetch_y || b.length > most_length) {
      return;
    }
    const Sum* const y = o.y + first_row[std::min(u + ahead, b.count - 1)] * o.k;
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int q = 0; q < vectors; ++q) {
        __builtin_prefetch(y + r * o.k + q * V::lanes, 1);
      }
    }
  }

  /// Layout::lanes or Layout::shifted, with lanes_of(rows) units a slice. Shifted slices ask for no
  /// parts of lines, which their neighbours have read: 1.1 to 1.2 on stencils at K = 3 and 4.
  template <int rows, bool shifted>
  static void slices(const Window& window, const Element* values, const Bundle& b, const O& o) {
    constexpr index_t lanes = lanes_of(rows);
    const std::int64_t k = o.k, last = o.columns - V::last_lanes;
    const index_t* column = window.columns + b.column;
    const Element* value = values + b.value;
    const index_t* first_row = window.first_row + b.unit;
    const index_t length = std::max(b.length, index_t{1});  // rows may be empty
    const std::int64_t later = lanes * rows * k * ((Rows::ahead(o.far) + length - 1) / length);
    for (index_t u = 0; u < b.count; u += shifted ? 1 : lanes) {
#pragma GCC unroll 4
      for (int t = 0; !shifted && t < lanes; ++t) {
        fetch_y<rows>(first_row, u + t, b, o);
      }
      SumsOf<rows> sums[lanes];
      for (index_t p = 0; p < b.length; ++p, column += shifted ? 1 : lanes, value += lanes * rows) {
        prefetch_later(value);
        const Element* x = o.x + *column * k;
#pragma GCC unroll 4
        for (int t = 0; t < lanes; ++t) {
          if (o.fetch && (!shifted || Rows::bytes >= Rows::line_bytes)) {
            shifted ? Rows::at(x, later, o.far) : Rows::of_entry(o.x, column + t, k, o.far);
          }
          if (!shifted) {
            x = o.x + column[t] * k;
          }
          sums[t].add_product(value + t, lanes, x, last);
          x += rows * k;
        }
      }
#pragma GCC unroll 4
      for (int t = 0; t < lanes; ++t) {
        const index_t row = shifted ? first_row[u] + t * rows : first_row[u + t];
        sums[t].put(o.y + row * k, k, last, o.stream);
      }
    }
  }

  /// Layout::band: row t of a slice has the columns c + t, ..., c + t + length - 1, so that each
  /// row of X is loaded once for all rows that meet it. Those that the slice 16 rows later meets
  /// first are prefetched: 1.12 (K = 32), 1.17 (64), fewer columns within noise.
  static void bands(const Window& window, const Element* values, const Bundle& b, const O& o) {
    constexpr index_t lanes = lanes_of(1);
    const std::int64_t k = o.k, last = o.columns - V::last_lanes;
    const index_t length = b.length;
    const Element* value = values + b.value;
    for (index_t s = 0; s < b.count; ++s, value += lanes * length) {
      const Element* const x = o.x + window.columns[b.column + s] * k;
      constexpr std::int64_t rows_ahead = 16;
#pragma GCC unroll 4
      for (int t = 0; t < lanes; ++t) {
        Rows::at(x, (length + rows_ahead + t) * k, true);
      }
      SumsOf<lanes> sums;
      const auto add = [&](index_t j, int low, int high) {  // row j of X
        sums.add_product(value + j * lanes, 1 - lanes, x + j * k, last, low, high);
      };
#pragma GCC unroll 4
      for (int j = 0; j < lanes - 1; ++j) {
        add(j, 0, j + 1);
      }
      for (index_t j = lanes - 1; j < length; ++j) {
        prefetch_later(value + j * lanes);
        add(j, 0, lanes);
      }
#pragma GCC unroll 4
      for (int j = 0; j < lanes - 1; ++j) {
        add(length + j, j + 1, lanes);
      }
      sums.put(o.y + window.first_row[b.unit + s] * k, k, last, o.stream);
    }
  }

  template <int rows>
  [[gnu::always_inline]] static void unit(const Element* values, const index_t* columns,
                                          std::int64_t count, const O& o, Sum* y) {
    constexpr int of_unit = rows == 1 ? chains : whole == 1 ? 2 : 1;
    const auto sums = count < long_row ? sum<rows, 1>(values, columns, count, o)
                                       : sum<rows, of_unit>(values, columns, count, o);
    sums.put(y, o.k, o.columns - V::last_lanes, o.stream);
  }

  /// Layout::rows.
  template <int rows>
  static void units(const Window& window, const Element* values, const Bundle& b, const O& o) {
    const index_t* column = window.columns + b.column;
    const Element* value = values + b.value;
    const index_t* const first_row = window.first_row + b.unit;
    const std::int64_t count = b.length;
    for (index_t u = 0; u < b.count; ++u, column += count, value += rows * count) {
      fetch_y<rows>(first_row, u, b, o);
      unit<rows>(value, column, count, o, o.y + first_row[u] * o.k);
    }
  }

  static void window(const Window& w, const Element* values, const O& operands) {
    with_streams(operands, [&](const O& o) { multiply_bundles<Tile>(w, values, o); });
  }

  static void csr(const Element* values, const index_t* columns, IndexArray row_ptr, index_t count,
                  const O& operands) {
    with_streams(operands, [&](const O& o) {
      const auto multiply = [&](auto fetch, auto far) {  // which the compiler then knows
        O known = o;
        known.fetch = fetch;
        known.far = far;
        std::int64_t end = row_ptr[0];
        for (index_t i = 0; i < count; ++i) {
          const std::int64_t begin = end;
          end = row_ptr[i + 1];
          unit<1>(values + begin, columns + begin, end - begin, known, o.y + i * o.k);
        }
      };
      constexpr std::true_type yes;
      constexpr std::false_type no;
      !o.fetch ? multiply(no, no) : o.far ? multiply(yes, yes) : multiply(yes, no);
    });
  }

 private:
  /// Writes Y past the caches only where its vectors are whole and aligned.
  template <class Multiply>
  [[gnu::always_inline]] static void with_streams(O o, Multiply multiply) {
    constexpr std::size_t vector_bytes = sizeof(typename V::Vector);
    o.stream &= o.columns == vectors * V::lanes &&
                reinterpret_cast<std::uintptr_t>(o.y) % vector_bytes == 0 &&
                static_cast<std::size_t>(o.k) * sizeof(Sum) % vector_bytes == 0;
    multiply(o);
    if (o.stream) {
      V::fence();
    }
  }
};

/// Of the fewest vectors that take the columns, of `vectors`, vectors - step, ...
template <class V, int vectors, int step = 1>
Kernels<typename V::Element> tile_of(int columns) {
  if constexpr (vectors > step) {
    if (columns <= (vectors - step) * V::lanes) {
      return tile_of<V, vectors - step, step>(columns);
    }
  }
  using T = Tile<V, vectors, (vectors + step - 1) / step>;
  return {T::window, T::csr, {T::lanes_of(1), T::lanes_of(2), T::lanes_of(3)}};
}

/// Of vectors as wide as the columns are, `lanes` at most; with `halves` of half as wide ones where
/// an odd number of these takes the columns.
template <class Set, class Element, int lanes, bool halves>
Kernels<Element> tile(int columns) {
  if constexpr (std::is_same_v<Element, double> && lanes == 4) {
    if (columns == 3) {
      return tile_of<Vectors<Set, Element, 4, 3>, 1>(columns);
    }
  }
  if constexpr (lanes > 2) {
    if (columns < lanes) {
      return tile<Set, Element, lanes / 2, false>(columns);
    }
  }
  if constexpr (halves || Set::has_half_ends) {
    if (columns > lanes && (columns - 1) / (lanes / 2) % 2 == 0 && columns <= 5 * lanes / 2) {
      if constexpr (halves) {
        return tile_of<Vectors<Set, Element, lanes / 2>, 5, 2>(columns);
      } else if constexpr (lanes == Set::bytes / sizeof(Element)) {
        return tile_of<HalfEnd<Set, Element, lanes>, 3>(columns);
      }
    }
  }
  using V = Vectors<Set, Element, lanes>;
  constexpr int most = sizeof(typename V::Vector) == Set::bytes ? Set::tile_vectors : 2;
  return tile_of<V, most>(columns);
}

template <class Set, class Element>
void put(const SumOf<Element>* sums, std::int64_t size, SumOf<Element> alpha, SumOf<Element> beta,
         Element* y) {
  for (std::int64_t e = 0; e < size; ++e) {
    const auto out = beta == 0 ? alpha * sums[e] : alpha * sums[e] + beta * widened(y[e]);
    if constexpr (std::is_same_v<Element, double>) {
      y[e] = out;
    } else {
      y[e] = from_float<Element>(out);
    }
  }
}

template <class Set, bool halves, class Element>
InstructionSet<Element> instruction_set(const char* name) {
  constexpr int lanes = Set::bytes / sizeof(SumOf<Element>);
  return {name,
          lanes,
          lanes * Set::tile_vectors,
          tile<Set, Element, lanes, halves>,
          one_column<Vectors<Set, Element, lanes>>(),
          put<Set, Element>};
}

/// Of all types of elements.
template <class Set, bool halves = false>
InstructionSets instruction_sets_of(const char* name) {
  return {instruction_set<Set, halves, double>(name), instruction_set<Set, halves, float>(name),
          instruction_set<Set, halves, Half>(name), instruction_set<Set, halves, Bfloat>(name)};
}

}  // namespace sparserepro::csr_blocks
