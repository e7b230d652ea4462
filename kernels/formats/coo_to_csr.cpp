// Stable counting sort by row in parallel: each part of the entries has its own counts of the rows,
// so parts scatter without a lock, and each to places behind those of the parts before it.
// Work O(nnz + rows); the counts take at most 16 bytes per entry besides those of one part.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/available_cores.hpp"
#include "formats/huge_pages.hpp"
#include "formats/matrix.hpp"
#include "formats/partition.hpp"
#include "formats/region_error.hpp"

namespace sparserepro {
namespace {

/// Entries below which a further part costs more than it saves.
constexpr std::int64_t least_part = 1 << 15;

/// Sorts one row by column, duplicates in the order in which they are.
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

}  // namespace

Csr<std::int64_t, double> coo_to_csr(const Coo& coo, int threads) {
  const std::int64_t nnz = coo.nnz();
  const std::int64_t rows = coo.rows;
  Csr<std::int64_t, double> out(coo.rows, coo.cols, nnz);
  std::int64_t* const row_ptr = out.row_ptr.data();

  const std::int64_t most_parts = std::min(nnz / least_part, 2 * nnz / (rows + 1));
  const std::int64_t parts =
      std::clamp<std::int64_t>(threads > 0 ? threads : available_cores(), 1, 1 + most_parts);
  threads = static_cast<int>(parts);
  // [parts][rows]: entries of each part in each row, then the place of its next one.
  Buffer<std::int64_t> next;
  next.resize(static_cast<std::size_t>(parts * rows));
  advise_huge_pages(next);

#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    std::int64_t* const count = next.data() + part * rows;
    std::fill(count, count + rows, 0);
    for (auto p = part_begin(nnz, parts, part); p < part_begin(nnz, parts, part + 1); ++p) {
      ++count[coo.row_idx[p]];
    }
  }

  std::vector<std::int64_t> sums(static_cast<std::size_t>(parts) + 1, 0);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::int64_t block = 0; block < parts; ++block) {
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t* const count = next.data() + part * rows;
      sums[block + 1] =
          std::accumulate(count + part_begin(rows, parts, block),
                          count + part_begin(rows, parts, block + 1), sums[block + 1]);
    }
  }
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  row_ptr[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::int64_t block = 0; block < parts; ++block) {
    std::int64_t sum = sums[block];
    for (auto i = part_begin(rows, parts, block); i < part_begin(rows, parts, block + 1); ++i) {
      for (std::int64_t part = 0; part < parts; ++part) {
        sum += std::exchange(next[part * rows + i], sum);
      }
      row_ptr[i + 1] = sum;
    }
  }

  const double* const values = coo.values.empty() ? nullptr : coo.values.data();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    std::int64_t* const place = next.data() + part * rows;
    for (auto p = part_begin(nnz, parts, part); p < part_begin(nnz, parts, part + 1); ++p) {
      const std::int64_t q = place[coo.row_idx[p]]++;
      out.col_idx[q] = coo.col_idx[p];
      out.values[q] = values != nullptr ? values[p] : 1.0;
    }
  }

  RegionError error;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
  for (std::int64_t i = 0; i < rows; ++i) {
    index_t* const begin = out.col_idx.data() + row_ptr[i];
    index_t* const end = out.col_idx.data() + row_ptr[i + 1];
    if (!std::is_sorted(begin, end)) {
      error.guard([&] { sort_row(begin, out.values.data() + row_ptr[i], end - begin); });
    }
  }
  error.rethrow();
  return out;
}

}  // namespace sparserepro
