// What holds for every CSR matrix that the project makes.
#pragma once

#include <cstdint>

#include "formats/csr.hpp"
#include "fuzz/targets.hpp"

namespace sparserepro::fuzz {

/// Throws Broken unless the arrays fit each other and columns lie in the matrix; with `distinct`
/// they ascend strictly in each row.
inline void require_valid(const Csr<std::int64_t, double>& a, bool distinct) {
  require(a.row_ptr.size() == static_cast<std::size_t>(a.rows) + 1 && a.row_ptr.front() == 0,
          "row pointers begin with 0, one more than rows");
  require(a.row_ptr.back() == static_cast<std::int64_t>(a.col_idx.size()) &&
              a.values.size() == a.col_idx.size(),
          "as many columns and values as the last row pointer says");
  for (index_t i = 0; i < a.rows; ++i) {
    require(a.row_ptr[i] <= a.row_ptr[i + 1], "row pointers ascend");
    for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      require(0 <= a.col_idx[p] && a.col_idx[p] < a.cols, "columns lie in the matrix");
      require(!distinct || p == a.row_ptr[i] || a.col_idx[p - 1] < a.col_idx[p],
              "columns of a row ascend and are distinct");
    }
  }
}

}  // namespace sparserepro::fuzz
