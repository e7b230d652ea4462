// Finds the units of one window of rows and writes them in their layouts (row_bundles.hpp).
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "formats/csr.hpp"
#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// Rows that are compared with the next ones.
constexpr index_t grouped_length = 4;
constexpr index_t most_rows_of_unit = 3;
/// Whether rows i and j, of `grouped_length` entries or more, have the same columns.
template <class Offset>
bool same_columns(const CsrView<Offset, double>& a, index_t i, index_t j) {
  const Offset length = a.row_ptr[i + 1] - a.row_ptr[i];
  return length >= grouped_length && a.row_ptr[j + 1] - a.row_ptr[j] == length &&
         std::equal(a.col_idx + a.row_ptr[i], a.col_idx + a.row_ptr[i + 1],
                    a.col_idx + a.row_ptr[j]);
}

/// A unit, or a shifted slice, in the order of the bundles: bands, shifted slices, then units, by
/// the rows of a unit and their length, which windows bound to 30 bits.
struct UnitKey {
  enum Kind : int { band = 0, shifted = 0, unit = most_rows_of_unit };  // + rows, but for bands
  static constexpr std::size_t kinds = unit + most_rows_of_unit + 1;
  std::uint64_t bits;

  static UnitKey of(int kind, index_t length, index_t first_row) {
    return {static_cast<std::uint64_t>(kind) << 61 | static_cast<std::uint64_t>(length) << 31 |
            static_cast<std::uint64_t>(first_row)};
  }
  int kind() const { return static_cast<int>(bits >> 61); }
  bool is_slice() const { return kind() <= unit; }
  index_t rows() const { return kind() == band ? 1 : is_slice() ? kind() : kind() - unit; }
  index_t length() const { return static_cast<index_t>(bits >> 31 & 0x3fffffff); }
  index_t first_row() const { return static_cast<index_t>(bits & 0x7fffffff); }
  bool same_bundle(UnitKey other) const { return bits >> 31 == other.bits >> 31; }
  friend auto operator<=>(UnitKey, UnitKey) = default;
};

/// Writes the units of one window.
template <class Offset>
class WindowWriter {
 public:
  /// Rows [first, last) of `a`.
  WindowWriter(const CsrView<Offset, double>& a, index_t first, index_t last)
      : a_(a), first_(first), last_(last) {}

  void find_units(const RowBundles::Limits& limits) {
    keys_.clear();
    for (index_t i = first_; i < last_;) {
      const index_t rows = unit_at(i);
      const index_t lanes = limits.lanes[rows - 1];
      const index_t slice = lanes * rows;
      if (lanes > 1 && limits.last >= Layout::shifted && is_shifted_slice(i, rows, slice) &&
          may_begin(limits, i, rows, slice)) {
        const bool is_band = rows == 1 && !limits.one_column && limits.last >= Layout::band &&
                             length(i) >= 2 * lanes && has_consecutive_columns(i);
        keys_.push_back(
            UnitKey::of(is_band ? UnitKey::band : UnitKey::shifted + rows, length(i), i - first_));
        i += slice;
      } else {
        keys_.push_back(UnitKey::of(UnitKey::unit + rows, length(i), i - first_));
        i += rows;
      }
    }
    sort_keys();
  }

  void write(const RowBundles::Limits& limits, index_t* first_row, index_t* columns, double* values,
             std::vector<Bundle>& bundles) {
    first_row_ = first_row;
    columns_ = columns;
    values_ = values;
    bundles_ = &bundles;
    const auto lanes_of = [&](std::size_t begin) { return limits.lanes[keys_[begin].rows() - 1]; };
    for_each_class([&](std::size_t begin, std::size_t end) {
      const index_t lanes = lanes_of(begin);
      if (keys_[begin].is_slice()) {
        write_shifted(begin, end, lanes);
      } else if (lanes > 1) {
        write_slices(begin, end - (end - begin) % lanes, lanes);
      }
    });
    for_each_class([&](std::size_t begin, std::size_t end) {
      if (!keys_[begin].is_slice()) {
        const index_t lanes = lanes_of(begin);
        write_rows(lanes > 1 ? end - (end - begin) % lanes : begin, end);
      }
    });
    bundles.shrink_to_fit();
  }

  /// Entries of slices of consecutive units and of units of several rows.
  std::int64_t shared_entries(const RowBundles::Limits& limits) const {
    std::int64_t entries = 0;
    for (const UnitKey key : keys_) {
      const index_t rows = key.rows() * (key.is_slice() ? limits.lanes[key.rows() - 1] : 1);
      entries += rows > 1 ? std::int64_t{key.length()} * rows : 0;
    }
    return entries;
  }

  std::int64_t columns_written() const { return column_; }

 private:
  index_t length(index_t i) const {
    return static_cast<index_t>(a_.row_ptr[i + 1] - a_.row_ptr[i]);
  }
  const index_t* columns_of(index_t i) const { return a_.col_idx + a_.row_ptr[i]; }
  const double* values_of(index_t i) const { return a_.values + a_.row_ptr[i]; }

