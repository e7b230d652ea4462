// Rows of A as they lie, without a copy: parted for the threads, with prefetches of rows of X.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/ceil_div.hpp"
#include "formats/csr.hpp"
#include "formats/partition.hpp"
#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro {

/// Parts of consecutive rows, each with about the same number of entries and rows together. Rows of
/// more entries than that are long: they lie in a part, and are left out of it.
template <class Offset>
class RowParts {
 public:
  RowParts() = default;
  RowParts(const CsrView<Offset, double>& a, std::int64_t most_entries,
           csr_blocks::Prefetch prefetch, int threads) {
    find_long_rows(a, most_entries, threads);
    part_rows(a, most_entries);
    choose_fetches(a, prefetch, threads);
  }

  std::int64_t size() const { return static_cast<std::int64_t>(fetches_.size()); }
  index_t first_row(std::int64_t part) const { return first_rows_[part]; }
  csr_blocks::Fetch fetch(std::int64_t part) const { return fetches_[part]; }
  const std::vector<index_t>& long_rows() const { return long_rows_; }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>((first_rows_.size() + long_rows_.size()) * sizeof(index_t) +
                                     fetches_.size() * sizeof(csr_blocks::Fetch));
  }

  /// Calls visit(first, last) for the rows [first, last) of a part between its long rows.
  template <class Visit>
  void for_each_stretch(std::int64_t part, Visit visit) const {
    const index_t end = first_rows_[part + 1];
    auto next_long = std::lower_bound(long_rows_.begin(), long_rows_.end(), first_rows_[part]);
    for (index_t first = first_rows_[part]; first < end; ++first) {
      const bool is_cut = next_long != long_rows_.end() && *next_long < end;
      const index_t last = is_cut ? *next_long++ : end;
      visit(first, last);
      first = last;
    }
  }

 private:
  void find_long_rows(const CsrView<Offset, double>& a, std::int64_t most_entries, int threads) {
    const auto length = [&](index_t i) -> std::int64_t { return a.row_ptr[i + 1] - a.row_ptr[i]; };
    std::int64_t longest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : longest)
    for (index_t i = 0; i < a.rows; ++i) {
      longest = std::max(longest, length(i));
    }
    for (index_t i = 0; longest > most_entries && i < a.rows; ++i) {
      if (length(i) > most_entries) {
        long_rows_.push_back(i);
      }
    }
  }

  void part_rows(const CsrView<Offset, double>& a, std::int64_t most_entries) {
    const std::int64_t all = std::int64_t{a.nnz} + a.rows;
    const auto parts = static_cast<int>(ceil_div(all, most_entries));
    first_rows_.assign(1, 0);
    for (int part = 1; part <= parts; ++part) {
      const std::int64_t begin = part_begin(all, parts, part);
      index_t low = first_rows_.back(), high = a.rows;
      while (low < high) {
        const index_t middle = low + (high - low) / 2;
        if (std::int64_t{a.row_ptr[middle]} + middle < begin) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      first_rows_.push_back(low);
    }
  }

  /// No prefetch looks behind the columns of A.
  void choose_fetches(const CsrView<Offset, double>& a, csr_blocks::Prefetch prefetch,
                      int threads) {
    using csr_blocks::RowBundles;
    fetches_.assign(first_rows_.size() - 1, csr_blocks::Fetch::none);
    if (prefetch == csr_blocks::Prefetch::none) {
      return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t part = 0; part < size(); ++part) {
      const std::int64_t begin = a.row_ptr[first_rows_[part]],
                         end = a.row_ptr[first_rows_[part + 1]];
      if (begin < end && end + RowBundles::columns_ahead <= a.nnz) {
        fetches_[part] = RowBundles::fetch_of(a.col_idx + begin, end - begin, prefetch);
      }
    }
  }

  std::vector<index_t> first_rows_;         // [size + 1]
  std::vector<csr_blocks::Fetch> fetches_;  // [size] of rows of X
  std::vector<index_t> long_rows_;
};

}  // namespace sparserepro
