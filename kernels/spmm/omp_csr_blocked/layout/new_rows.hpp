// Which rows of X the entries of a window meet that the caches do not hold, by models of small
// direct-mapped caches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/types.hpp"

namespace sparserepro::csr_blocks {

/// Entries that miss a cache of 4096 rows of X, and of these the ones that do not follow a row
/// which is there.
struct Misses {
  std::int64_t all{}, scattered{};
};

inline Misses misses_of(const index_t* columns, std::int64_t count) {
  constexpr index_t size = 4096;
  index_t cache[size];
  std::fill_n(cache, size, -1);
  Misses misses;
  for (std::int64_t p = 0; p < count; ++p) {
    const index_t column = columns[p];
    index_t& at = cache[column % size];
    if (at != column) {
      ++misses.all;
      misses.scattered += column == 0 || cache[(column - 1) % size] != column - 1;
      at = column;
    }
  }
  return misses;
}

/// Of windows that follow each other: rows of X, or lines of several, that have left the L2 cache
/// or never were there.
class NewRows {
 public:
  explicit NewRows(std::int64_t row_bytes)
      : row_bytes_(row_bytes),
        unit_bytes_(std::max(row_bytes, line_bytes)),
        cache_(std::bit_floor(static_cast<std::uint64_t>(
                   std::max<std::int64_t>(1, cache_bytes / unit_bytes_))),
               -1) {}

  /// In the order in which the entries meet them. 1.5 MiB, and sorted, are no better.
  std::vector<index_t> of(const index_t* columns, std::int64_t count) {
    std::vector<index_t> rows;
    const std::size_t last_place = cache_.size() - 1;
    for (std::int64_t p = 0; p < count; ++p) {
      const std::int64_t unit =
          row_bytes_ < line_bytes ? columns[p] * row_bytes_ / line_bytes : columns[p];
      std::int64_t& at = cache_[static_cast<std::size_t>(unit) & last_place];
      if (at != unit) {
        rows.push_back(columns[p]);
        at = unit;
      }
    }
    return rows;
  }

  /// Whether it pays to ask for `rows` rows alone before `count` entries: they are few, take as
  /// long as the entries' values at least (less: 0.98 on FEM at K = 3 to 8, 0.91 to 1.08 on
  /// stencil and circuit at 3 and 4), and there is an entry beside each line (else 0.94 to 1 on
  /// these at 64).
  bool pays(std::int64_t rows, std::int64_t count) const {
    const auto value_bytes = static_cast<std::int64_t>(count * sizeof(double));
    const std::int64_t x_bytes = rows * unit_bytes_;
    return 3 * rows <= count && x_bytes >= value_bytes && x_bytes <= line_bytes * count;
  }

  void forget() { std::fill(cache_.begin(), cache_.end(), -1); }

 private:
  static constexpr std::int64_t line_bytes = 64, cache_bytes = 1 << 20;
  std::int64_t row_bytes_, unit_bytes_;
  std::vector<std::int64_t> cache_;  // the unit in each place, or -1
};

}  // namespace sparserepro::csr_blocks
