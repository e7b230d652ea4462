// Products of ELLPACK on one thread, with and without padding.
#pragma once

#include <cstdint>

#include "formats/dense.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// Y = A X, one element of Y after the other. `begin_of(i)` is the slot of the first entry of row
/// i.
template <class Ell, class BeginOf>
void multiply_rows(const Ell& a, const Dense& x_matrix, Dense& y_matrix, BeginOf begin_of) {
  const index_t* const col_idx = a.col_idx.data();
  const double* const values = a.values.data();
  const double* const x = x_matrix.data.data();
  double* const y = y_matrix.data.data();
  const std::int64_t k = x_matrix.cols;
  for (index_t i = 0; i < a.rows; ++i) {
    const std::int64_t begin = begin_of(i);
    const std::int64_t end = begin + a.row_length[i];
    for (std::int64_t z = 0; z < k; ++z) {
      double partial_sum = 0.0;
      for (std::int64_t p = begin; p < end; ++p) {
        partial_sum += values[p] * x[col_idx[p] * k + z];
      }
      y[i * k + z] = partial_sum;
    }
  }
}

}  // namespace sparserepro
