// The units of one window of rows, and their columns in the layouts of row_bundles.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <tuple>
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
    return layout == other.layout && rows == other.rows &&
           (length == other.length || layout == Layout::jagged);
  }
  /// Jagged units come the longest first.
  index_t order() const { return layout == Layout::jagged ? -length : length; }
  friend bool operator<(const Unit& u, const Unit& v) {
    return std::tuple(u.layout, u.rows, u.order(), u.row) <
           std::tuple(v.layout, v.rows, v.order(), v.row);
  }
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
    if (limits.jagged) {
      make_jagged();
    }
  }

  /// The count of columns that it wrote.
  std::int64_t write(index_t* first_row, index_t* lengths, index_t* columns,
                     std::vector<Bundle>& bundles) {
    first_row_ = first_row;
    lengths_ = lengths;
    columns_ = columns;
    for (const bool rest : {false, true}) {  // units that are not enough for a slice
      for (index_t begin = 0, end = 0; begin < std::ssize(units_); begin = end) {
        const Unit& unit = units_[begin];
        const index_t lanes = unit.layout == Layout::rows ? 1 : lanes_[unit.rows - 1];
        end = end_of_bundle(begin);
        const bool is_slice = unit.layout == Layout::lanes || unit.layout == Layout::jagged;
        const index_t left = is_slice ? (end - begin) % lanes : 0;
        if (!rest) {
          add(unit.layout, lanes, begin, end - left, bundles);
        }
        for (index_t u = end - left, next = u; rest && u < end; u = next) {
          while (next < end && units_[next].length == units_[u].length) {
            ++next;
          }
          add(Layout::rows, 1, u, next, bundles);
        }
      }
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
      const index_t order = unit.layout == Layout::jagged ? lengths - 1 - unit.length : unit.length;
      return (layout * most_rows_of_unit + unit.rows - 1) * lengths + order;
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

  index_t end_of_bundle(index_t begin) const {
    index_t end = begin;
    while (end < std::ssize(units_) && units_[end].same_bundle(units_[begin])) {
      ++end;
    }
    return end;
  }

  /// Units that are not enough for a slice of one length go side by side with others; those that
  /// are much longer than the next ones take fewer steps by themselves than they add to a slice.
  void make_jagged() {
    for (index_t begin = 0, end; begin < std::ssize(units_); begin = end) {
      end = end_of_bundle(begin);
      const index_t lanes = lanes_[units_[begin].rows - 1];
      for (index_t u = end - (end - begin) % lanes; u < end && units_[u].layout == Layout::lanes;
           ++u) {
        units_[u].layout = Layout::jagged;
      }
    }
    sort_units();
    for (index_t begin = 0, end; begin < std::ssize(units_); begin = end) {
      end = end_of_bundle(begin);
      const index_t lanes = lanes_[units_[begin].rows - 1];
      for (index_t u = begin; units_[u].layout == Layout::jagged && end - u >= lanes;) {
        index_t longer = 0, steps = 0;
        for (index_t lane = 1; lane < lanes; ++lane) {
          steps += units_[u + lane - 1].length / lanes + steps_of_row;
          if (units_[u].length - units_[u + lane].length > steps) {
            longer = lane;
          }
        }
        for (index_t lane = 0; lane < longer; ++lane) {
          units_[u + lane].layout = Layout::rows;
        }
        u += longer > 0 ? longer : lanes;
      }
    }
    sort_units();
  }

  /// A bundle of units_[begin, end).
  void add(Layout layout, index_t lanes, index_t begin, index_t end, std::vector<Bundle>& bundles) {
    if (begin == end) {
      return;
    }
    const Unit& unit = units_[begin];
    const Bundle bundle{layout, unit.rows, lanes, unit.length, end - begin, unit_, value_, column_};
    if (bundle.has_diagonals()) {  // one bundle, in the order of the rows
      for (index_t u = begin; u < end; ++u) {
        first_row_[unit_++] = units_[u].row;
      }
      std::copy(diagonals_.columns().begin(), diagonals_.columns().end(), columns_ + column_);
      column_ += std::ssize(diagonals_.columns());
      value_ += layout == Layout::padded ? lanes * diagonals_.count() : diagonals_.entries();
      bundles.push_back(bundle);
      return;
    }
    if (layout == Layout::jagged) {
      const std::int64_t first = column_;
      for (index_t u = begin; u < end; u += lanes) {
        add_jagged(u, lanes);
      }
      value_ += (column_ - first) * unit.rows;
      bundles.push_back(bundle);
      return;
    }
    const std::int64_t stored = layout == Layout::band ? 1 : unit.length;  // columns of a unit
    const index_t step = layout == Layout::lanes ? lanes : 1;
    for (index_t u = begin; u < end; column_ += stored * step) {
      for (index_t lane = 0; lane < step; ++lane, ++u) {
        first_row_[unit_++] = units_[u].row;
        const index_t* const from = a_.columns_of(first_ + units_[u].row);
        for (std::int64_t p = 0; p < stored; ++p) {
          columns_[column_ + p * step + lane] = from[p];
        }
      }
    }
    value_ +=
        std::int64_t{unit.length} * unit.rows * bundle.count * (bundle.is_shifted() ? lanes : 1);
    bundles.push_back(bundle);
  }

  /// The slice of units_[begin, begin + lanes).
  void add_jagged(index_t begin, index_t lanes) {
    std::array<const index_t*, RowBundles::most_lanes> from;
    for (index_t lane = 0; lane < lanes; ++lane) {
      const Unit& unit = units_[begin + lane];
      from[lane] = a_.columns_of(first_ + unit.row);
      lengths_[unit_] = unit.length;
      first_row_[unit_++] = unit.row;
    }
    index_t count = lanes;
    for (index_t p = 0; p < units_[begin].length; ++p) {
      while (units_[begin + count - 1].length <= p) {
        --count;
      }
      for (index_t lane = 0; lane < count; ++lane) {
        columns_[column_++] = from[lane][p];
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
