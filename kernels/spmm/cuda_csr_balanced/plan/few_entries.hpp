// Rows of few entries and of none: which of them path short_rows is for, which rows count as even,
// and which lie apart.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "spmm/cuda_csr_balanced/plan/lanes.hpp"
#include "spmm/cuda_csr_balanced/plan/path_case.hpp"
#include "spmm/cuda_csr_balanced/plan/policy.hpp"

namespace sparserepro {

/// Entries up to which paths uncut and blocks leave rows whole, so that a slot's position fits 32
/// bits; and those up to which staged and flat count on with 32-bit row pointers.
inline constexpr int most_uncut = 1 << 30;
inline constexpr int most_counted = std::numeric_limits<int>::max() - 4096;

/// Whether many rows have no entries and the others are about as long.
inline bool are_alike(const PathCase& c) {
  return c.statistics.segments == 0 &&
         BalancedPolicy::least_empty * static_cast<std::int64_t>(c.statistics.bin_rows[0]) >=
             c.rows &&
         static_cast<double>(c.statistics.longest) <=
             BalancedPolicy::most_alike_length * c.mean_of_some();
}

/// Whether rows are so short that no length of one keeps a team waiting.
inline bool are_tiny(const PathCase& c) {
  return c.statistics.longest <= (c.mean_of_some() <= BalancedPolicy::tiny_mean
                                      ? BalancedPolicy::tiny_rows_of_few
                                      : BalancedPolicy::tiny_rows);
}

/// Whether four fifths of the rows or more have no entries.
inline bool are_nearly_empty(const PathCase& c) {
  return 5 * static_cast<std::int64_t>(c.statistics.bin_rows[0]) >= 4 * c.rows;
}

/// Whether most rows are empty and the others, alike, so long that a team waits among empty ones.
inline bool lie_apart(const PathCase& c) {
  using Policy = BalancedPolicy;
  return are_alike(c) && 2 * static_cast<std::int64_t>(c.statistics.bin_rows[0]) > c.rows &&
         c.mean_of_some() >= Policy::least_apart_mean && c.width > 1 &&
         c.lanes() >= (are_nearly_empty(c) ? 2 : Policy::least_alike_lanes);
}

/// Whether all columns at once are better for such rows.
inline bool are_apart_and_wide(const PathCase& c) {
  using Policy = BalancedPolicy;
  return lie_apart(c) && c.lanes() >= Policy::least_apart_lanes && c.has_whole_words() &&
         c.rows >= Policy::least_apart_rows && c.nnz <= most_uncut;
}

/// Whether three loads a lane leave no lane idle: natural order takes 12, 24, 48 loads so.
inline bool goes_by_threes(const PathCase& c) {
  return c.lanes() >= BalancedPolicy::least_spread && c.lanes() % 3 == 0 &&
         std::has_single_bit(static_cast<std::uint64_t>(c.lanes() / 3));
}

/// Path short_rows with odd K, one column a load.
inline bool are_short_for_odd(const PathCase& c) {
  using Policy = BalancedPolicy;
  const double some = c.mean_of_some();
  const bool is_short =
      c.mean() <= Policy::most_short_mean && some <= Policy::most_short_mean_of_some;
  if (c.element_bytes == 8) {
    return is_short && c.k >= Policy::least_short_odd;
  }
  if (c.k >= Policy::least_odd_of_lanes && c.k <= Policy::most_odd_of_lanes) {
    return is_short;
  }
  if (c.k >= Policy::unpacked_odd) {
    const bool longer = c.k >= Policy::longer_short_odd && c.k < Policy::least_odd_of_lanes &&
                        c.rows * c.k >= Policy::least_longer_elements;
    return some <= (longer ? Policy::most_short_mean_of_longer : Policy::most_short_mean_of_odd);
  }
  if (c.k >= Policy::shared_short_odd && is_short) {
    return true;
  }
  if (are_alike(c) || c.rows * c.k < Policy::least_short_elements ||
      c.x_bytes() < Policy::least_short_bytes) {
    return false;
  }
  const bool shares = repeated_share(c.statistics) >= Policy::least_sharing;
  return some <= (c.k >= Policy::any_short_odd ? Policy::most_short_mean_of_any
                                               : Policy::most_short_mean) ||
         (some <= Policy::most_short_mean_of_sharing && c.k >= Policy::shared_short_odd &&
          (shares || (!c.far && c.k >= Policy::any_short_odd)));
}

/// Path short_rows: even rows of few entries, of which none is cut. Rows may have more where many
/// others have none and a row of X takes more than 32 loads, and in matrices of few columns.
inline bool goes_by_short_rows(const PathCase& c) {
  using Policy = BalancedPolicy;
  if (c.statistics.segments > 0 || !c.has_whole_words() || c.nnz > most_uncut || c.k == 1 ||
      c.rows * c.k < Policy::least_short_elements_of(c.lanes(), c.width)) {
    return false;
  }
  if (c.width == 1) {
    return are_short_for_odd(c);
  }
  const bool by_threes = goes_by_threes(c), is_wide = c.lanes() > 32 && !by_threes;
  const double some = c.mean_of_some();
  const double most = by_threes        ? Policy::most_short_mean_of_threes
                      : c.lanes() == 1 ? Policy::most_short_mean
                                       : Policy::most_short_mean_of_some;
  const bool is_short = c.mean() <= Policy::most_short_mean && (is_wide || some <= most);
  const bool has_few_columns =
      c.cols <= Policy::few_short_columns && c.k >= Policy::least_few_columns_k && !by_threes &&
      (c.lanes() > Policy::whole_lanes || c.rows * c.k >= Policy::least_few_columns_elements) &&
      some <= Policy::most_few_columns_mean(c.element_bytes);
  const bool is_part = c.element_bytes == 4 && c.lanes() >= Policy::least_part_lanes &&
                       c.lanes() <= Policy::most_part_lanes &&
                       some <= Policy::most_short_mean_of_part;
  const bool is_whole = c.lanes() == Policy::whole_lanes &&
                        some < Policy::most_short_mean_of_whole &&
                        c.x_bytes() > Policy::resident_bytes;
  return c.width == most_width(c.element_bytes) &&
         (is_short || has_few_columns || (!are_alike(c) && (is_part || is_whole)));
}

/// Natural order of uneven rows: so few entries in most that a row is mainly one of Y.
inline bool goes_as_it_lies(const PathCase& c) {
  using Policy = BalancedPolicy;
  const auto row_bytes = static_cast<std::int64_t>(c.element_bytes) * c.k;
  return c.has_whole_words() && c.mean_of_some() <= Policy::most_short_mean &&
         (row_bytes >= Policy::least_lying_bytes ||
          (c.width == 1 && c.k >= Policy::least_lying_odd));
}

}  // namespace sparserepro
