// Rows of X that are asked for before a window's products come to them.
#pragma once

#include <cstdint>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// Rows of X of a tile of columns.
template <int bytes>
struct RowFetch {
  static constexpr int line_bytes = 64;

  /// Rows of X of 256 bytes or more that are met from afar wait in the L2 cache, so that more of
  /// them are under way: 1.2 to 1.27 (K = 32) on 3 entries a row, in small pages, 0.94 to 1.05 on
  /// others. Those met again nearby do not: 0.89 (FEM, K = 32), 0.9 (stencil, K = 64). Rows of
  /// 128 bytes: 1.05 (3 a row), 0.96 (R-MAT).
  static constexpr Fetch far = bytes < 256 ? Fetch::near : Fetch::far;

  /// Entries from a load of X back to its prefetch.
  static constexpr int ahead_of(Fetch fetch) {
    return bytes <= 64 ? 64 : bytes <= 128 ? 32 : fetch == Fetch::near ? 16 : bytes < 512 ? 32 : 64;
  }
  static_assert(ahead_of(far) <= RowBundles::columns_ahead);

  /// Whether that of each entry is asked for.
  template <Fetch how>
  static constexpr bool of_entry = how == Fetch::near || how == Fetch::far;

  /// The row of X at x[later], which may lie behind X.
  template <Fetch how>
  [[gnu::always_inline]] static void fetch(const double* x, std::int64_t later = 0) {
    if constexpr (of_entry<how>) {
      const auto from = reinterpret_cast<std::uintptr_t>(x) + later * sizeof(double);
#pragma GCC unroll 8
      for (int byte = 0; byte < bytes; byte += line_bytes) {
        __builtin_prefetch(reinterpret_cast<const void*>(from + byte), 0,
                           how == Fetch::near ? 3 : 2);
      }
    }
  }
};

/// Fetch::listed: the rows that the next window meets first, a few lines beside each step, into
/// the L2 cache. The processor has few places for lines under way, so that all lines of a row at
/// once keep the products from X that is there: 0.87 to 0.97 (FEM, K = 32 and 64).
template <int bytes>
class LaterRows {
 public:
  LaterRows() = default;
  LaterRows(const Window& window, const double* x, std::int64_t k)
      : next_(window.later_rows),
        end_(window.later_rows + window.later_count),
        count_(window.later_count),
        entries_(window.entries),
        x_(x),
        k_(k) {}

  /// Lines beside a step of so many of the window's entries.
  int lines_beside(std::int64_t entries) const {
    return entries_ == 0
               ? 0
               : static_cast<int>((entries * count_ * row_lines + entries_ - 1) / entries_);
  }

  [[gnu::always_inline]] void fetch(int lines) {
    for (int i = 0; i < lines; ++i, ++line_, line_address_ += line_bytes) {
      if (line_ == row_lines) {
        if (next_ == end_) {
          return;
        }
        line_ = 0;
        line_address_ = reinterpret_cast<std::uintptr_t>(x_ + *next_++ * k_);
      }
      __builtin_prefetch(reinterpret_cast<const void*>(line_address_), 0, 2);
    }
  }

 private:
  static constexpr int line_bytes = RowFetch<bytes>::line_bytes;
  static constexpr int row_lines = (bytes + line_bytes - 1) / line_bytes;
  const index_t* next_{};
  const index_t* end_{};
  std::int64_t count_{}, entries_{};
  const double* x_{};
  std::int64_t k_{};
  std::uintptr_t line_address_{};
  int line_ = row_lines;  // of the latest row
};

}  // namespace sparserepro::csr_blocks
