// Slices of consecutive rows by the diagonals of A that have their entries (row_bundles.hpp,
// Layout::diagonals).
//
// Source: bits for the places of a block that have an entry, and values in their order without
// zeros, as in SPC5 (Bramas, Kus, PeerJ CS 4:e151, 2018), whose blocks are parts of rows; on
// diagonals the lanes of a vector are rows, and no sum over lanes is left.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

class Diagonals {
 public:
  /// Slices of `a` have `rows` rows.
  Diagonals(const RowPattern& a, index_t rows) : a_(a), rows_(rows) {}

  /// Takes the slice from row i on, if its diagonals are few.
  bool add(index_t i) {
    const std::int64_t entries = a_.row_ptr[i + rows_] - a_.row_ptr[i];
    const std::int64_t most = entries / (rows_ / 2) - least_gain;
    std::array<const index_t*, RowBundles::most_lanes> next, end;  // entries of each row
    std::array<index_t, RowBundles::most_lanes> column;  // of row 0, on the next diagonal of each
    column.fill(none);
    const auto step = [&](index_t row) {
      column[row] = next[row] < end[row] ? *next[row]++ - row : none;
    };
    for (index_t row = 0; row < rows_; ++row) {
      next[row] = a_.columns_of(i + row);
      end[row] = next[row] + a_.length(i + row);
      step(row);
    }
    found_.clear();
    bits_.clear();
    for (index_t first; (first = *std::min_element(column.begin(), column.end())) != none;) {
      if (std::ssize(found_) >= most) {
        return false;
      }
      std::uint32_t bits = 0;
      for (index_t row = 0; row < RowBundles::most_lanes; ++row) {
        bits |= column[row] == first ? 1u << row : 0u;
      }
      found_.push_back(first);
      bits_.push_back(static_cast<index_t>(bits));
      for (; bits != 0; bits &= bits - 1) {
        step(std::countr_zero(bits));
      }
    }
    if (found_.empty()) {
      return false;
    }
    // Rows need not be sorted.
    const auto [least, largest] = std::minmax_element(found_.begin(), found_.end());
    const bool is_within = *least >= 0 && *largest + rows_ <= a_.cols;
    columns_.push_back(2 * static_cast<index_t>(found_.size()) + is_within);
    columns_.insert(columns_.end(), found_.begin(), found_.end());
    columns_.insert(columns_.end(), bits_.begin(), bits_.end());
    count_ += std::ssize(found_);
    entries_ += entries;
    return true;
  }

  /// Of all slices taken: their entries, their diagonals, and what Window::columns has of them.
  std::int64_t entries() const { return entries_; }
  std::int64_t count() const { return count_; }
  const std::vector<index_t>& columns() const { return columns_; }

 private:
  static constexpr index_t none = std::numeric_limits<index_t>::max();
  /// Diagonals that a slice has less than half its entries over its rows: what it takes besides
  /// them.
  static constexpr std::int64_t least_gain = 2;

  const RowPattern& a_;
  index_t rows_;
  std::vector<index_t> found_, bits_;  // of a slice
  std::vector<index_t> columns_;
  std::int64_t entries_{}, count_{};
};

}  // namespace sparserepro::csr_blocks
