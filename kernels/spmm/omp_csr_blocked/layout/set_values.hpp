// New values for bundles whose pattern stays: each is written to the place that its layout gives it
// (row_bundles.hpp).
#pragma once

#include <cstdint>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

template <class Offset, class ValueOf>
void RowBundles::set_values(const Offset* row_ptr, ValueOf value_of, int threads) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t w = 0; w < windows(); ++w) {
    const Range& range = windows_[w];
    const index_t* const first_row = first_row_.data() + range.first;
    for (const Bundle& b : range.bundles) {
      const bool slices = b.layout == Layout::shifted || b.layout == Layout::band;
      const index_t lanes = b.layout == Layout::rows ? 1 : b.lanes;
      const index_t units = slices ? b.count * lanes : b.count;
      const std::int64_t of_slice = std::int64_t{b.length} * b.rows * lanes;
      for (index_t u = 0; u < units; ++u) {
        const index_t slice = u / lanes, lane = u % lanes;
        const index_t first = range.first + (slices ? first_row[b.unit + slice] + lane * b.rows
                                                    : first_row[b.unit + u]);
        double* const to = values_.data() + range.entry + b.value + slice * of_slice;
        const std::int64_t step = b.layout == Layout::rows ? 1 : b.rows * lanes;
        for (index_t r = 0; r < b.rows; ++r) {
          const std::int64_t from = row_ptr[first + r];
          double* const row = to + (b.layout == Layout::rows ? r * b.length : r * lanes + lane);
          for (std::int64_t p = 0; p < b.length; ++p) {
            row[p * step] = value_of(from + p);
          }
        }
      }
    }
  }
}

}  // namespace sparserepro::csr_blocks
