#include "formats/statistics/matrix_stats.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "formats/available_cores.hpp"

namespace sparserepro {
namespace {

/// Order statistic `rank` (from 0) of the lengths, of which `count[k]` are k.
std::int64_t order_statistic(const std::vector<std::int64_t>& count, std::int64_t rank) {
  std::size_t length = 0;
  for (; rank >= count[length]; ++length) {
    rank -= count[length];
  }
  return static_cast<std::int64_t>(length);
}

/// The value at position q (n - 1) of the n sorted lengths, between neighbours by proportion.
double quantile(const std::vector<std::int64_t>& count, std::int64_t n, double q) {
  const double position = q * static_cast<double>(n - 1);
  const auto rank = static_cast<std::int64_t>(position);
  const auto low = static_cast<double>(order_statistic(count, rank));
  const auto high = static_cast<double>(order_statistic(count, std::min(rank + 1, n - 1)));
  return low + (position - static_cast<double>(rank)) * (high - low);
}

/// Entries of each column.
std::vector<std::int64_t> column_lengths(const Csr<std::int64_t, double>& a, int threads) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(a.cols), 0);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t p = 0; p < a.nnz(); ++p) {
    std::atomic_ref(lengths[a.col_idx[p]]).fetch_add(1, std::memory_order_relaxed);
  }
  return lengths;
}

/// Whether every stored (i, j) has its (j, i): row j is searched for column i.
bool is_pattern_symmetric(const Csr<std::int64_t, double>& a, int threads) {
  if (a.rows != a.cols) {
    return false;
  }
  std::atomic<bool> symmetric{true};
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
  for (index_t i = 0; i < a.rows; ++i) {
    if (!symmetric.load(std::memory_order_relaxed)) {
      continue;
    }
    for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      const index_t j = a.col_idx[p];
      if (!std::binary_search(a.col_idx.begin() + a.row_ptr[j],
                              a.col_idx.begin() + a.row_ptr[j + 1], i)) {
        symmetric.store(false, std::memory_order_relaxed);
        break;
      }
    }
  }
  return symmetric;
}

}  // namespace

LengthSummary summarise_lengths(const std::vector<std::int64_t>& lengths) {
  LengthSummary summary;
  if (lengths.empty()) {
    return summary;
  }
  const auto n = static_cast<std::int64_t>(lengths.size());
  const auto [min, max] = std::minmax_element(lengths.begin(), lengths.end());
  summary.min = *min;
  summary.max = *max;
  std::vector<std::int64_t> count(static_cast<std::size_t>(*max) + 1, 0);
  for (const std::int64_t length : lengths) {
    ++count[length];
  }
  summary.empty = count[0];
  summary.q1 = quantile(count, n, 0.25);
  summary.median = quantile(count, n, 0.5);
  summary.q3 = quantile(count, n, 0.75);

  std::int64_t sum = 0;
  for (std::size_t length = 0; length < count.size(); ++length) {
    sum += static_cast<std::int64_t>(length) * count[length];
  }
  summary.mean = static_cast<double>(sum) / static_cast<double>(n);
  double squares = 0;
  for (std::size_t length = 0; length < count.size(); ++length) {
    const double deviation = static_cast<double>(length) - summary.mean;
    squares += deviation * deviation * static_cast<double>(count[length]);
  }
  summary.stddev = std::sqrt(squares / static_cast<double>(n));

  const auto bin_of = [](std::uint64_t length) { return static_cast<int>(std::bit_width(length)); };
  for (int bin = 0; bin <= bin_of(static_cast<std::uint64_t>(summary.max)); ++bin) {
    const std::int64_t to = (std::int64_t{1} << bin) - 1;
    summary.histogram.push_back({bin == 0 ? 0 : (to + 1) / 2, to, 0});
  }
  for (std::size_t length = 0; length < count.size(); ++length) {
    summary.histogram[bin_of(length)].count += count[length];
  }
  return summary;
}

MatrixStats matrix_stats(const Csr<std::int64_t, double>& a, int threads) {
  threads = threads > 0 ? threads : available_cores();
  MatrixStats stats;
  std::vector<std::int64_t> row_lengths(static_cast<std::size_t>(a.rows));
  std::int64_t duplicates = 0;
  std::int64_t bandwidth = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) reduction(+ : duplicates) \
    reduction(max : bandwidth)
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const std::int64_t begin = a.row_ptr[i];
    const std::int64_t end = a.row_ptr[i + 1];
    row_lengths[i] = end - begin;
    for (std::int64_t p = begin; p < end; ++p) {
      duplicates += p > begin && a.col_idx[p] == a.col_idx[p - 1];
      bandwidth = std::max(bandwidth, std::abs(i - a.col_idx[p]));
    }
  }
  stats.row_length = summarise_lengths(row_lengths);
  stats.col_length = summarise_lengths(column_lengths(a, threads));
  stats.duplicates = duplicates;
  stats.bandwidth = bandwidth;
  if (a.nnz() > 0) {
    stats.padding_factor = static_cast<double>(a.rows) * static_cast<double>(stats.row_length.max) /
                           static_cast<double>(a.nnz());
  }
  stats.pattern_symmetric = is_pattern_symmetric(a, threads);
  return stats;
}

}  // namespace sparserepro
