// The products of csr_blocks.hpp for the instruction set `Simd`: sums over `full` vectors and a
// `Tail` of fewer lanes stay in registers while the entries of a row, or of up to three rows with
// the same columns, go by. Everything here depends on `Simd`, so that translation units of
// different instruction sets share no code.
#pragma once

#include <cstdint>
#include <utility>

#include "spmm/csr_blocks.hpp"
#include "spmm/csr_blocks_sums.hpp"

namespace sparserepro::csr_blocks {

template <class Simd, class Tail, int full, class Offset>
struct Tile {
  using Mask = typename Tail::Mask;
  static constexpr int vectors = full + (Tail::lanes > 0 ? 1 : 0);

  /// Independent partial sums, p mod chains, for a long row: a fused multiply-add takes four cycles
  /// and two can start in each. A short row ends before they pay, and the next one overlaps it.
  static constexpr int chains = vectors == 1 ? 4 : vectors <= 4 ? 2 : 1;
  static constexpr std::int64_t long_row = 16;
  /// Rows that are compared with the next ones.
  static constexpr std::int64_t grouped_row = 4;

  template <int rows, int parts>
  [[gnu::always_inline]] static Sums<Simd, Tail, full, rows> sum(
      const double* const (&values)[rows], const index_t* col_idx, std::int64_t count,
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
        part[c].add_product(values, p + c, x + col_idx[p + c] * k, mask);
      }
    }
    for (; parts > 1 && p < count; ++p) {
      part[0].add_product(values, p, x + col_idx[p] * k, mask);
    }
    for (int step = 1; step < parts; step *= 2) {
#pragma GCC unroll 4
      for (int c = 0; c + step < parts; c += 2 * step) {
        part[c].add(part[c + step]);
      }
    }
    return part[0];
  }

  /// Rows i, ..., i + group - 1, which have the same `count` columns.
  template <int group, int parts>
  [[gnu::always_inline]] static void group_rows(const Operands<Offset>& o, index_t i,
                                                std::int64_t count, Mask mask, bool stream) {
    const Offset begin = o.a.row_ptr[i];
    const double* values[group];
#pragma GCC unroll 3
    for (int r = 0; r < group; ++r) {
      values[r] = o.a.values + begin + r * count;
    }
    const auto sums = sum<group, parts>(values, o.a.col_idx + begin, count, o.x, o.k, mask);
#pragma GCC unroll 3
    for (int r = 0; r < group; ++r) {
      double* const y = o.y + (std::int64_t{i} + r) * o.k;
      stream ? sums.stream(r, y) : sums.store(r, y, mask);
    }
  }

  static bool same_columns(const Operands<Offset>& o, index_t i, index_t j, std::int64_t count) {
    if (o.a.row_ptr[j + 1] - o.a.row_ptr[j] != count) {
      return false;
    }
    const index_t* const a = o.a.col_idx + o.a.row_ptr[i];
    const index_t* const b = o.a.col_idx + o.a.row_ptr[j];
    return a[0] == b[0] && a[count - 1] == b[count - 1] &&
           __builtin_memcmp(a, b, static_cast<std::size_t>(count) * sizeof(index_t)) == 0;
  }

  static Mask mask_of(int columns) {
    return Tail::mask(columns - full * Simd::lanes);
  }

  /// Every vector of Y is whole and aligned.
  static bool can_stream(const Operands<Offset>& o, int columns) {
    constexpr std::size_t bytes =
        full > 0 ? sizeof(typename Simd::Vector) : sizeof(typename Tail::Vector);
    return (full > 0 ? Tail::lanes == 0 : columns == Tail::lanes) &&
           reinterpret_cast<std::uintptr_t>(o.y) % bytes == 0 &&
           static_cast<std::size_t>(o.k) * sizeof(double) % bytes == 0;
  }

  static void rows(const Operands<Offset>& operands, index_t first, index_t last, int columns) {
    const Operands<Offset> o = operands;
    const Mask mask = mask_of(columns);
    const bool stream = o.stream && can_stream(o, columns);
    constexpr int group_parts = vectors == 1 ? 2 : 1;
    for (index_t i = first; i < last;) {
      const std::int64_t count = o.a.row_ptr[i + 1] - o.a.row_ptr[i];
      const bool grouped = count >= grouped_row && i + 1 < last && same_columns(o, i, i + 1, count);
      if (grouped && i + 2 < last && same_columns(o, i, i + 2, count)) {
        group_rows<3, group_parts>(o, i, count, mask, stream);
        i += 3;
      } else if (grouped) {
        group_rows<2, group_parts>(o, i, count, mask, stream);
        i += 2;
      } else if (count < long_row) {
        group_rows<1, 1>(o, i, count, mask, stream);
        ++i;
      } else {
        group_rows<1, chains>(o, i, count, mask, stream);
        ++i;
      }
    }
    if (stream) {
      Simd::fence();
    }
  }

  static void segment(const Operands<Offset>& o, Offset begin, Offset end, int columns,
                      double* out) {
    const double* const values[1] = {o.a.values + begin};
    const Mask mask = mask_of(columns);
    sum<1, chains>(values, o.a.col_idx + begin, end - begin, o.x, o.k, mask).store(0, out, mask);
  }
};

/// K = 1: lanes run over the entries of a row, or over eight short rows.
template <class Simd, class Offset>
struct Column {
  static void rows(const Operands<Offset>& operands, index_t first, index_t last, int) {
    const CsrView<Offset, double> a = operands.a;
    const double* const x = operands.x;
    double* const y = operands.y;
    index_t i = first;
    while (i < last) {
      if (last - i >= 8 && Simd::eight_short_rows(a.row_ptr + i, a.col_idx, a.values, x, y + i)) {
        i += 8;
      } else {
        const Offset begin = a.row_ptr[i];
        y[i] = Simd::dot(a.values + begin, a.col_idx + begin, a.row_ptr[i + 1] - begin, x);
        ++i;
      }
    }
  }
  static void segment(const Operands<Offset>& o, Offset begin, Offset end, int, double* sum) {
    *sum = Simd::dot(o.a.values + begin, o.a.col_idx + begin, end - begin, o.x);
  }
};

template <class Simd, class Offset>
Kernels<Offset> one_column() {
  return {Column<Simd, Offset>::rows, Column<Simd, Offset>::segment};
}

template <class Simd, class Tail, class Offset, int... index>
Kernels<Offset> tile_of(int full, std::integer_sequence<int, index...>) {
  constexpr int least = Tail::lanes == 0 ? 1 : 0;
  const Kernels<Offset> table[] = {{Tile<Simd, Tail, index + least, Offset>::rows,
                                    Tile<Simd, Tail, index + least, Offset>::segment}...};
  return table[full - least];
}

/// The products of a tile whose last columns take a tail of type `Tail`.
template <class Simd, class Tail, class Offset>
Kernels<Offset> with_tail(int columns) {
  return tile_of<Simd, Tail, Offset>(columns / Simd::lanes,
                                     std::make_integer_sequence<int, Simd::tile_vectors>{});
}

}  // namespace sparserepro::csr_blocks
