// What the tests of omp_csr_blocked share: the algorithm, its problems, a matrix of all layouts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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

}  // namespace sparserepro::testing
