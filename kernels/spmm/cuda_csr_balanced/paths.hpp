// Which rows the paths of cuda_csr_balanced are for; plan.hpp asks in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "spmm/cuda_csr_balanced/lanes.hpp"
#include "spmm/cuda_csr_balanced/policy.hpp"
#include "spmm/cuda_csr_balanced/row_statistics.hpp"

namespace sparserepro {

/// Entries up to which paths uncut and blocks leave rows whole, so that a slot's position fits 32
/// bits; and those up to which staged and flat count on with 32-bit row pointers.
inline constexpr int most_uncut = 1 << 30;
inline constexpr int most_counted = std::numeric_limits<int>::max() - 4096;

/// The share part / whole; 0 of nothing.
inline double share(unsigned long long part, unsigned long long whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Mean distance from the diagonal of the entries of a band.
inline double mean_distance(const RowStatistics::Band& band) {
  return share(band.distances, band.entries);
}

/// Whether neighbouring rows share columns.
inline bool repeats_columns(const RowStatistics& statistics) {
  return share(statistics.repeated_entries, statistics.sampled_entries) >
         BalancedPolicy::least_repeated;
}

/// Whether path flat takes rows of `mean` entries and this padding; `nnz` entries in all.
inline bool goes_flat(const RowStatistics& statistics, bool far, double mean, double padding,
                      std::int64_t nnz) {
  using Policy = BalancedPolicy;
  const auto entries = static_cast<double>(statistics.short_entries);
  if (entries < Policy::least_flat || nnz > most_counted ||
      (statistics.longest > Policy::flat_part && nnz < Policy::least_flat_of_parts)) {
    return false;
  }
  const bool is_warps =  // natural order: a warp a row
      mean >= Policy::least_warp_mean &&
      (entries <= mean * Policy::most_warp_rows || mean > Policy::least_part_mean) &&
      static_cast<double>(statistics.longest) <= 2 * mean;
  if (is_warps) {
    return false;
  }
  if (padding > Policy::most_padding || statistics.segments > 0) {
    return true;
  }
  const bool repeats = repeats_columns(statistics);
  const double near = share(statistics.near.entries, statistics.sampled_entries);
  if (near < Policy::mostly_near) {
    return mean >= (far ? Policy::far_flat_from : Policy::mixed_flat_from) &&
           (!repeats || entries >= Policy::least_flat_of_alike);
  }
  const bool is_spread = mean_distance(statistics.near) > Policy::wide_spread && !repeats;
  return (is_spread && mean >= Policy::spread_flat_from) ||
         (entries >= Policy::least_flat_of_band && mean >= Policy::near_flat_from &&
          mean < Policy::near_flat_below);
}

/// Whether `calls` products, 0: many, are too few for lists that pay later.
inline bool are_few(std::int64_t calls) {
  return calls > 0 && calls < BalancedPolicy::paying_calls;
}

/// Whether path flat may take k > 1 columns of any matrix with `nnz` entries.
inline bool may_go_by_shares(std::int64_t nnz, std::int64_t k, std::size_t element_bytes) {
  return (element_bytes == 8 || element_bytes == 4) && nnz >= BalancedPolicy::least_shares &&
         nnz <= most_counted && k / load_width(k, element_bytes) <= 32;
}

/// Whether path flat takes uneven rows with `entries` entries and k > 1 columns, near the diagonal
/// or not.
inline bool goes_by_shares(std::int64_t entries, std::int64_t k, std::size_t element_bytes) {
  const std::int64_t lanes = k / load_width(k, element_bytes);
  const bool is_tuned =
      element_bytes == 8 || (element_bytes == 4 && k >= BalancedPolicy::least_fp32_shares);
  return is_tuned && entries >= BalancedPolicy::least_shares && entries <= most_counted &&
         lanes >= BalancedPolicy::least_share_lanes && lanes <= BalancedPolicy::most_share_lanes;
}

/// Entries of the rows that have some, in the mean.
inline double mean_of_some(const RowStatistics& statistics, std::int64_t rows) {
  return share(statistics.short_entries,
               static_cast<unsigned long long>(rows) - statistics.bin_rows[0]);
}

/// Whether path flat takes uneven rows far from the diagonal with other k as well.
inline bool goes_by_far_shares(const RowStatistics& statistics, std::int64_t rows,
                               std::int64_t cols, std::int64_t k, std::size_t element_bytes) {
  const auto entries = static_cast<std::int64_t>(statistics.short_entries);
  if (!may_go_by_shares(entries, k, element_bytes)) {
    return false;
  }
  const std::int64_t lanes = k / load_width(k, element_bytes);
  const double x_bytes = static_cast<double>(cols * k) * static_cast<double>(element_bytes);
  return mean_of_some(statistics, rows) <= BalancedPolicy::most_far_share_mean ||
         (lanes == 2 && x_bytes >= BalancedPolicy::least_far_share_bytes) ||
         (element_bytes == 4 && lanes >= BalancedPolicy::least_share_lanes &&
          k <= BalancedPolicy::most_far_fp32_shares &&
          x_bytes >= BalancedPolicy::least_far_fp32_bytes);
}

/// Whether many rows have no entries and the others are about as long.
inline bool are_alike(const RowStatistics& statistics, std::int64_t rows) {
  return statistics.segments == 0 &&
         BalancedPolicy::least_empty * static_cast<std::int64_t>(statistics.bin_rows[0]) >= rows &&
         static_cast<double>(statistics.longest) <=
             BalancedPolicy::most_alike_length * mean_of_some(statistics, rows);
}

/// Whether path flat takes such rows too.
inline bool goes_by_even_shares(std::int64_t entries, std::int64_t k, std::size_t element_bytes) {
  const int width = load_width(k, element_bytes);
  return goes_by_shares(entries, k, element_bytes) &&
         (width == 1 ? k > BalancedPolicy::most_odd_alike
                     : k / width >= BalancedPolicy::least_alike_lanes);
}

/// Whether blocks copy the entries of even rows of `mean` entries, of which none is cut, to shared
/// memory, with k columns of elements of `element_bytes`.
inline bool goes_staged(const BalancedPlan& plan, std::int64_t rows, double mean, std::int64_t k,
                        std::size_t element_bytes) {
  const std::int64_t lanes = k / plan.width;
  const bool is_long = mean >= BalancedPolicy::long_staged_mean;
  return plan.far && element_bytes == 8 && k > 1 && mean >= BalancedPolicy::staged_mean &&
         k <= (is_long ? BalancedPolicy::most_staged_long : BalancedPolicy::most_staged) &&
         (is_long || k == 3 || k % 2 == 0) && mean * static_cast<double>(rows) <= most_counted &&
         rows * lanes / 32 >= 3 * std::int64_t{BalancedPolicy::device_warps};
}

/// Whether path flat takes rows of any lengths, far from the diagonal, with so many entries in the
/// mean, that are cut or have several slots.
inline bool goes_by_long_shares(const BalancedPlan& plan, std::int64_t rows, std::int64_t nnz,
                                std::int64_t k, std::size_t element_bytes) {
  const bool is_very_long = nnz >= BalancedPolicy::very_long_share_mean * rows;
  return element_bytes == 8 && plan.far && nnz >= BalancedPolicy::long_share_mean * rows &&
         nnz >= (is_very_long ? BalancedPolicy::least_very_long_shares
                              : BalancedPolicy::least_long_shares) &&
         k / plan.width <= BalancedPolicy::most_long_share_lanes;
}

/// Whether path packed takes rows of about one length, all of them at once, since they go through X
/// from the first column to the last side by side: rows of X are used again while they lie in L2.
inline bool goes_side_by_side(const RowStatistics& statistics, const BalancedPlan& plan,
                              std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                              std::int64_t k, std::size_t element_bytes) {
  using Policy = BalancedPolicy;
  const std::int64_t lanes = k / plan.width;
  const double x_bytes = static_cast<double>(cols * k) * static_cast<double>(element_bytes);
  return plan.far && static_cast<std::size_t>(plan.width) * element_bytes == 16 &&
         lanes >= Policy::least_side_lanes && lanes <= Policy::most_side_lanes &&
         nnz >= Policy::least_side_mean * rows && rows * lanes >= Policy::least_side_threads &&
         x_bytes >= Policy::least_side_bytes && statistics.segments == 0 &&
         static_cast<double>(statistics.longest) * static_cast<double>(rows) <=
             2 * static_cast<double>(nnz);
}

/// Whether a block takes each row.
inline bool goes_by_blocks(const RowStatistics& statistics, bool far, std::int64_t rows,
                           std::int64_t cols, std::int64_t nnz, std::int64_t k,
                           std::size_t element_bytes) {
  using Policy = BalancedPolicy;
  const bool is_tuned = element_bytes == 8 || element_bytes == 4;
  const bool is_halved = (k == 5 || k == 7) && element_bytes == 8;
  const bool is_few = rows * Policy::least_row_threads <= Policy::device_row_threads;
  const std::int64_t least_mean =
      is_halved && !is_few ? Policy::halved_block_mean : Policy::least_block_mean;
  if (!is_tuned || rows < Policy::least_block_rows || nnz < least_mean * rows || nnz > most_uncut ||
      static_cast<double>(statistics.longest) * static_cast<double>(rows) >
          static_cast<double>(Policy::most_block_length * nnz)) {
    return false;
  }
  const bool is_dense = static_cast<double>(nnz) * Policy::dense >
                        static_cast<double>(rows) * static_cast<double>(cols);
  if (is_few) {
    return !is_dense || rows < Policy::few_rows || k <= Policy::most_dense_columns(element_bytes);
  }
  return (k == 3 && (far || is_dense)) ||
         (is_halved && !is_dense && !repeats_columns(statistics)) ||
         (far && k > 2 && k <= Policy::most_block_columns && rows >= Policy::many_block_rows &&
          nnz >= Policy::far_block_mean * rows);
}

}  // namespace sparserepro
