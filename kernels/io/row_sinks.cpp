#include "io/row_sinks.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/huge_pages.hpp"
#include "formats/region_error.hpp"

namespace sparserepro::matrix_market {
namespace {

void sort_row(index_t* cols, double* values, std::int64_t length) {
  std::vector<std::pair<index_t, double>> entries(static_cast<std::size_t>(length));
  for (std::int64_t k = 0; k < length; ++k) {
    entries[k] = {cols[k], values[k]};
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::int64_t k = 0; k < length; ++k) {
    std::tie(cols[k], values[k]) = entries[k];
  }
}

/// A number of row `i` and `begin`; sums of such numbers tell different beginnings apart.
std::uint64_t mixed(std::int64_t i, std::int64_t begin) {
  const std::uint64_t odd = 0x9e3779b97f4a7c15u * (2 * static_cast<std::uint64_t>(i) + 1);
  return (static_cast<std::uint64_t>(begin) ^ (odd >> 32)) * (odd | 1);
}

}  // namespace

RowFiller::RowFiller(index_t rows, index_t cols, const Buffer<std::int64_t>& counts, bool negate)
    : negate_(negate) {
  csr.rows = rows;
  csr.cols = cols;
  csr.row_ptr.resize(static_cast<std::size_t>(rows) + 1);
  csr.row_ptr[0] = 0;
  std::int64_t sum = 0;
  for (index_t i = 0; i < rows; ++i) {
    csr.row_ptr[static_cast<std::size_t>(i) + 1] = sum;
    sum += counts[i];
  }
  // Without the first row, and with the end of the last: what they become when the rows are full.
  for (std::int64_t i = 1; i <= rows; ++i) {
    const std::int64_t begin = i < rows ? csr.row_ptr[i + 1] : sum;
    beginnings_ += mixed(i, begin);
  }
  csr.col_idx.resize(static_cast<std::size_t>(sum));
  csr.values.resize(static_cast<std::size_t>(sum));
  advise_huge_pages(csr.col_idx);
  advise_huge_pages(csr.values);
}

void RowFiller::take(const WindowEntries& window, RowOwner owner, bool mirror) {
  const double* const values = window.values.empty() ? nullptr : window.values.data();
  std::int64_t* const next = csr.row_ptr.data() + 1;
  const std::int64_t nnz = csr.nnz();
  for_each_entry(
      window, owner, mirror,
      [&](index_t row, index_t col, std::size_t p, bool mirrored) {
        const std::int64_t q = next[row]++;
        if (q >= nnz) [[unlikely]] {  // a text that has changed
          overflow_ = true;
          return;
        }
        const double value = values != nullptr ? values[p] : 1.0;
        csr.col_idx[q] = col;
        csr.values[q] = mirrored && negate_ && values != nullptr ? -value : value;
      },
      [&](index_t row) { __builtin_prefetch(next + row, 1); });
}

bool RowFiller::finish(int threads) {
  std::uint64_t ends = 0;
  for (std::int64_t i = 1; i <= csr.rows; ++i) {
    ends += mixed(i, csr.row_ptr[i]);
  }
  if (overflow_ || ends != beginnings_) {
    csr = {};
    return false;
  }
  RegionError error;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
  for (index_t i = 0; i < csr.rows; ++i) {
    const std::int64_t first = csr.row_ptr[i];
    const std::int64_t length = csr.row_ptr[static_cast<std::size_t>(i) + 1] - first;
    index_t* const begin = csr.col_idx.data() + first;
    if (!std::is_sorted(begin, begin + length)) {
      error.guard([&] { sort_row(begin, csr.values.data() + first, length); });
    }
  }
  error.rethrow();
  return true;
}

}  // namespace sparserepro::matrix_market
