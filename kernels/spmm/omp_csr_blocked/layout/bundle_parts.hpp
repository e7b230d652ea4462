// Parts of a window for several threads: some of its slices each, so that the order of a row's sum
// stays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// The bundles in groups of about `most` entries, a row more than its entries.
inline std::vector<std::vector<Bundle>> parts_of(const std::vector<Bundle>& bundles,
                                                 std::int64_t most) {
  std::vector<std::vector<Bundle>> parts;
  std::int64_t room = 0;
  for (const Bundle& b : bundles) {
    const bool shifted = b.layout == Layout::shifted || b.layout == Layout::band;
    const index_t units = b.layout == Layout::lanes ? b.lanes : 1;  // that count for a slice
    const std::int64_t rows = std::int64_t{b.rows} * (b.layout == Layout::rows ? 1 : b.lanes);
    const std::int64_t columns = b.layout == Layout::band ? 1
                                 : shifted                ? b.length
                                                          : std::int64_t{b.length} * units;
    const std::int64_t weight = rows * (b.length + 1);
    for (index_t slice = 0; slice < b.count / units;) {
      if (room <= 0) {
        parts.emplace_back();
        room = most;
      }
      const auto slices = static_cast<index_t>(
          std::min<std::int64_t>(b.count / units - slice, (room + weight - 1) / weight));
      Bundle part = b;
      part.count = slices * units;
      part.unit += slice * units;
      part.value += slice * rows * b.length;
      part.column += slice * columns;
      parts.back().push_back(part);
      slice += slices;
      room -= slices * weight;
    }
  }
  return parts;
}

}  // namespace sparserepro::csr_blocks
