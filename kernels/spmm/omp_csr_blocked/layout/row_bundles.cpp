#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <limits>
#include <numeric>

#include "formats/array_bytes.hpp"
#include "formats/ceil_div.hpp"
#include "formats/huge_pages.hpp"
#include "formats/partition.hpp"
#include "formats/region_error.hpp"

namespace sparserepro::csr_blocks {
namespace {

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
template <class Offset>
class WindowWriter {
 public:
  /// Of rows [first, last) of `a`.
  WindowWriter(const RowPattern<Offset>& a, index_t first, index_t last,
               const RowBundles::Limits& limits)
      : a_(a), first_(first), last_(last), lanes_(limits.lanes) {
    for (index_t i = first_; i < last_;) {
      const index_t rows = unit_at(i), lanes = lanes_[rows - 1];
      Unit unit{lanes > 1 ? Layout::lanes : Layout::rows, static_cast<std::uint8_t>(rows),
                a_.length(i), i - first_};
      i += rows;
      if (rows > 1 && limits.last >= Layout::diagonals && find_diagonals(i - rows)) {
        unit = {limits.last, 1, 0, unit.row};
        i += lanes_[0] - rows;
      } else if (lanes > 1 && limits.last >= Layout::shifted &&
          is_shifted_slice(i - rows, rows, lanes * rows)) {
        const bool is_band = rows == 1 && limits.last == Layout::band && unit.length >= 2 * lanes &&
                             has_consecutive_columns(i - rows);
        unit.layout = is_band ? Layout::band : Layout::shifted;
        i += (lanes - 1) * rows;
      } else if (limits.last >= Layout::diagonals && find_diagonals(i - rows)) {
        unit = {limits.last, 1, 0, unit.row};
        i += lanes_[0] - rows;
      }
      units_.push_back(unit);
    }
    sort_units();
  }

  /// The count of columns that it wrote.
  std::int64_t write(index_t* first_row, index_t* columns, std::vector<Bundle>& bundles) {
    first_row_ = first_row;
    columns_ = columns;
    for (const bool rest : {false, true}) {  // units that are not enough for a slice
      for (std::size_t begin = 0, end = 0; begin < units_.size(); begin = end) {
        while (end < units_.size() && units_[end].same_bundle(units_[begin])) {
          ++end;
        }
        const Unit& unit = units_[begin];
        const std::size_t lanes = lanes_[unit.rows - 1];
        const std::size_t left = unit.layout == Layout::lanes ? (end - begin) % lanes : 0;
        rest ? add(Layout::rows, 1, end - left, end, bundles)
             : add(unit.layout, lanes, begin, end - left, bundles);
      }
    }
    bundles.shrink_to_fit();
    return column_;
  }

