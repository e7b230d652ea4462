// Which rows the paths of cuda_csr_balanced are for; choose_plan.hpp asks in their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "spmm/cuda_csr_balanced/plan/few_entries.hpp"
#include "spmm/cuda_csr_balanced/plan/lanes.hpp"
#include "spmm/cuda_csr_balanced/plan/path_case.hpp"
#include "spmm/cuda_csr_balanced/plan/policy.hpp"

namespace sparserepro {

/// Whether `calls` products, 0: many, are too few for lists that pay later.
inline bool are_few(std::int64_t calls) {
  return calls > 0 && calls < BalancedPolicy::paying_calls;
}

/// Whether groups pay within `calls` products of K columns, 0: many. Their search takes about twice
/// as long as the rest of the analysis.
inline bool groups_pay(std::int64_t calls, std::int64_t nnz, std::int64_t k,
                       std::size_t element_bytes) {
  const auto row_bytes = static_cast<double>(k) * static_cast<double>(element_bytes);
  return calls == 0 || static_cast<double>(calls) * static_cast<double>(nnz) * row_bytes >=
                           BalancedPolicy::paying_group_bytes;
}

/// Whether Y is so small that rows of about one length are packed whatever K is.
inline bool is_small(const PathCase& c) {
  using Policy = BalancedPolicy;
  const double most = c.k % 2 == 0 ? Policy::small_packed_bytes : Policy::small_odd_bytes;
  return c.y_bytes() <= most && c.mean() >= Policy::least_small_mean &&
         c.mean() < Policy::most_small_mean && c.is_within(Policy::most_small_length) &&
         c.lanes() <= 32;
}

/// Path packed: rows of about one length, all of them at once, since they go through X from the
/// first column to the last side by side: rows of X are used again while they lie in L2.
inline bool goes_side_by_side(const PathCase& c) {
  using Policy = BalancedPolicy;
  return c.far && static_cast<std::size_t>(c.width) * c.element_bytes == 16 &&
         c.lanes() >= Policy::least_side_lanes && c.lanes() <= Policy::most_side_lanes &&
         c.nnz >= Policy::least_side_mean * c.rows &&
         c.rows * c.lanes() >= Policy::least_side_threads &&
         c.x_bytes() >= Policy::least_side_bytes && c.statistics.segments == 0 && c.is_within(2);
}

/// log2 of the lanes of a row of natural order by one load: those that take by one batch rows of
/// the mean, and longer ones where rows have different lengths. Fewer, by several batches, where
/// loads of 16 bytes find rows of X near, but in fp64 only if all lies in L2; more where rows are
/// few.
inline int one_load_log_lanes(const PathCase& c) {
  using Policy = BalancedPolicy;
  const double entries = c.mean() * std::pow(c.padding(), Policy::one_load_spread);
  const auto log_for = [](double most) {
    const double lanes = std::ceil(most / static_cast<double>(Policy::one_load_batch));
    return lanes > 16 ? 4 : log2_ceil(static_cast<std::int64_t>(lanes));
  };
  const auto fills = [&](int log, std::int64_t threads) { return c.rows << log >= threads; };
  const double warp_from = !fills(4, std::int64_t{32} * Policy::device_warps)
                               ? 16 * Policy::one_load_batch
                           : c.k == 1 && c.element_bytes == 8 ? Policy::least_of_one_column_warp
                                                              : Policy::least_of_one_load_warp;
  if (entries > warp_from) {
    return 5;
  }
  const bool finds_near =
      is_near_band(c.statistics, c.far, c.cols) ||
      (c.x_bytes() <= Policy::near_bytes && c.padding() <= Policy::most_near_padding);
  const int log = log_for(entries), less = log_for(Policy::one_load_part * entries);
  if (static_cast<std::size_t>(c.width) * c.element_bytes == 16 && finds_near &&
      (c.element_bytes == 4 || !c.passes(Policy::passing_bytes)) &&
      fills(less, Policy::least_part_threads)) {
    return less;
  }
  return log < 4 && !fills(log, Policy::one_load_threads) ? log + 1 : log;
}

/// Whether one_load_kernel takes the rows of natural order: none is cut.
inline bool takes_one_load(const PathCase& c) {
  return c.lanes() == 1 && c.statistics.segments == 0;
}

/// Natural order by one load: no row is cut, or so long that its team takes many batches.
inline bool goes_by_one_load(const PathCase& c) {
  using Policy = BalancedPolicy;
  const int batch = Policy::one_load_batch << one_load_log_lanes(c);
  const double most = Policy::most_one_load_batches * std::max<double>(batch, c.mean());
  return takes_one_load(c) &&
         static_cast<double>(c.statistics.longest) <= std::max(most, Policy::one_load_length);
}

/// Whether warps take rows by one load better than blocks: they are not so long, or, of one column,
/// so many that they fill half of the device.
inline bool goes_by_warps(const PathCase& c) {
  using Policy = BalancedPolicy;
  const bool fills = c.k == 1 && c.rows >= Policy::filling_rows;
  return c.nnz <= (fills ? Policy::most_full_warp_mean : Policy::most_warp_mean) * c.rows &&
         goes_by_one_load(c);
}

/// Path blocks: a block takes each row.
inline bool goes_by_blocks(const PathCase& c) {
  using Policy = BalancedPolicy;
  const bool is_halved = (c.k == 5 || c.k == 7) && c.element_bytes == 8;
  const bool is_few = c.rows * Policy::least_row_threads <= Policy::device_row_threads;
  const bool is_very_few = c.rows < Policy::few_rows;
  const std::int64_t least_mean = is_very_few           ? Policy::few_block_mean
                                  : c.k == 3 && is_few  ? Policy::triple_block_mean
                                  : is_halved || is_few ? Policy::lower_block_mean
                                                        : Policy::least_block_mean;
  if (!c.has_whole_words() || c.rows < Policy::least_block_rows || c.nnz < least_mean * c.rows ||
      c.nnz > most_uncut || goes_by_warps(c) ||
      !c.is_within(is_very_few ? Policy::most_few_block_length : Policy::most_block_length)) {
    return false;
  }
  const auto is_dense = [&](std::int64_t part) {
    return static_cast<double>(c.nnz) * static_cast<double>(part) >
           static_cast<double>(c.rows) * static_cast<double>(c.cols);
  };
  if (is_very_few) {
    return c.is_within(2) || c.k <= Policy::most_uneven_block_columns;
  }
  if (is_few) {
    return !is_dense(c.rows < Policy::filling_rows ? Policy::very_dense : Policy::dense) ||
           c.k <= Policy::most_dense_columns(c.element_bytes);
  }
  const std::int64_t most =
      c.k % 2 == 1 ? Policy::most_odd_block_columns : Policy::most_block_columns;
  return c.k == 3 || (is_halved && !is_dense(Policy::dense) && !c.repeats()) ||
         (c.far && c.k > 2 && c.k <= most && c.rows >= Policy::many_block_rows &&
          c.nnz >= Policy::far_block_mean * c.rows);
}

/// Whether A, X and Y are more than L2 keeps, and rows of some entries gather X from afar.
inline bool gathers_beyond_l2(const PathCase& c) {
  using Policy = BalancedPolicy;
  return c.far && c.passes(Policy::passing_bytes) && c.mean_of_some() >= Policy::least_far_some;
}

/// Path flat with one column: rows that natural order by one load is not for, that wait for each
/// other there, or that gather X from afar.
inline bool goes_flat(const PathCase& c) {
  using Policy = BalancedPolicy;
  const double least_of_parts = c.nnz < Policy::long_flat_mean * c.rows
                                    ? Policy::least_flat_of_parts
                                    : Policy::least_flat_of_long;
  return c.k == 1 && c.has_whole_words() &&
         static_cast<double>(c.entries()) >= Policy::least_flat && c.nnz <= most_counted &&
         (c.statistics.longest <= Policy::flat_part || c.nnz >= least_of_parts) &&
         (!goes_by_one_load(c) || gathers_beyond_l2(c) ||
          (c.padding() >= Policy::least_flat_padding && !are_alike(c)));
}

/// Path staged: blocks copy the entries of even rows, of which none is cut, to shared memory.
inline bool goes_staged(const PathCase& c) {
  using Policy = BalancedPolicy;
  const double mean = c.mean();
  const bool is_long = mean >= Policy::long_staged_mean;
  return c.far && c.element_bytes == 8 && c.k > 2 && mean >= Policy::staged_mean &&
         c.k <= (is_long ? Policy::most_staged_long : Policy::most_staged) &&
         (is_long || c.k == 3 || c.k % 2 == 0) &&
         mean * static_cast<double>(c.rows) <= most_counted &&
         c.rows * c.lanes() / 32 >= 3 * std::int64_t{Policy::device_warps};
}

/// Path packed though groups of three rows could take them: with three columns.
inline bool goes_by_triples(const PathCase& c, int group_rows) {
  using Policy = BalancedPolicy;
  return c.k == 3 && group_rows == 3 && c.rows >= Policy::least_triple_rows &&
         (c.mean() < Policy::long_triple_mean || c.nnz < Policy::most_long_triples);
}

/// Whether groups have enough rows to pay: `warps`, those of all rows alone, fill the device three
/// times; or rows are many and wide, or many with many entries. By one load they need long rows,
/// and with one column fours beyond L2; where path packed would take them (`packs`), some columns
/// and entries.
inline bool groups_fill(const PathCase& c, int group_rows, std::int64_t warps, bool packs) {
  using Policy = BalancedPolicy;
  const std::size_t bytes = static_cast<std::size_t>(c.k) * c.element_bytes;
  if (c.lanes() == 1) {
    return (c.k > 1 || (group_rows == 4 && c.passes(Policy::passing_bytes))) &&
           c.rows >= Policy::least_grouped_rows(c.width) && c.nnz >= Policy::least_grouped_of_one &&
           c.mean() >= Policy::least_grouped_mean_of_one(group_rows);
  }
  if (goes_by_triples(c, group_rows)) {
    return false;
  }
  const bool fill = warps >= 3 * std::int64_t{Policy::device_warps};
  const bool narrow = c.mean() >= Policy::narrow_grouped_mean &&
                      (c.width == 1 || c.width == most_width(c.element_bytes));
  const bool fill_twice = warps >= 6 * std::int64_t{Policy::device_warps};
  const bool spread = c.mean() >= Policy::least_grouped_mean_of_two_columns &&
                      c.nnz >= Policy::least_grouped(c.width) &&
                      c.lanes() >= BalancedPolicy::least_group_spread;
  const std::size_t least = narrow && fill_twice && group_rows == 4
                                ? Policy::narrowest_grouped_bytes
                            : narrow || spread ? Policy::narrow_grouped_bytes
                                               : Policy::packed_grouped_bytes;
  if (packs && bytes < least) {
    return false;
  }
  return fill || (c.rows >= Policy::least_grouped_rows(c.width) &&
                  (bytes >= Policy::wide_grouped_bytes || c.nnz >= Policy::least_grouped(c.width)));
}

/// Whether rows of which half have the columns of the row before go in groups of two: those of many
/// entries by more than one load; short ones with more columns, an even number, but not by twelve
/// loads, three for each of four lanes. Odd K up to 15 and from 65 on, in smaller types beyond L2.
inline bool takes_pairs(const PathCase& c) {
  using Policy = BalancedPolicy;
  if (c.rows < Policy::least_grouped_rows(c.width) || c.nnz < Policy::least_grouped(c.width) ||
      c.lanes() == 1) {
    return false;
  }
  const bool whole = c.element_bytes == 8;
  if (c.mean() < Policy::long_pair_mean) {
    return c.mean() >= Policy::least_pair_mean && c.width > 1 &&
           c.k >= Policy::least_short_pairs_k(whole) && c.lanes() != 12;
  }
  return c.width > 1 || ((c.k < 17 || c.k > 64) && (whole || c.passes(Policy::passing_bytes)));
}

/// Path flat with more columns: whether `entries` are enough for its lists, and no more than it
/// counts.
inline bool has_share_entries(std::int64_t entries,
                              std::int64_t least = BalancedPolicy::least_shares) {
  return entries >= least && entries <= most_counted;
}

/// Whether it may take k > 1 columns of any matrix with `nnz` entries.
inline bool may_go_by_shares(std::int64_t nnz, std::int64_t k, std::size_t element_bytes) {
  return (element_bytes == 8 || element_bytes == 4) &&
         has_share_entries(nnz, BalancedPolicy::least_shares_of(k, element_bytes)) &&
         k / load_width(k, element_bytes) <= 32;
}

/// Whether its teams have as many lanes as it is for, wherever the entries lie.
inline bool has_share_lanes(const PathCase& c) {
  const bool is_tuned = c.element_bytes == 8 || c.k == 3 ||
                        (c.element_bytes == 4 && c.k >= BalancedPolicy::least_fp32_shares);
  return is_tuned && c.lanes() >= BalancedPolicy::least_share_lanes &&
         c.lanes() <= BalancedPolicy::most_share_lanes;
}

/// Whether it takes rows that would be even but for others that are empty.
inline bool goes_by_even_shares(const PathCase& c) {
  return has_share_entries(c.entries()) && has_share_lanes(c) &&
         (c.width == 1 ? c.k > BalancedPolicy::most_odd_alike
                       : c.lanes() >= BalancedPolicy::least_alike_lanes);
}

/// Whether it takes rows of any lengths, far from the diagonal, with so many entries in the mean.
inline bool goes_by_long_shares(const PathCase& c) {
  using Policy = BalancedPolicy;
  const bool is_very_long = c.nnz >= Policy::very_long_share_mean * c.rows;
  return has_share_entries(c.nnz) && has_share_lanes(c) && c.element_bytes == 8 && c.far &&
         c.lanes() <= Policy::most_long_share_lanes && c.nnz >= Policy::long_share_mean * c.rows &&
         c.nnz >= (is_very_long ? Policy::least_very_long_shares : Policy::least_long_shares);
}

/// Whether it takes even rows whose segments would end last, with three columns. Circuits with
/// dense rows of 2500 to 6700 entries, 0.1M to 0.5M in all, natural over flat: 1.3 to 1.6, in
/// fp32 1.2 to 1.44; 0.7M to 1M 1.0 to 1.06, in fp32 0.89 to 1.04.
inline bool goes_by_hanging_triples(const PathCase& c) {
  return c.k == 3 && (c.element_bytes == 8 || c.entries() < 750'000);
}

/// Whether it takes uneven rows.
inline bool goes_by_uneven_shares(const PathCase& c) {
  using Policy = BalancedPolicy;
  if (c.k == 1 || !may_go_by_shares(c.entries(), c.k, c.element_bytes)) {
    return false;
  }
  if (has_share_lanes(c)) {
    return true;
  }
  const bool is_fp32 = c.element_bytes == 4 && c.lanes() >= Policy::least_share_lanes &&
                       c.k <= Policy::most_far_fp32_shares;
  return c.far && !c.repeats() &&
         (c.mean_of_some() <= Policy::most_far_share_mean ||
          (c.lanes() == 2 && c.x_bytes() >= Policy::least_far_share_bytes) ||
          (is_fp32 && c.x_bytes() >= Policy::least_far_fp32_bytes));
}

}  // namespace sparserepro
