// CSR cut into windows of consecutive rows, and the entries of each window copied in an order that
// lets whole bundles of equal rows go through one loop:
//
//   unit     1 to 3 consecutive rows with the same columns, which are stored once;
//            values [row of the unit][entry], columns [entry]
//   bundle   units of the same number of rows and the same length, in the order of the matrix
//
// so that a loop's end is foreseen by the processor and loads of X beyond it can start. Nothing is
// padded: there are at most as many values and columns as entries. A bundle is laid out in one of
// these ways, the first for units that are not enough for a slice:
//
//   rows     values [unit][row of the unit][entry], columns [unit][entry]
//   lanes    values [slice][entry][row of the unit][unit of the slice],
//            columns [slice][entry][unit of the slice]
//   shifted  slices of consecutive units, each with the columns of the one before it plus the rows
//            of a unit, as in stencils, bands and meshes: values as in lanes, columns of the first
//            unit alone [slice][entry]
//   band     shifted, units of one row with consecutive columns: the first column of each slice
//
// Rows that are too long for a window are left out. The bundles, and with them the order in which a
// row is added up, depend on the matrix and the limits alone.
//
// Source: this project; rows by length as in SELL-C-sigma (Kreutzer et al., SISC 36(5), 2014), with
// classes of equal length in place of padding.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/buffer.hpp"
#include "formats/csr.hpp"

namespace sparserepro::csr_blocks {

/// In the order in which each needs more of the rows.
enum class Layout : std::uint8_t { rows, lanes, shifted, band };

/// Units of a slice, by the rows of a unit less one.
using SliceLanes = std::array<index_t, 3>;

/// Windows whose rows of X are prefetched: those in which many entries meet a row of X that no
/// entry near them has met, nor the row before it (scattered_rows); or all (new_rows).
enum class Prefetch : std::uint8_t { none, new_rows, scattered_rows };

/// Of the rows of X in a window. far: many entries meet one that no entry near them has met, nor
/// the row before it. near: each entry's all the same. last: those alone that the last entry of a
/// later shifted slice comes to, the leading edge of a mesh, some lines beside each entry.
enum class Fetch : std::uint8_t { none, near, far, last };

struct Bundle {
  Layout layout{};
  std::uint8_t rows{};   ///< of a unit
  std::uint8_t lanes{};  ///< units of a slice
  index_t length{};      ///< entries of a row
  index_t count{};       ///< units; if shifted or band: slices, and first_row of their first units
  index_t unit{};        ///< place of its first unit in Window::first_row
  std::int64_t value{};  ///< places of its first value and column in those of the window
  std::int64_t column{};
};

/// What a kernel sees of a window.
struct Window {
  const Bundle* bundles{};
  std::int64_t bundle_count{};
  const index_t* first_row{};  ///< of each unit, counted from the window's first
  const index_t* columns{};
  const double* values{};
  Fetch fetch{};

  /// Those of the bundle are at least `least_followed` and mostly follow each other.
  bool rows_follow(const Bundle& bundle) const;
  static constexpr index_t least_followed = 8;
};

class RowBundles {
 public:
  struct Limits {
    bool one_column{};       ///< of X
    SliceLanes lanes{};      ///< 1: all in Layout::rows
    index_t window_rows{};   ///< most rows of a window
    std::int64_t entries{};  ///< most entries of a window, and of a row in it
    Prefetch prefetch{};
    index_t aligned_rows{1};    ///< windows, and shifted slices of single rows where more than
                                ///< one follow each other, begin at multiples of it, for the
                                ///< sake of whole vectors of Y
    Layout last{Layout::band};  ///< layout that may be used, in the order of the enumeration
  };

  RowBundles() = default;
  template <class Offset>
  RowBundles(const CsrView<Offset, double>& a, const Limits& limits, int threads);

  std::int64_t windows() const { return static_cast<std::int64_t>(windows_.size()); }
  Window window(std::int64_t w) const;
  index_t first_row(std::int64_t w) const { return windows_[w].first; }
  index_t last_row(std::int64_t w) const { return windows_[w].last; }
  /// Rows of more than limits.entries entries.
  const std::vector<index_t>& long_rows() const { return long_rows_; }
  std::int64_t bytes() const;

  /// The share of the entries in some stretches of `a` that lie in units of several rows or in
  /// shifted slices: bundles of others save no loads.
  template <class Offset>
  static double shared_entries(const CsrView<Offset, double>& a, const Limits& limits);
  /// Of a window whose entries have these columns; looks at the first `fetch_sample` of them.
  static Fetch fetch_of(const index_t* columns, std::int64_t entries, Prefetch prefetch);

  /// Rewrites the values: that of entry p of A is value_of(p). `row_ptr` is A's.
  template <class Offset, class ValueOf>
  void set_values(const Offset* row_ptr, ValueOf value_of, int threads);

  /// Readable columns behind the last one that a kernel may prefetch for.
  static constexpr std::int64_t columns_ahead = 64;
  static constexpr std::int64_t fetch_sample = 512;

 private:
  struct Range {
    index_t first{}, last{};  ///< rows
    Fetch fetch{};
    std::int64_t entry{};  ///< place of its values and columns
    std::int64_t entries{};
    std::vector<Bundle> bundles{};
  };

  template <class Offset>
  void place_windows(const CsrView<Offset, double>& a, const Limits& limits);
  template <class Offset>
  void write(const CsrView<Offset, double>& a, const Limits& limits, std::int64_t w);

  std::vector<Range> windows_;
  std::vector<index_t> long_rows_;
  Buffer<index_t> first_row_;  // [rows]: of the units of window w from first_row(w) on
  Buffer<index_t> columns_;    // [entries of all windows, each rounded up, + columns_ahead]
  Buffer<double> values_;
};

}  // namespace sparserepro::csr_blocks