  /// Whether a shifted slice is to begin with row i, and not later in a run of such rows.
  bool may_begin(const RowBundles::Limits& limits, index_t i, index_t rows, index_t slice) const {
    const index_t behind = i % limits.aligned_rows;
    return rows > 1 || behind == 0 ||
           !is_shifted_slice(i, rows, slice + limits.aligned_rows - behind);
  }
  /// Rows of the unit that begins with row i.
  index_t unit_at(index_t i) const {
    index_t rows = 1;
    while (rows < most_rows_of_unit && i + rows < last_ && same_columns(a_, i, i + rows)) {
      ++rows;
    }
    return rows;
  }
  /// Whether the `slice` rows from row i on are units of `rows` rows, each with the columns of the
  /// one before it plus `rows`.
  bool is_shifted_slice(index_t i, index_t rows, index_t slice) const {
    if (i + slice > last_ || length(i) == 0) {
      return false;
    }
    for (index_t j = rows; j < slice; ++j) {
      const index_t shift = j - j % rows;
      if (length(i + j) != length(i) ||
          !std::equal(columns_of(i), columns_of(i) + length(i), columns_of(i + j),
                      [shift](index_t c, index_t d) { return d - c == shift; })) {
        return false;
      }
    }
    return true;
  }

  bool has_consecutive_columns(index_t i) const {
    const index_t* const column = columns_of(i);
    for (index_t p = 1; p < length(i); ++p) {
      if (column[p] != column[0] + p) {
        return false;
      }
    }
    return true;
  }

  /// By counting where there are fewer classes than keys, which come in the order of their rows.
  void sort_keys() {
    if (std::is_sorted(keys_.begin(), keys_.end())) {
      return;
    }
    std::size_t lengths = 0;
    for (const UnitKey key : keys_) {
      lengths = std::max<std::size_t>(lengths, key.length() + 1);
    }
    std::vector<std::size_t> next(UnitKey::kinds * lengths + 1);
    if (next.size() > keys_.size()) {
      std::sort(keys_.begin(), keys_.end());
      return;
    }
    const auto class_of = [&](UnitKey key) { return key.kind() * lengths + key.length(); };
    for (const UnitKey key : keys_) {
      ++next[class_of(key) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<UnitKey> sorted(keys_.size());
    for (const UnitKey key : keys_) {
      sorted[next[class_of(key)]++] = key;
    }
    keys_.swap(sorted);
  }

  /// Calls `visit(begin, end)` for the keys of each class of units.
  template <class Visit>
  void for_each_class(Visit visit) const {
    for (std::size_t begin = 0; begin < keys_.size();) {
      std::size_t end = begin + 1;
      while (end < keys_.size() && keys_[end].same_bundle(keys_[begin])) {
        ++end;
      }
      visit(begin, end);
      begin = end;
    }
  }

  void begin_bundle(Layout layout, index_t lanes, std::size_t begin, std::size_t end) {
    const UnitKey key = keys_[begin];
    bundles_->push_back({layout, static_cast<std::uint8_t>(key.rows()),
                         static_cast<std::uint8_t>(lanes), key.length(),
                         static_cast<index_t>(end - begin), unit_, value_, column_});
    for (std::size_t u = begin; u < end; ++u) {
      first_row_[unit_++] = keys_[u].first_row();
    }
  }

  void write_rows(std::size_t begin, std::size_t end) {
    if (begin == end) {
      return;
    }
    begin_bundle(Layout::rows, 1, begin, end);
    const index_t count = keys_[begin].length();
    const std::int64_t of_unit = std::int64_t{count} * keys_[begin].rows();
    for (std::size_t u = begin; u < end; ++u) {
      const index_t i = first_ + keys_[u].first_row();
      std::copy_n(columns_of(i), count, columns_ + column_);
      std::copy_n(values_of(i), of_unit, values_ + value_);
      column_ += count;
      value_ += of_unit;
    }
  }

  void write_slices(std::size_t begin, std::size_t end, index_t lanes) {
    if (begin == end) {
      return;
    }
    begin_bundle(Layout::lanes, lanes, begin, end);
    const std::int64_t count = keys_[begin].length();
    const index_t rows = keys_[begin].rows();
    for (std::size_t slice = begin; slice < end; slice += lanes) {
      for (index_t lane = 0; lane < lanes; ++lane) {
        const index_t i = first_ + keys_[slice + lane].first_row();
        const index_t* const from = columns_of(i);
        for (std::int64_t p = 0; p < count; ++p) {
          columns_[column_ + p * lanes + lane] = from[p];
        }
        write_values(i, rows, count, lane, lanes);
      }
      column_ += count * lanes;
      value_ += count * rows * lanes;
    }
  }

  void write_shifted(std::size_t begin, std::size_t end, index_t lanes) {
    const bool is_band = keys_[begin].kind() == UnitKey::band;
    begin_bundle(is_band ? Layout::band : Layout::shifted, lanes, begin, end);
    const std::int64_t count = keys_[begin].length();
    const index_t rows = keys_[begin].rows();
    for (std::size_t slice = begin; slice < end; ++slice) {
      const index_t i = first_ + keys_[slice].first_row();
      std::copy_n(columns_of(i), is_band ? 1 : count, columns_ + column_);
      for (index_t lane = 0; lane < lanes; ++lane) {
        write_values(i + lane * rows, rows, count, lane, lanes);
      }
      column_ += is_band ? 1 : count;
      value_ += count * rows * lanes;
    }
  }

  /// Of the unit that begins with row i, into a lane of the slice that is being written.
  void write_values(index_t i, index_t rows, std::int64_t count, index_t lane, index_t lanes) {
    for (index_t r = 0; r < rows; ++r) {
      const double* const from = values_of(i + r);
      for (std::int64_t p = 0; p < count; ++p) {
        values_[value_ + (p * rows + r) * lanes + lane] = from[p];
      }
    }
  }

  const CsrView<Offset, double>& a_;
  index_t first_, last_;
  std::vector<UnitKey> keys_;
  index_t* first_row_{};
  index_t* columns_{};
  double* values_{};
  std::vector<Bundle>* bundles_{};
  index_t unit_{};
  std::int64_t column_{}, value_{};
};

}  // namespace sparserepro::csr_blocks
