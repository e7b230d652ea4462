// The units of one window of rows, and their columns in the layouts of row_bundles.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

#include "spmm/omp_csr_blocked/layout/diagonals.hpp"
#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// A unit, or a shifted slice, in the order of the bundles.
struct Unit {
  Layout layout;
  std::uint8_t rows;  ///< of a unit
  index_t length;
  index_t row;  ///< the first one, counted from the window's

  bool same_bundle(const Unit& other) const {
    return layout == other.layout && rows == other.rows && length == other.length;
  }
  friend auto operator<=>(const Unit&, const Unit&) = default;
};

/// Finds the units of one window of rows and writes their columns in their layouts.
class WindowWriter {
 public:
  /// Of rows [first, last) of `a`.
  WindowWriter(const RowPattern& a, index_t first, index_t last, const RowBundles::Limits& limits)
      : a_(a), first_(first), last_(last), lanes_(limits.lanes), diagonals_(a, limits.lanes[0]) {
    for (index_t i = first_; i < last_;) {
      const index_t rows = unit_at(i), lanes = lanes_[rows - 1];
      Unit unit{lanes > 1 ? Layout::lanes : Layout::rows, static_cast<std::uint8_t>(rows),
                a_.length(i), i - first_};
      const bool is_slice =
          lanes > 1 && limits.last >= Layout::shifted && is_shifted_slice(i, rows, lanes * rows);
      if (limits.last >= Layout::diagonals &&
          !(is_slice && (rows == 1 || !limits.unit_diagonals)) && i + lanes_[0] <= last_ &&
          diagonals_.add(i)) {
        unit = {limits.last, 1, 0, unit.row};
        i += lanes_[0];
      } else if (is_slice) {
        const bool is_band = rows == 1 && limits.last == Layout::band && unit.length >= 2 * lanes &&
                             has_consecutive_columns(i);
        unit.layout = is_band ? Layout::band : Layout::shifted;
        i += lanes * rows;
      } else {
        i += rows;
      }
      units_.push_back(unit);
    }
    sort_units();
  }

  /// The count of columns that it wrote. `lengths` is for jagged slices.
  std::int64_t write(index_t* first_row, index_t* lengths, index_t* columns,
                     std::vector<Bundle>& bundles) {
    first_row_ = first_row;
    lengths_ = lengths;
    columns_ = columns;
    std::array<std::vector<Unit>, most_rows_of_unit> rest;  // of one length not enough for a slice
    for_bundles(units_, [&](std::span<const Unit> units) {
      const Unit& unit = units.front();
      const auto lanes = static_cast<std::size_t>(lanes_[unit.rows - 1]);
      const std::size_t left = unit.layout == Layout::lanes ? units.size() % lanes : 0;
      add(unit.layout, units.first(units.size() - left), bundles);
      std::vector<Unit>& others = rest[unit.rows - 1];
      others.insert(others.end(), units.end() - left, units.end());
    });
    for (std::vector<Unit>& units : rest) {
      if (lengths_ != nullptr) {
        add(Layout::jagged, take_slices(units), bundles);
      }
      for_bundles(units, [&](auto alone) { add(Layout::rows, alone, bundles); });
    }
    bundles.shrink_to_fit();
    return column_;
  }

  /// Entries on diagonals, of shifted slices and of units of several rows.
  std::int64_t shared_entries() const {
    std::int64_t entries = diagonals_.entries();
    for (const Unit& unit : units_) {  // those of diagonals have no length
      const index_t rows = unit.rows * (unit.layout < Layout::shifted ? 1 : lanes_[unit.rows - 1]);
      entries += rows > 1 ? std::int64_t{unit.length} * rows : 0;
    }
    return entries;
  }

 private:
  /// Rows that are compared with the next ones have so many entries or more.
  static constexpr index_t grouped_length = 4;
  static constexpr index_t most_rows_of_unit = 3;
  /// What a row by itself takes more than its vectors of entries, in steps of a slice.
  static constexpr index_t steps_of_row = 4;

  /// Rows of the unit that begins with row i.
  index_t unit_at(index_t i) const {
    index_t rows = 1;
    while (rows < most_rows_of_unit && i + rows < last_ && a_.length(i) >= grouped_length &&
           is_shifted(i, i + rows, 0)) {
      ++rows;
    }
    return rows;
  }
  /// Whether row j has the columns of row i plus `shift`.
  bool is_shifted(index_t i, index_t j, index_t shift) const {
    return a_.length(j) == a_.length(i) &&
           std::equal(a_.columns_of(i), a_.columns_of(i) + a_.length(i), a_.columns_of(j),
                      [shift](index_t c, index_t d) { return d - c == shift; });
  }
  /// Whether the `slice` rows from row i on are units of `rows` rows, each with the columns of the
  /// one before it plus `rows`.
  bool is_shifted_slice(index_t i, index_t rows, index_t slice) const {
    if (i + slice > last_ || a_.length(i) == 0) {
      return false;
    }
    for (index_t j = rows; j < slice; ++j) {
      if (!is_shifted(i, i + j, j - j % rows)) {
        return false;
      }
    }
    return true;
  }
  bool has_consecutive_columns(index_t i) const {
    const index_t* const end = a_.columns_of(i) + a_.length(i);
    return end == std::adjacent_find(a_.columns_of(i), end,
                                     [](index_t c, index_t d) { return d != c + 1; });
  }

