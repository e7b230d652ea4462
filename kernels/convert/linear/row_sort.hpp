// Stable counting sort of coordinates by row, without locks or atomics. Thread t of p owns slice t
// of the entries and range t of the rows.
//
//   count    cursor[t][i] = entries of row i in slice t
//   sum      length(i) = sum over t of cursor[t][i]
//   place    cursor[t][i] = begin(i) + sum over s < t of cursor[s][i]
//   scatter  entry e of slice t goes to cursor[t][row(e)]++
//
// Every thread calls every step, with a barrier after each. In each row the entries of slice s
// precede those of slice s + 1: the sort is stable, and the answer does not depend on p.
// O(nnz + p rows) work. Source: ScanTrans (Wang, Liu, Hou, Feng, ICS'16, section 4.1), with rows in
// place of columns; running cursors replace its array of nnz positions within slices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/coo.hpp"
#include "formats/partition.hpp"

namespace sparserepro {

/// The four steps of the sort, and their cursors [threads * rows].
class RowSort {
 public:
  RowSort(const Coo& coo, int threads)
      : coo_(coo),
        cursor_(static_cast<std::size_t>(threads) * static_cast<std::size_t>(coo.rows)),
        range_(static_cast<std::size_t>(threads)) {}

  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(cursor_.size() * sizeof(std::int64_t) +
                                     range_.size() * sizeof(Range));
  }

  /// Step `count` of thread t.
  void count(int p, int t) {
    std::int64_t* const mine = cursors(t);
    std::fill_n(mine, coo_.rows, std::int64_t{0});
    const index_t* const row_idx = coo_.row_idx.data();
    const std::int64_t end = part_begin(coo_.nnz(), p, t + 1);
    for (std::int64_t e = part_begin(coo_.nnz(), p, t); e < end; ++e) {
      ++mine[row_idx[e]];
    }
  }

  /// Step `sum` of thread t. Calls `take_length(i, length)` for each row i of range t.
  template <class TakeLength>
  void sum(int p, int t, TakeLength take_length) {
    Range range;
    const auto last = row_begin(p, t + 1);
    for (index_t i = row_begin(p, t); i < last; ++i) {
      std::int64_t length = 0;
      for (int s = 0; s < p; ++s) {
        length += cursors(s)[i];
      }
      range.entries += length;
      range.longest = std::max(range.longest, static_cast<index_t>(length));
      take_length(i, static_cast<index_t>(length));
    }
    range_[t] = range;
  }

  /// Length of the longest row. Requires `sum` of all threads.
  index_t longest(int p) const {
    index_t longest = 0;
    for (int t = 0; t < p; ++t) {
      longest = std::max(longest, range_[t].longest);
    }
    return longest;
  }

  /// Step `place` of thread t. `begin(i, before)` returns the position of the first entry of row i;
  /// `before` is the number of entries in the rows before it.
  template <class Begin>
  void place(int p, int t, Begin begin) {
    std::int64_t before = 0;
    for (int s = 0; s < t; ++s) {
      before += range_[s].entries;
    }
    const auto last = row_begin(p, t + 1);
    for (index_t i = row_begin(p, t); i < last; ++i) {
      const std::int64_t first = begin(i, before);
      std::int64_t position = first;
      for (int s = 0; s < p; ++s) {
        const std::int64_t length = cursors(s)[i];
        cursors(s)[i] = position;
        position += length;
      }
      before += position - first;
    }
  }

  /// Step `scatter` of thread t. The entries of a pattern get the value 1.
  void scatter(int p, int t, index_t* col_idx, double* values) {
    std::int64_t* const next = cursors(t);
    const index_t* const from_row = coo_.row_idx.data();
    const index_t* const from_col = coo_.col_idx.data();
    const double* const from = coo_.pattern() ? nullptr : coo_.values.data();
    const std::int64_t end = part_begin(coo_.nnz(), p, t + 1);
    for (std::int64_t e = part_begin(coo_.nnz(), p, t); e < end; ++e) {
      const std::int64_t q = next[from_row[e]]++;
      col_idx[q] = from_col[e];
      values[q] = from == nullptr ? 1.0 : from[e];
    }
  }

  /// First row of range t.
  index_t row_begin(int p, int t) const {
    return static_cast<index_t>(part_begin(coo_.rows, p, t));
  }

 private:
  // Totals of one range of rows; each lies in its own cache line.
  struct alignas(64) Range {
    std::int64_t entries = 0;
    index_t longest = 0;
  };

  std::int64_t* cursors(int t) {
    return cursor_.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(coo_.rows);
  }

  const Coo& coo_;
  Buffer<std::int64_t> cursor_;  // [threads * rows]
  Buffer<Range> range_;          // [threads]
};

}  // namespace sparserepro
