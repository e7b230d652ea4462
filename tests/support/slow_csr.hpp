// CSR by a stable sort of coordinates: what the reader's matrices are compared with.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "formats/coo.hpp"
#include "formats/csr.hpp"

namespace sparserepro::testing {

/// Sorted by row and column, duplicates in order; a pattern gets ones.
inline Csr<std::int64_t, double> slow_csr(const Coo& coo) {
  std::vector<std::size_t> order(coo.row_idx.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(coo.row_idx[a], coo.col_idx[a]) < std::pair(coo.row_idx[b], coo.col_idx[b]);
  });
  Csr<std::int64_t, double> out(coo.rows, coo.cols, 0);
  std::fill(out.row_ptr.begin(), out.row_ptr.end(), 0);
  for (const std::size_t p : order) {
    ++out.row_ptr[coo.row_idx[p] + 1];
    out.col_idx.push_back(coo.col_idx[p]);
    out.values.push_back(coo.values.empty() ? 1.0 : coo.values[p]);
  }
  std::partial_sum(out.row_ptr.begin(), out.row_ptr.end(), out.row_ptr.begin());
  return out;
}

}  // namespace sparserepro::testing
