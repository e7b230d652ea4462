// Search of all entries for those of one row, as the quadratic methods do. O(nnz) work a row.
#pragma once

#include <cstdint>

#include "formats/coo.hpp"

namespace sparserepro {

/// Number of entries in row i.
inline index_t count_row(const Coo& coo, index_t i) {
  const index_t* const row_idx = coo.row_idx.data();
  const std::int64_t nnz = coo.nnz();
  index_t count = 0;
  for (std::int64_t e = 0; e < nnz; ++e) {
    count += row_idx[e] == i ? 1 : 0;
  }
  return count;
}

/// Writes the entries of row i, in the order of the input, to `col_idx` and `values` [length of row
/// i] and returns their number.
inline index_t gather_row(const Coo& coo, index_t i, index_t* col_idx, double* values) {
  const index_t* const row_idx = coo.row_idx.data();
  const double* const from = coo.pattern() ? nullptr : coo.values.data();
  const std::int64_t nnz = coo.nnz();
  index_t count = 0;
  for (std::int64_t e = 0; e < nnz; ++e) {
    if (row_idx[e] == i) {
      col_idx[count] = coo.col_idx[e];
      values[count] = from == nullptr ? 1.0 : from[e];
      ++count;
    }
  }
  return count;
}

}  // namespace sparserepro
