// CSR cut into windows of consecutive rows, and the entries of each window copied in an order that
// lets whole bundles of equal rows go through one loop:
//
//   unit     1 to 3 consecutive rows with the same columns, which are stored once;
//            values [row of the unit][entry], columns [entry]
//   bundle   units of the same number of rows and, but for jagged, the same length
//
// so that a loop's end is foreseen by the processor and loads of X beyond it can start. A bundle is
// laid out in one of these ways, the first for units that are not enough for a slice:
//
//   rows     values [unit][row of the unit][entry], columns [unit][entry]
//   lanes    values [slice][entry][row of the unit][unit of the slice],
//            columns [slice][entry][unit of the slice]
//   jagged   lanes of units of any length, the longest first, in one bundle: an entry p has places
//            for the units of more than p entries alone
//   shifted  slices of consecutive units, each with the columns of the one before it plus the rows
//            of a unit, as in stencils, bands and meshes: values as in lanes, columns of the first
//            unit alone [slice][entry]
//   band     shifted, units of one row with consecutive columns: the first column of each slice
//   diagonals
//            slices of consecutive rows whose entries lie on few diagonals of A, as in bands that
//            are not full and in blocks: values [slice][diagonal][rows that have it], columns
//            [slice]: twice the diagonals, and 1 where each of their columns is one of A; then
//            [diagonal] the column of the first row, which need not be one of A, and [diagonal]
//            bits: row r has it
//   padded   diagonals with zeros for the rows that have none: values [slice][diagonal][row]
//
// Rows of more entries than a window are left out. All depends on the matrix and the limits alone.
//
// Source: this project; rows by length as in SELL-C-sigma (Kreutzer et al., SISC 36(5), 2014), with
// classes of equal length in place of padding.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/buffer.hpp"
#include "formats/index_array.hpp"
#include "formats/types.hpp"

namespace sparserepro::csr_blocks {

/// In the order in which a path ends them; jagged takes what lanes leave.
enum class Layout : std::uint8_t { rows, lanes, jagged, shifted, band, diagonals, padded };

/// Units of a slice, by the rows of a unit less one.
using SliceLanes = std::array<index_t, 3>;

struct Bundle {
  Layout layout{};
  std::uint8_t rows{};   ///< of a unit
  index_t lanes{};       ///< units of a slice
  index_t length{};      ///< entries of a row; of the longest, if jagged
  index_t count{};       ///< units; from shifted on: slices, and first_row of their first units
  index_t unit{};        ///< place of its first unit in Window::first_row
  std::int64_t value{};  ///< places of its first value and column in those of the window
  std::int64_t column{};

  bool is_shifted() const { return layout >= Layout::shifted; }
  bool has_diagonals() const { return layout >= Layout::diagonals; }
};

struct Window {
  index_t first{}, last{};  ///< rows
  std::int64_t entry{};     ///< place of its values and columns in those of all windows
  bool fetch{};             ///< the row of X of each entry, ahead of its product
  std::span<const Bundle> bundles{};
  const index_t* first_row{};  ///< of each unit, counted from the window's first
  const index_t* lengths{};    ///< of each unit, with Limits::jagged
  const index_t* columns{};
};

/// Rows of a matrix without its values.
struct RowPattern {
  index_t rows;
  IndexArray row_ptr;
  const index_t* columns;
  index_t cols;

  index_t length(index_t i) const { return static_cast<index_t>(row_ptr[i + 1] - row_ptr[i]); }
  const index_t* columns_of(index_t i) const { return columns + row_ptr[i]; }
};

/// Calls each(begin, end, units) for the entries [begin, end) that so many units of a jagged slice
/// have, from the first entry on.
template <class Each>
void for_stretches(const index_t* lengths, index_t lanes, Each each) {
  index_t begin = 0;
  for (index_t units = lanes; units > 0; --units) {
    const index_t end = lengths[units - 1];
    if (end > begin) {
      each(begin, end, units);
      begin = end;
    }
  }
}

class RowBundles {
 public:
  struct Limits {
    bool bundles{true};         ///< else windows alone
    SliceLanes lanes{};         ///< 1: all in Layout::rows
    std::int64_t entries{};     ///< most entries and rows of a window, and entries of a row in it
    bool fetch{};               ///< of windows, where columns may be looked at so far ahead
    std::int64_t near{};        ///< most columns between the first and the last without fetch
    bool jagged{};              ///< slices of what lanes leave
    bool unit_diagonals{};      ///< whether shifted units of several rows may go by diagonals
    Layout last{Layout::band};  ///< the last that may be used; diagonals and padded without bands,
                                ///< for lanes[0] of 4 to 16
  };

  RowBundles() = default;
  RowBundles(RowBundles&&) = default;  // and no copy: windows point into this
  RowBundles& operator=(RowBundles&&) = default;
  RowBundles(const RowPattern& a, const Limits& limits, int threads);

