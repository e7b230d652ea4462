// Properties of matrices and graphs, computed directly.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/csr.hpp"

namespace sparserepro::testing {

template <class Offset, class Value>
bool rows_strictly_ascend(const Csr<Offset, Value>& a) {
  for (index_t i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_ptr[i] + 1; p < a.row_ptr[i + 1]; ++p) {
      if (a.col_idx[p] <= a.col_idx[p - 1]) {
        return false;
      }
    }
  }
  return true;
}

/// Position of entry (i, j), or -1. Requires ascending rows.
template <class Offset, class Value>
std::int64_t find_entry(const Csr<Offset, Value>& a, index_t i, index_t j) {
  const auto first = a.col_idx.begin() + a.row_ptr[i], last = a.col_idx.begin() + a.row_ptr[i + 1];
  const auto found = std::lower_bound(first, last, j);
  return found != last && *found == j ? found - a.col_idx.begin() : -1;
}

/// Whether the matrix is square and has entry (j, i) for each entry (i, j). Requires ascending
/// rows.
template <class Offset, class Value>
bool pattern_symmetric(const Csr<Offset, Value>& a) {
  for (index_t i = 0; a.rows == a.cols && i < a.rows; ++i) {
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      if (find_entry(a, a.col_idx[p], i) < 0) {
        return false;
      }
    }
  }
  return a.rows == a.cols;
}

template <class Offset, class Value>
bool has_loops(const Csr<Offset, Value>& a) {
  for (index_t i = 0; i < std::min(a.rows, a.cols); ++i) {
    const auto first = a.col_idx.begin() + a.row_ptr[i];
    const auto last = a.col_idx.begin() + a.row_ptr[i + 1];
    if (std::find(first, last, i) != last) {
      return true;
    }
  }
  return false;
}

/// Whether the pattern is an undirected graph without loops or repeated edges.
template <class Offset, class Value>
bool is_simple_graph(const Csr<Offset, Value>& a) {
  return rows_strictly_ascend(a) && pattern_symmetric(a) && !has_loops(a);
}

/// Number of triangles i < j < k of a simple graph: for each edge (i, j), every k > j of row i is
/// searched in row j.
template <class Offset, class Value>
std::int64_t count_triangles(const Csr<Offset, Value>& a) {
  std::int64_t count = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      for (Offset q = p + 1; a.col_idx[p] > i && q < a.row_ptr[i + 1]; ++q) {
        count += find_entry(a, a.col_idx[p], a.col_idx[q]) >= 0;
      }
    }
  }
  return count;
}

}  // namespace sparserepro::testing
