// What the tests of omp_csr_blocked share: the algorithm, its problems, a matrix of all layouts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"

namespace sparserepro::testing {

inline SpmmProblem problem_of(const Matrix& matrix, std::int64_t k, std::int64_t offset_bits) {
  return SpmmProblem(matrix, {{"k", k}, {"x_range", "signed"}, {"offset_bits", offset_bits}});
}

inline const Algorithm<SpmmProblem>& blocked() {
  return *std::find_if(spmm_algorithms().begin(), spmm_algorithms().end(),
                       [](const auto& algorithm) { return algorithm.name == "omp_csr_blocked"; });
}

/// Slices of every layout: bands and shifted units of one, two and three rows, and equal rows that
/// are not shifted; more than eight of each, so that slices are full and partly filled.
inline Matrix every_layout() {
  std::vector<Entry> entries;
  index_t row = 0;
  const auto add = [&](index_t rows, index_t unit, auto column, index_t length) {
    for (index_t i = 0; i < rows; ++i, ++row) {
      for (index_t p = 0; p < length; ++p) {
        entries.emplace_back(row, column(i / unit, p), ((row * 31 + p * 17) % 41 - 20) / 7.0);
      }
    }
  };
  add(
      21, 1, [](index_t u, index_t p) { return u + p; }, 21);
  for (const index_t unit : {1, 2, 3}) {
    add(
        19 * unit, unit, [unit](index_t u, index_t p) { return unit * u + p * p; }, 7);
    add(
        13 * unit, unit, [](index_t u, index_t p) { return (u * u * 5 + p * 23) % 300; }, 5);
    add(
        3 * unit, unit, [](index_t u, index_t p) { return (u * u * 7 + p * 5) % 300; }, 50);
  }
  return matrix_from_entries("every_layout", row, 300, entries);
}

/// A matrix whose row i has `length(i)` entries at columns c(i, p).
template <class Length, class Column>
Matrix matrix_of(const char* name, index_t rows, index_t cols, Length length, Column column) {
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t p = 0; p < length(i); ++p) {
      entries.emplace_back(i, column(i, p), 1.0 + i + p / 128.0);
    }
  }
  return matrix_from_entries(name, rows, cols, entries);
}

/// `groups` units of `rows` rows; unit u has the columns {0, 2, 3, 9} + u * rows.
inline Matrix shifted_units(index_t groups, index_t rows) {
  return matrix_of(
      "shifted_units", groups * rows, 10 + groups * rows, [](index_t) { return 4; },
      [rows](index_t i, index_t p) { return (p < 2 ? 2 * p : 6 * p - 9) + i / rows * rows; });
}

/// Row i has twelve of the columns i - 6, ..., i + 6 that there are.
inline Matrix band_with_holes(index_t rows) {
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t d = -6; d <= 6; ++d) {
      if (i + d >= 0 && i + d < rows && d + 6 != i % 13) {
        entries.emplace_back(i, i + d, 1.0 + i + d / 128.0);
      }
    }
  }
  return matrix_from_entries("band_with_holes", rows, rows, entries);
}

inline csr_blocks::RowPattern pattern_of(const Csr<std::int64_t, double>& a) {
  return {a.rows, a.row_ptr.data(), a.col_idx.data(), a.cols};
}

/// Of all bundles, in the order of the windows.
inline std::vector<csr_blocks::Layout> layouts(const Matrix& matrix,
                                               const csr_blocks::RowBundles::Limits& limits) {
  const csr_blocks::RowBundles bundles(pattern_of(matrix.csr), limits, 1);
  std::vector<csr_blocks::Layout> found;
  for (std::int64_t w = 0; w < bundles.windows(); ++w) {
    for (const csr_blocks::Bundle& b : bundles.window(w).bundles) {
      found.push_back(b.layout);
    }
  }
  return found;
}

}  // namespace sparserepro::testing