  std::int64_t diagonal_entries() const { return on_diagonals_; }
  /// Entries of slices of consecutive units and of units of several rows.
  std::int64_t shared_entries() const {
    std::int64_t entries = on_diagonals_;
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
  /// Diagonals that a slice has less than half its entries over its rows: what it takes besides
  /// them.
  static constexpr index_t least_gain = 2;

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

  /// Whether the slice of rows from row i on has few diagonals, which then lie in diagonals_.
  bool find_diagonals(index_t i) {
    const index_t lanes = lanes_[0];
    if (i + lanes > last_) {
      return false;
    }
    const Offset* const begin = a_.row_ptr + i;
    const std::int64_t entries = begin[lanes] - begin[0];
    const std::size_t head = diagonals_.size();
    const std::int64_t most = entries / (lanes / 2) - least_gain;
    constexpr index_t none = std::numeric_limits<index_t>::max();
    std::array<Offset, RowBundles::most_lanes> next{};
    std::array<index_t, RowBundles::most_lanes> column;  // of the first row, on the next diagonal
    column.fill(none);
    const auto step_to = [&](index_t row, Offset p) {
      next[row] = p;
      column[row] = p < begin[row + 1] ? a_.columns[p] - row : none;
    };
    for (index_t row = 0; row < lanes; ++row) {
      step_to(row, begin[row]);
    }
    diagonals_.push_back(0);
    rows_.clear();
    index_t count = 0;
    for (;;) {
      index_t first = none;
      for (const index_t c : column) {
        first = std::min(first, c);
      }
      if (first == none) {
        break;
      }
      std::uint32_t rows = 0;
      for (index_t row = 0; row < RowBundles::most_lanes; ++row) {
        rows |= column[row] == first ? 1u << row : 0u;
      }
      if (++count > most) {
        diagonals_.resize(head);
        return false;
      }
      diagonals_.push_back(first);
      rows_.push_back(static_cast<index_t>(rows));
      for (; rows != 0; rows &= rows - 1) {
        const index_t row = std::countr_zero(rows);
        step_to(row, next[row] + 1);
      }
    }
    const bool within = diagonals_[head + 1] >= 0 && diagonals_.back() + lanes <= a_.cols;
    diagonals_.insert(diagonals_.end(), rows_.begin(), rows_.end());
    diagonals_[head] = 2 * count + within;
    on_diagonals_ += entries;
    return true;
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
    const std::size_t bundles = 6 * most_rows_of_unit * std::size_t(lengths);
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

  /// A bundle of units_[begin, end).
  void add(Layout layout, index_t lanes, std::size_t begin, std::size_t end,
           std::vector<Bundle>& bundles) {
    if (begin == end) {
      return;
    }
    const Unit& unit = units_[begin];
    const Bundle bundle{layout,
                        unit.rows,
                        static_cast<std::uint8_t>(lanes),
                        unit.length,
                        static_cast<index_t>(end - begin),
                        unit_,
                        value_,
                        column_};
    if (bundle.has_diagonals()) {  // one bundle, in the order of the rows
      for (std::size_t u = begin; u < end; ++u) {
        first_row_[unit_++] = units_[u].row;
      }
      std::copy(diagonals_.begin(), diagonals_.end(), columns_ + column_);
      column_ += std::ssize(diagonals_);
      value_ += layout == Layout::padded ? lanes * (std::ssize(diagonals_) - bundle.count) / 2
                                         : on_diagonals_;
      bundles.push_back(bundle);
      return;
    }
    const std::int64_t stored = layout == Layout::band ? 1 : unit.length;  // columns of a unit
    const std::int64_t step = layout == Layout::lanes ? lanes : 1;
    for (std::size_t u = begin; u < end; column_ += stored * step) {
      for (std::int64_t lane = 0; lane < step; ++lane, ++u) {
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

  const RowPattern<Offset>& a_;
  index_t first_, last_;
  SliceLanes lanes_;
  std::vector<Unit> units_;
  std::vector<index_t> diagonals_;  // as columns of slices
  std::vector<index_t> rows_;       // of the diagonals of a slice
  std::int64_t on_diagonals_{};     // entries
  index_t* first_row_{};
  index_t* columns_{};
  index_t unit_{};
  std::int64_t column_{}, value_{};
};

}  // namespace

template <class Offset>
RowBundles::RowBundles(const RowPattern<Offset>& a, const Limits& limits, int threads) {
  place_windows(a, limits);
  if (limits.bundles) {
    first_row_.resize(static_cast<std::size_t>(a.rows));
    columns_.resize(static_cast<std::size_t>(value_places_ + columns_ahead));
    advise_huge_pages(columns_);
    std::fill(columns_.end() - columns_ahead, columns_.end(), 0);
  }
  bundles_.resize(windows_.size());
  RegionError error;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t w = 0; w < windows(); ++w) {
    Window& window = windows_[w];
    window.fetch = limits.fetch &&
                   (limits.bundles || a.row_ptr[window.last] + columns_ahead <= a.row_ptr[a.rows]);
    if (!limits.bundles) {
      continue;
    }
    error.guard([&] {
      index_t* const first_row = first_row_.data() + window.first;
      index_t* const columns = columns_.data() + window.entry;
      WindowWriter<Offset> writer(a, window.first, window.last, limits);
      const std::int64_t written = writer.write(first_row, columns, bundles_[w]);
      const std::int64_t next = w + 1 < windows() ? windows_[w + 1].entry : value_places_;
      std::fill(columns + written, columns_.data() + next, 0);
      window.bundles = bundles_[w].data();
      window.bundle_count = std::ssize(bundles_[w]);
      window.first_row = first_row;
      window.columns = columns;
    });
  }
  error.rethrow();
}

/// Parts the rows into windows, and gives these their places. A row of more entries than a window
/// is the last one between its window and the next.
template <class Offset>
void RowBundles::place_windows(const RowPattern<Offset>& a, const Limits& limits) {
  const std::int64_t most = limits.entries;
  constexpr std::int64_t line_values = 8;  // windows begin with a cache line of values in fp64
  const std::int64_t all = std::int64_t{a.row_ptr[a.rows]} + a.rows;
  const std::int64_t parts = ceil_div(all, most);
  index_t first = 0;
  for (std::int64_t part = 1; part <= parts && first < a.rows; ++part) {
    const std::int64_t end = part_begin(all, parts, part);
    index_t last = first;  // the first row that begins at `end` or later
    for (index_t step = 1 << 30; step > 0; step /= 2) {
      const std::int64_t row = std::int64_t{last} + step - 1;
      if (step <= a.rows - last && a.row_ptr[row] + row < end) {
        last += step;
      }
    }
    const bool is_cut = last > first && a.length(last - 1) > most;
    if (is_cut) {
      long_rows_.push_back(last - 1);
    } else if (last - first >= 4 * most_lanes && last < a.rows) {
      last -= (last - first) % most_lanes;  // whole slices
    }
    if (const index_t behind = last - is_cut; behind > first) {
      const std::int64_t entries =
          (a.row_ptr[behind] - a.row_ptr[first]) * (limits.last == Layout::padded ? 2 : 1);
      windows_.push_back({.first = first, .last = behind, .entry = value_places_});
      value_places_ += ceil_div(entries, line_values) * line_values;
    }
    first = last;
  }
}

namespace {

/// The share of the entries of some stretches of `a` that entries_of(writer) tells.
template <class Offset, class EntriesOf>
double share_of(const RowPattern<Offset>& a, const RowBundles::Limits& limits,
                EntriesOf entries_of) {
  constexpr index_t stretches = 16, rows_of_stretch = 32;
  std::int64_t shared = 0, all = 0;
  for (index_t s = 0; s < stretches; ++s) {
    const auto first = static_cast<index_t>(std::int64_t{a.rows} * s / stretches);
    const index_t last = first + std::min(rows_of_stretch, a.rows - first);
    shared += entries_of(WindowWriter<Offset>(a, first, last, limits));
    all += a.row_ptr[last] - a.row_ptr[first];
  }
  return all == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(all);
}

}  // namespace

template <class Offset>
double RowBundles::shared_entries(const RowPattern<Offset>& a, const Limits& limits) {
  return share_of(a, limits, [](const auto& writer) { return writer.shared_entries(); });
}
template <class Offset>
double RowBundles::diagonal_entries(const RowPattern<Offset>& a, const Limits& limits) {
  return share_of(a, limits, [](const auto& writer) { return writer.diagonal_entries(); });
}

std::int64_t RowBundles::bytes() const {
  std::int64_t bytes = array_bytes(windows_, bundles_, long_rows_, first_row_, columns_);
  for (const std::vector<Bundle>& bundles : bundles_) {
    bytes += array_bytes(bundles);
  }
  return bytes;
}

template RowBundles::RowBundles(const RowPattern<std::int32_t>&, const Limits&, int);
template RowBundles::RowBundles(const RowPattern<std::int64_t>&, const Limits&, int);
template double RowBundles::shared_entries(const RowPattern<std::int32_t>&, const Limits&);
template double RowBundles::shared_entries(const RowPattern<std::int64_t>&, const Limits&);
template double RowBundles::diagonal_entries(const RowPattern<std::int32_t>&, const Limits&);
template double RowBundles::diagonal_entries(const RowPattern<std::int64_t>&, const Limits&);

}  // namespace sparserepro::csr_blocks
