// Whether a matrix repeats a position.
#pragma once

#include <algorithm>
#include <vector>

#include "formats/available_cores.hpp"
#include "formats/csr.hpp"
#include "formats/region_error.hpp"

namespace sparserepro {

/// Whether some row stores a column twice. O(nnz) where rows ascend.
template <class Offset, class Value>
bool has_duplicates(const CsrView<Offset, Value>& a) {
  bool found = false;
  RegionError error;
#pragma omp parallel for schedule(dynamic, 4096) reduction(|| \
                                                           : found) num_threads(available_cores())
  for (index_t i = 0; i < a.rows; ++i) {
    const index_t* const begin = a.col_idx + a.row_ptr[i];
    const index_t* const end = a.col_idx + a.row_ptr[i + 1];
    if (std::is_sorted(begin, end)) {
      found = found || std::adjacent_find(begin, end) != end;
    } else {
      error.guard([&] {
        std::vector<index_t> row(begin, end);
        std::sort(row.begin(), row.end());
        found = found || std::adjacent_find(row.begin(), row.end()) != row.end();
      });
    }
  }
  error.rethrow();
  return found;
}

}  // namespace sparserepro
