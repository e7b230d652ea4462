// What the rules of paths.hpp look at: a matrix by its statistics, and K.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spmm/cuda_csr_balanced/plan/policy.hpp"
#include "spmm/cuda_csr_balanced/plan/row_statistics.hpp"

namespace sparserepro {

/// The share part / whole; 0 of nothing.
inline double share(unsigned long long part, unsigned long long whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Mean distance from the diagonal of the entries of a band.
inline double mean_distance(const RowStatistics::Band& band) {
  return share(band.distances, band.entries);
}

/// Share of the entries whose column the row before has.
inline double repeated_share(const RowStatistics& statistics) {
  return share(statistics.repeated_entries, statistics.sampled_entries);
}

/// Whether neighbouring rows share columns.
inline bool repeats_columns(const RowStatistics& statistics) {
  return repeated_share(statistics) > BalancedPolicy::least_repeated;
}

/// Whether the entries of a near one are a small part of the columns.
inline bool is_near_band(const RowStatistics& statistics, bool far, std::int64_t cols) {
  return !far && 8 * mean_distance(statistics.near) < static_cast<double>(cols);
}

/// Whether the entries of a far matrix are a band that is wide and yet a small part of X.
inline bool is_wide_band(const RowStatistics& statistics, std::int64_t cols) {
  return share(statistics.middle.entries, statistics.sampled_entries) >
             BalancedPolicy::least_middle &&
         8 * mean_distance(statistics.middle) < static_cast<double>(cols);
}

/// Whether some columns of a far matrix have so many entries that their rows of X stay in L2
/// whatever else is read: neighbouring rows share columns, of uneven rows more than by chance.
inline bool has_hub_columns(const RowStatistics& statistics, std::int64_t rows, std::int64_t cols) {
  const double repeated = repeated_share(statistics);
  const bool uneven = share(statistics.padded_entries, statistics.short_entries) >
                      BalancedPolicy::most_even_padding;
  const double by_chance =
      share(statistics.short_entries, static_cast<unsigned long long>(rows) * cols);
  return repeated > BalancedPolicy::least_hub_share || (uneven && repeated > by_chance);
}

/// Whether A, X and Y of k columns take more than `bytes`, so that A leaves L2 first.
inline bool passes_l2(std::int64_t rows, std::int64_t cols, std::int64_t nnz, std::int64_t k,
                      std::size_t element_bytes, double bytes) {
  const auto element = static_cast<double>(element_bytes);
  return static_cast<double>(nnz) * (element + 4) +
             static_cast<double>(rows + cols) * static_cast<double>(k) * element >
         bytes;
}

/// A matrix, K, and the first choices of the plan.
struct PathCase {
  const RowStatistics& statistics;
  std::int64_t rows, cols, nnz, k;
  std::size_t element_bytes;
  bool far;
  int width;  ///< columns of X that a load takes

  /// Entries of the rows that are not cut, and those of a row in the mean.
  std::int64_t entries() const { return static_cast<std::int64_t>(statistics.short_entries); }
  double mean() const {
    return static_cast<double>(entries()) / static_cast<double>(rows > 0 ? rows : 1);
  }
  /// The same of rows that have some.
  double mean_of_some() const {
    return share(statistics.short_entries,
                 static_cast<unsigned long long>(rows) - statistics.bin_rows[0]);
  }
  /// Entries if 32 rows at a time were padded to their longest, over the entries.
  double padding() const { return share(statistics.padded_entries, statistics.short_entries); }
  std::int64_t lanes() const { return k / width; }  ///< one load each
  bool passes(double bytes) const { return passes_l2(rows, cols, nnz, k, element_bytes, bytes); }
  double y_bytes() const {
    return static_cast<double>(rows * k) * static_cast<double>(element_bytes);
  }
  double x_bytes() const {
    return static_cast<double>(cols * k) * static_cast<double>(element_bytes);
  }
  bool repeats() const { return repeats_columns(statistics); }
  bool has_whole_words() const { return element_bytes == 8 || element_bytes == 4; }
  /// Whether no row is longer than `means` times the mean of all entries.
  bool is_within(double means) const {
    return static_cast<double>(statistics.longest) * static_cast<double>(rows) <=
           means * static_cast<double>(nnz);
  }
};

}  // namespace sparserepro