  std::int64_t windows() const { return static_cast<std::int64_t>(windows_.size()); }
  const Window& window(std::int64_t w) const { return windows_[w]; }
  /// That the values of all windows take.
  std::int64_t value_places() const { return value_places_; }
  /// Rows of more than limits.entries entries.
  const std::vector<index_t>& long_rows() const { return long_rows_; }
  std::int64_t bytes() const;

  /// The share of the entries in some stretches of `a` that lie on diagonals where these may be
  /// used, else in units of several rows or in shifted slices: bundles of others save no loads.
  static double shared_entries(const RowPattern& a, const Limits& limits);

  /// Writes the values to their places: that of entry p of A is value_of(p). `row_ptr` is A's.
  template <class ValueOf, class Element>
  void write_values(IndexArray row_ptr, ValueOf value_of, Element* values, int threads) const;

  /// Most units of a slice.
  static constexpr index_t most_lanes = 16;
  /// Readable columns behind the last one that a kernel may prefetch for.
  static constexpr std::int64_t columns_ahead = 64;

 private:
  void place_windows(const RowPattern& a, const Limits& limits);
  template <class ValueOf, class Element>
  static void write_slices(IndexArray row_ptr, ValueOf value_of, Element* to, const Window& window,
                           const Bundle& b);
  template <class ValueOf, class Element>
  static void write_diagonals(IndexArray row_ptr, ValueOf value_of, Element* to,
                              const Window& window, const Bundle& b);

  std::vector<Window> windows_;
  std::vector<std::vector<Bundle>> bundles_;  // of each window
  std::vector<index_t> long_rows_;
  std::int64_t value_places_{};
  Buffer<index_t> first_row_;  // [rows]: of the units of a window from its first row on
  Buffer<index_t> lengths_;    // [rows]: the same, with Limits::jagged
  Buffer<index_t> columns_;    // [value_places_ + columns_ahead]
};

template <class ValueOf, class Element>
void RowBundles::write_values(IndexArray row_ptr, ValueOf value_of, Element* values,
                              int threads) const {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t w = 0; w < windows(); ++w) {
    const Window& window = windows_[w];
    for (const Bundle& b : bundles_[w]) {
      Element* const to = values + window.entry + b.value;
      b.has_diagonals() ? write_diagonals(row_ptr, value_of, to, window, b)
                        : write_slices(row_ptr, value_of, to, window, b);
    }
  }
}

template <class ValueOf, class Element>
void RowBundles::write_slices(IndexArray row_ptr, ValueOf value_of, Element* to,
                              const Window& window, const Bundle& b) {
  const bool in_rows = b.layout == Layout::rows;
  const index_t of_slice = b.is_shifted() ? 1 : b.lanes;  // units that first_row tells
  for (index_t u = b.unit; u < b.unit + b.count; u += of_slice) {
    const index_t* const first_row = window.first_row + u;
    // Inlined for both calls: preparation takes 1.05 of the time else, up to 1.16 on FEM.
    const auto write = [&](index_t begin, index_t end, index_t units)
        __attribute__((always_inline)) {
      const index_t count = end - begin, step = in_rows ? 1 : b.rows * units;
      for (index_t lane = 0; lane < units; ++lane) {
        const index_t row =
            window.first + (b.is_shifted() ? first_row[0] + lane * b.rows : first_row[lane]);
        for (index_t r = 0; r < b.rows; ++r) {
          const std::int64_t from = row_ptr[row + r] + begin;
          Element* const place = to + (in_rows ? r * count : r * units + lane);
          for (std::int64_t p = 0; p < count; ++p) {
            place[p * step] = value_of(from + p);
          }
        }
      }
      to += std::int64_t{count} * b.rows * units;
    };
    b.layout == Layout::jagged ? for_stretches(window.lengths + u, b.lanes, write)
                               : write(0, b.length, b.lanes);
  }
}

template <class ValueOf, class Element>
void RowBundles::write_diagonals(IndexArray row_ptr, ValueOf value_of, Element* to,
                                 const Window& window, const Bundle& b) {
  const bool is_padded = b.layout == Layout::padded;
  const index_t* column = window.columns + b.column;
  for (index_t s = 0; s < b.count; ++s) {
    std::array<std::int64_t, most_lanes> next{};  // entries of each row
    for (index_t lane = 0; lane < b.lanes; ++lane) {
      next[lane] = row_ptr[window.first + window.first_row[b.unit + s] + lane];
    }
    const index_t diagonals = *column++ / 2;
    column += diagonals;
    for (index_t d = 0; d < diagonals; ++d, ++column) {
      if (is_padded) {
        std::fill_n(to, b.lanes, Element{});
      }
      for (auto rows = static_cast<std::uint32_t>(*column); rows != 0; rows &= rows - 1) {
        const int row = std::countr_zero(rows);
        (is_padded ? to[row] : *to++) = value_of(next[row]++);
      }
      to += is_padded ? b.lanes : 0;
    }
  }
}

}  // namespace sparserepro::csr_blocks