  /// By counting, where there are fewer bundles than units, which come in the order of their rows.
  void sort_units() {
    index_t lengths = 0;
    for (const Unit& unit : units_) {
      lengths = std::max(lengths, unit.length + 1);
    }
    const auto bundle_of = [&](const Unit& unit) {
      const auto layout = static_cast<std::size_t>(unit.layout);
      return (layout * most_rows_of_unit + unit.rows - 1) * lengths + unit.length;
    };
    const std::size_t bundles = 7 * most_rows_of_unit * std::size_t(lengths);
    if (bundles >= units_.size()) {
      return std::sort(units_.begin(), units_.end());
    }
    std::vector<std::size_t> next(bundles + 1);
    for (const Unit& unit : units_) {
      ++next[bundle_of(unit) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Unit> sorted(units_.size());
    for (const Unit& unit : units_) {
      sorted[next[bundle_of(unit)]++] = unit;
    }
    units_.swap(sorted);
  }

  template <class Do>
  static void for_bundles(const std::vector<Unit>& units, Do each) {
    for (auto begin = units.begin(), end = begin; begin != units.end(); begin = end) {
      end = std::find_if_not(begin, units.end(),
                             [&](const Unit& unit) { return unit.same_bundle(*begin); });
      each(std::span(begin, end));
    }
  }

  /// From units of the same rows, the shortest first, those of jagged slices, the longest first.
  /// Units that are much longer than the next ones take fewer steps by themselves than they add to
  /// a slice.
  std::vector<Unit> take_slices(std::vector<Unit>& units) const {
    std::vector<Unit> taken, alone;
    const index_t lanes = units.empty() ? 1 : lanes_[units.front().rows - 1];
    for (auto left = static_cast<index_t>(units.size()); left > 0;) {
      const auto longest = std::make_reverse_iterator(units.begin() + left);
      index_t longer = 0, steps = 0;
      for (index_t lane = 1; left >= lanes && lane < lanes; ++lane) {
        steps += longest[lane - 1].length / lanes + steps_of_row;
        if (longest[0].length - longest[lane].length > steps) {
          longer = lane;
        }
      }
      const index_t count = left < lanes ? left : longer > 0 ? longer : lanes;
      std::vector<Unit>& to = left < lanes || longer > 0 ? alone : taken;
      to.insert(to.end(), longest, longest + count);
      left -= count;
    }
    units.swap(alone);
    return taken;
  }

  /// A bundle of units.
  void add(Layout layout, std::span<const Unit> units, std::vector<Bundle>& bundles) {
    if (units.empty()) {
      return;
    }
    const Unit& unit = units.front();
    const index_t lanes = layout == Layout::rows ? 1 : lanes_[unit.rows - 1];
    const Bundle bundle{layout, unit.rows, lanes,  unit.length, static_cast<index_t>(units.size()),
                        unit_,  value_,    column_};
    bundles.push_back(bundle);
    for (std::size_t u = 0; u < units.size(); ++u) {
      first_row_[unit_ + u] = units[u].row;
    }
    unit_ += bundle.count;
    if (bundle.has_diagonals()) {  // one bundle, in the order of the rows
      std::copy(diagonals_.columns().begin(), diagonals_.columns().end(), columns_ + column_);
      column_ += std::ssize(diagonals_.columns());
      value_ += layout == Layout::padded ? lanes * diagonals_.count() : diagonals_.entries();
      return;
    }
    // Columns of a slice: of all its units, or of the first one, whose shifts are known.
    const index_t of_slice = bundle.is_shifted() ? 1 : lanes;
    for (auto slice = units; !slice.empty(); slice = slice.subspan(of_slice)) {
      const auto write = [&](index_t begin, index_t end, index_t those)
          __attribute__((always_inline)) {
        const std::int64_t count = layout == Layout::band ? 1 : end - begin;
        for (index_t lane = 0; lane < those; ++lane) {
          const index_t* const from = a_.columns_of(first_ + slice[lane].row) + begin;
          for (std::int64_t p = 0; p < count; ++p) {
            columns_[column_ + p * those + lane] = from[p];
          }
        }
        column_ += count * those;
        value_ += std::int64_t{end - begin} * unit.rows * (bundle.is_shifted() ? lanes : those);
      };
      if (layout == Layout::jagged) {
        index_t* const lengths = lengths_ + (slice.data() - units.data()) + bundle.unit;
        std::transform(slice.begin(), slice.begin() + lanes, lengths,
                       [](const Unit& one) { return one.length; });
        for_stretches(lengths, lanes, write);
      } else {
        write(0, unit.length, of_slice);
      }
    }
  }

  const RowPattern& a_;
  index_t first_, last_;
  SliceLanes lanes_;
  std::vector<Unit> units_;
  Diagonals diagonals_;
  index_t* first_row_{};
  index_t* lengths_{};
  index_t* columns_{};
  index_t unit_{};
  std::int64_t column_{}, value_{};
};

}  // namespace sparserepro::csr_blocks
