// How cuda_csr_balanced divides the work: a plan of K and the statistics of the rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sparserepro/device/spmm.hpp"
#include "spmm/cuda_csr_balanced/policy.hpp"

namespace sparserepro {

/// Statistics of the rows, from row pointers and columns.
struct RowStatistics {
  /// 0: no entries; b: (2^(b-2), 2^(b-1)] entries; the last: longer than a segment.
  static constexpr int bins = 16;
  static constexpr int long_bin = bins - 1;
  /// Entries of each row whose distance from the diagonal is looked at.
  static constexpr int sampled = 8;

  unsigned long long short_entries;  ///< in all but the long rows
  /// The same if 32 rows at a time were padded to their longest.
  unsigned long long padded_entries;
  unsigned long long bin_rows[bins];
  unsigned long long segments;      ///< of the long rows
  unsigned long long longest;       ///< entries of the longest row
  unsigned long long same_entries;  ///< in rows with the columns of the row before
  unsigned long long sampled_entries, far_entries;
};

/// The paths; a plan has one of them, never `automatic`.
using RowOrder = device::SpmmPath;

/// How one matrix is multiplied with K columns.
struct BalancedPlan {
  RowOrder order = RowOrder::natural;
  bool far;               ///< most entries lie far from the diagonal
  int width;              ///< columns of X that a load takes
  int loads;              ///< loads that a thread holds
  int log_lanes;          ///< threads of a team side by side across the columns
  int log_slots;          ///< threads of a team along a row, in natural order or in groups
  int log_more;           ///< doublings of the slots that a small matrix needs to fill the device
  unsigned column_block;  ///< columns of X at once: width * loads << log_lanes
};

/// So that only the last row of a task of the stream can be one that is cut.
static_assert(BalancedPolicy::task_entries <= BalancedPolicy::least_slot);

/// Least l >= 0 with 2^l >= value.
constexpr int log2_ceil(std::int64_t value) {
  return value <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value - 1)));
}

/// Most columns that a load takes: 16 bytes of fp64 and fp32, 8 of the types of 16 bits.
constexpr int most_width(std::size_t element_bytes) {
  return element_bytes == 8 ? 2 : 4;
}

/// Width, loads, lanes and column block for at most `columns` columns at once, of k.
inline void choose_lanes(BalancedPlan& plan, std::int64_t k, unsigned columns,
                         std::size_t element_bytes = 8) {
  plan.width = k % most_width(element_bytes) == 0 ? most_width(element_bytes) : k % 2 == 0 ? 2 : 1;
  const std::int64_t held = std::min<std::int64_t>(k, columns);
  plan.log_lanes = std::min(log2_ceil((held + plan.width - 1) / plan.width), 5);
  plan.loads = held > std::int64_t{plan.width} << plan.log_lanes ? 2 : 1;
  plan.column_block = static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes;
}

/// Entries beyond which a row is cut, of a matrix of `rows` rows and `nnz` entries.
inline int segment_entries(std::int64_t rows, std::int64_t nnz, std::int64_t k,
                           std::size_t element_bytes = 8) {
  BalancedPlan plan{};
  choose_lanes(plan, k, BalancedPolicy::far_block, element_bytes);
  const int log_slots = 5 - plan.log_lanes;
  const int most = std::max(BalancedPolicy::segment, BalancedPolicy::segment_slot << log_slots);
  const std::int64_t share = nnz / BalancedPolicy::device_warps;
  const std::int64_t usual = rows < BalancedPolicy::few_rows ? 0 : 2 * nnz / rows;
  const std::int64_t least =
      (log_slots == 5 ? BalancedPolicy::least_slot_of_32 : BalancedPolicy::least_slot) << log_slots;
  return static_cast<int>(std::min<std::int64_t>(most, std::max({least, share, usual})));
}

/// Entries up to which a longest row is left whole, since cutting it takes another kernel.
inline int uncut_entries(std::int64_t k, std::size_t element_bytes = 8) {
  BalancedPlan plan{};
  choose_lanes(plan, k, BalancedPolicy::far_block, element_bytes);
  return BalancedPolicy::least_slot << (5 - plan.log_lanes);
}

/// Lanes of a warp that adds up segments, the others being slots along the segments of a row: so
/// many that the longest row takes at most `combine_rounds` of 8 segments a slot.
inline int choose_combine_log_lanes(unsigned long long longest, int segment, std::int64_t k) {
  const auto segments = static_cast<std::int64_t>(longest / static_cast<unsigned>(segment)) + 1;
  const int log_slots = std::min(3, log2_ceil(segments / (8 * BalancedPolicy::combine_rounds) + 1));
  return std::min(5 - log_slots, log2_ceil(k));
}

