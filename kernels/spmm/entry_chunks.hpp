// Chunks of about equal work in a CSR matrix. Entry p of row i stands at position
// p + row_cost (i + 1), and chunk c takes the positions from c size to (c + 1) size; a row that is
// not longer than a chunk stays whole, in the chunk in which it begins to be cut. The cuts depend
// on the matrix and `size` alone, so that sums do not depend on the threads.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "core/csr.hpp"

namespace sparserepro {

/// Between two entries: behind the first `entry` entries of row `row`.
struct Cut {
  index_t row{};
  std::int64_t entry{};
  friend auto operator<=>(const Cut&, const Cut&) = default;
};

template <class Offset>
class EntryChunks {
 public:
  /// What a row costs beside its entries, in entries.
  static constexpr std::int64_t row_cost = 3;

  EntryChunks() = default;
  /// Chunks of at least `least` positions, and at most `most` of them.
  EntryChunks(const CsrView<Offset, double>& a, std::int64_t least, std::int64_t most)
      : row_ptr_(a.row_ptr), rows_(a.rows) {
    const std::int64_t positions = a.nnz + row_cost * a.rows;
    size_ = std::max(least, (positions + most - 1) / most);
    count_ = (positions + size_ - 1) / size_;
  }

  std::int64_t count() const { return count_; }

  /// Where chunk c begins; chunk count() begins at {rows, 0}.
  Cut begin(std::int64_t c) const {
    const std::int64_t position = c * size_;
    index_t low = 0;  // the row in which `position` lies
    index_t high = rows_;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (row_position(middle + 1) <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == rows_ || row_ptr_[low + 1] - row_ptr_[low] <= size_) {
      return {low, 0};
    }
    return {low, std::max<std::int64_t>(0, position - row_position(low) - row_cost)};
  }

 private:
  std::int64_t row_position(index_t i) const { return row_ptr_[i] + row_cost * std::int64_t{i}; }

  const Offset* row_ptr_{};
  index_t rows_{};
  std::int64_t size_{1};
  std::int64_t count_{};
};

}  // namespace sparserepro
