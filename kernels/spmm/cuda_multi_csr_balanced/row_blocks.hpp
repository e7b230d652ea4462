// The blocks of successive rows that the ranks take. Compiles without CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sparserepro {

/// Bounds of `ranks` blocks of rows [ranks + 1], ascending, from 0 to `rows`: rank r takes the rows
/// from bounds[r] to bounds[r + 1]. Block r ends with the first row at which entries and rows
/// together reach (r + 1) / ranks of all: an entry reads a row of X, a row writes one of Y. So a
/// block exceeds its share by less than one row. `row_ptr` [rows + 1] begins with 0.
template <class Offset>
std::vector<std::int64_t> row_blocks(const Offset* row_ptr, std::int64_t rows, int ranks) {
  const auto work = [&](std::int64_t row) { return static_cast<std::int64_t>(row_ptr[row]) + row; };
  std::vector<std::int64_t> bounds{0};
  for (int rank = 1; rank < ranks; ++rank) {
    // In whole and rest, so that no product overflows.
    const std::int64_t share = work(rows) / ranks * rank + work(rows) % ranks * rank / ranks;
    std::int64_t low = bounds.back(), high = rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (work(middle) < share) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    bounds.push_back(low);
  }
  bounds.push_back(rows);
  return bounds;
}

/// Successive numbers from `first` to before `end`.
struct Interval {
  std::int64_t first = 0, end = 0;
  std::int64_t size() const { return end - first; }
};

/// Rows of X that each rank holds before an exchange; the last ranks have fewer where the rows end.
inline std::int64_t rows_of_share(std::int64_t x_rows, int ranks) {
  return (x_rows + ranks - 1) / ranks;
}

}  // namespace sparserepro