/// Entries of a task of the flat product: a warp's share of them, in whole steps.
inline int flat_task_entries(std::int64_t nnz) {
  constexpr std::int64_t step = BalancedPolicy::flat_step;
  const std::int64_t share = nnz / BalancedPolicy::device_warps / step * step;
  return static_cast<int>(std::clamp<std::int64_t>(share, step, BalancedPolicy::flat_task));
}

/// Slots for rows of `entries` entries, doubled up to `log_more` times while each has a batch.
inline int choose_log_slots(double entries, const BalancedPlan& plan) {
  const double slots = entries / BalancedPolicy::entries_per_slot(plan.log_lanes, plan.far);
  const double batches = entries / BalancedPolicy::unroll(1, plan.loads);
  int log = 0;
  while (log < 5 - plan.log_lanes && static_cast<double>(2 << log) <= slots) {
    ++log;
  }
  for (int more = 0;
       more < plan.log_more && log < 5 - plan.log_lanes && static_cast<double>(2 << log) <= batches;
       ++more) {
    ++log;
  }
  return log;
}

inline BalancedPlan choose_plan(const RowStatistics& statistics, std::int64_t rows,
                                std::int64_t cols, std::int64_t k, std::size_t element_bytes = 8) {
  BalancedPlan plan{};
  plan.far = static_cast<double>(statistics.far_entries) >
             0.5 * static_cast<double>(statistics.sampled_entries);
  const bool small =
      cols * BalancedPolicy::small_block * static_cast<std::int64_t>(element_bytes) <=
      BalancedPolicy::small_bytes;
  choose_lanes(plan, k,
               !plan.far ? BalancedPolicy::near_block
               : small   ? BalancedPolicy::small_block
                         : BalancedPolicy::far_block,
               element_bytes);
  const double entries = static_cast<double>(statistics.short_entries);
  const double mean = entries / static_cast<double>(std::max<std::int64_t>(rows, 1));
  const std::int64_t column_blocks = (k + plan.column_block - 1) / plan.column_block;
  const std::int64_t warps =
      (rows * column_blocks << (plan.log_lanes + choose_log_slots(mean, plan))) / 32;
  while (plan.log_more < 5 && warps << plan.log_more < BalancedPolicy::device_warps) {
    ++plan.log_more;
  }
  plan.log_slots = choose_log_slots(mean, plan);
  const bool uneven =
      static_cast<double>(statistics.padded_entries) > BalancedPolicy::most_padding * entries;
  const bool full = warps >= BalancedPolicy::device_warps;
  if (warps >= BalancedPolicy::group_rows * std::int64_t{BalancedPolicy::device_warps} &&
      static_cast<double>(statistics.same_entries) > BalancedPolicy::least_same * entries) {
    plan.order = RowOrder::grouped;
  } else if (k == 1 && element_bytes == 8 && entries >= BalancedPolicy::least_flat &&
             (uneven || statistics.segments > 0 ||
              (plan.far && mean >= BalancedPolicy::short_rows))) {
    plan.order = RowOrder::flat;
  } else if (uneven) {
    plan.order = RowOrder::binned;
  } else if (full && entries >= BalancedPolicy::least_stream && mean < BalancedPolicy::short_rows &&
             1 << plan.log_lanes >= BalancedPolicy::least_stream_lanes) {
    plan.order = RowOrder::streamed;
  } else {
    plan.order = RowOrder::natural;
  }
  return plan;
}

/// Entries up to which `uncut` leaves rows whole, so that a slot's position fits 32 bits.
inline constexpr int most_uncut = 1 << 30;

/// "" or why a product with K = k of a matrix with `nnz` entries cannot take the order.
inline std::string order_refusal(RowOrder order, std::int64_t nnz, std::int64_t k,
                                 std::size_t element_bytes = 8) {
  if (order == RowOrder::flat && k != 1) {
    return "path flat takes K = 1 alone, not K = " + std::to_string(k);
  }
  if (order == RowOrder::flat && element_bytes != 8) {
    return "path flat takes fp64 alone";
  }
  if (order == RowOrder::streamed) {
    BalancedPlan plan{};
    choose_lanes(plan, k, BalancedPolicy::small_block, element_bytes);
    const int lanes = 1 << plan.log_lanes, least = BalancedPolicy::unroll(1, plan.loads);
    if (lanes < least) {
      return "path streamed takes teams of at least " + std::to_string(least) +
             " lanes; K = " + std::to_string(k) + " makes teams of " + std::to_string(lanes);
    }
  }
  if (order == RowOrder::uncut && nnz > most_uncut) {
    return "path uncut takes at most " + std::to_string(most_uncut) + " entries, not " +
           std::to_string(nnz);
  }
  return "";
}

}  // namespace sparserepro
