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
// A strip of rows that meets the same rows of X again and again, but far apart, is parted by blocks
// of columns (column_blocks.hpp). Each block is a window of those rows that have entries in it, and
// adds to Y what the blocks before it have left there.
//
// Where threads have few windows, these are split into parts, tasks of their own that have some of
// a window's slices each.
//
// Rows that are too long for a window are left out. Where strips end and how windows are split
// depends on the number of threads, in which order a row is added up on the matrix and the limits
// alone.
//
// Source: this project; blocks of columns as in cache blocking (Im, Yelick, Vuduc, IJHPCA 18(1),
// 2004); rows by length as in SELL-C-sigma (Kreutzer et al., SISC 36(5), 2014), with
// classes of equal length in place of padding.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/buffer.hpp"
#include "formats/csr.hpp"

namespace sparserepro::csr_blocks {

enum class Layout : std::uint8_t { rows, lanes, shifted, band };

/// Units of a slice, by the rows of a unit less one.
using SliceLanes = std::array<index_t, 3>;

/// Windows whose rows of X are prefetched entry by entry, unless listed: those in which many
/// entries meet a row of X that no entry near them has met (new_rows), nor the row before it
/// (scattered_rows); or all.
enum class Prefetch : std::uint8_t { none, new_rows, scattered_rows, all };

/// Of the rows of X in a window. far: many entries meet one that no entry near them has met, nor
/// the row before it. listed: those alone that are not in the L2 cache, while the window before
/// goes by.
enum class Fetch : std::uint8_t { none, near, far, listed };

struct Bundle {
  Layout layout{};
  std::uint8_t rows{};   ///< of a unit
  std::uint8_t lanes{};  ///< units of a slice; where there is one column, the last may have fewer
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
  std::int64_t entries{};
  Fetch fetch{};
  const index_t* later_rows{};  ///< Fetch::listed: rows of X that the next window meets first
  std::int64_t later_count{};
  bool in_order{};  ///< the order of a row's sum does not depend on the other rows
  bool no_pack{};
  bool add{};  ///< to Y, which an earlier window of the same rows has written

  /// Those of the bundle are at least `least_followed` and mostly follow each other.
  bool rows_follow(const Bundle& bundle) const;
  static constexpr index_t least_followed = 8;
};

/// Tricks to force off one at a time.
struct Without {
  bool slices{}, shifted{}, band{}, units{}, listed{}, fetch{}, far{}, split{}, order{}, stream{},
      pack{}, aligned{}, unit_windows{}, shares{}, rest{}, strips{};
  bool force_strips{}, small{};
};

class NewRows;

class RowBundles {
 public:
  /// Strips of consecutive rows that may be parted by blocks of columns.
  struct Blocks {
    index_t columns{};      ///< of a block; 0: no blocks
    index_t strip_rows{};   ///< most rows of a strip
    double least_spared{};  ///< ColumnBlocks::spared_loads of a sample of strips, for each of their
                            ///< entries, from which on all are parted
  };
  struct Limits {
    bool one_column{};       ///< of X
    SliceLanes lanes{};      ///< 1: all in Layout::rows
    index_t window_rows{};   ///< most rows of a window
    std::int64_t entries{};  ///< most entries of a window, and of a row in it
    std::int64_t x_row_bytes{};
    Prefetch prefetch{};
    Blocks blocks{};
    std::int64_t least_listed{};  ///< tasks from which on rows of X are listed: with fewer,
                                  ///< threads take too few windows that follow each other
    index_t aligned_rows{1};      ///< windows, and shifted slices of single rows where more than
                                  ///< one follow each other, begin at multiples of it, for the
                                  ///< sake of whole vectors of Y
    Without without{};
    std::int64_t least_part{};  ///< entries of a part of a window from which on windows are
                                ///< split where threads have few of them; 0: never
  };

  RowBundles() = default;
  template <class Offset>
  RowBundles(const CsrView<Offset, double>& a, const Limits& limits, int threads);

  std::int64_t windows() const { return static_cast<std::int64_t>(windows_.size()); }
  Window window(std::int64_t w) const;
  /// Task t is the windows first_window(t), ..., first_window(t + 1) - 1 of the same rows, in this
  /// order.
  std::int64_t tasks() const { return static_cast<std::int64_t>(task_begin_.size()) - 1; }
  std::int64_t first_window(std::int64_t t) const { return task_begin_[t]; }
  index_t first_row(std::int64_t w) const { return windows_[w].first; }
  index_t last_row(std::int64_t w) const { return windows_[w].last; }
  /// Rows of more than limits.entries entries.
  const std::vector<index_t>& long_rows() const { return long_rows_; }
  std::int64_t bytes() const;

  /// Readable columns behind the last one that a kernel may prefetch for.
  static constexpr std::int64_t columns_ahead = 64;

 private:
  struct Range {
    index_t first{}, last{};  ///< rows
    bool parted{}, add{};     ///< one block of a strip, and not its first
    Fetch fetch{};
    std::int64_t entry{}, unit{};  ///< places of its values and columns, and of its first rows
    std::int64_t entries{};
    std::vector<Bundle> bundles{};
    std::vector<index_t> new_rows{};  ///< of X, if listed
  };

  template <class Offset>
  void place_windows(const CsrView<Offset, double>& a, const Limits& limits, int threads);
  void split_windows(std::int64_t least_part, std::int64_t most_tasks);
  static Fetch fetch_of(Range& range, const index_t* columns, Prefetch prefetch, NewRows* new_rows);
  template <class Writer>
  void write(Writer writer, const Limits& limits, std::int64_t w);

  std::vector<Range> windows_;
  bool no_pack_{};
  std::vector<std::int64_t> task_begin_{0};  // [tasks + 1]
  std::vector<index_t> long_rows_;
  Buffer<index_t> first_row_;  // [units of all windows, or more]
  Buffer<index_t> columns_;    // [entries of all windows, each rounded up, + columns_ahead]
  Buffer<double> values_;
};

}  // namespace sparserepro::csr_blocks
