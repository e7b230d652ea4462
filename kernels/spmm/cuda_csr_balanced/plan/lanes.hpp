// How teams of threads take a row: lanes and loads across the columns of X, slots along the
// entries.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"
#include "sparserepro/device/spmm.hpp"
#include "spmm/cuda_csr_balanced/plan/policy.hpp"
#include "spmm/cuda_csr_balanced/plan/teams.hpp"

namespace sparserepro {

/// The paths; a plan has one of them, never `automatic`.
using RowOrder = device::SpmmPath;

/// Whether threads of successive rows lie side by side.
constexpr bool is_packed(RowOrder order) {
  return order == RowOrder::packed || order == RowOrder::staged;
}

/// Whether a path takes rows of any length as they are.
constexpr bool leaves_rows_whole(RowOrder order) {
  return order == RowOrder::uncut || order == RowOrder::staged || order == RowOrder::blocks ||
         order == RowOrder::short_rows;
}

/// How one matrix is multiplied with K columns.
struct BalancedPlan {
  RowOrder order = RowOrder::natural;
  bool far;        ///< most entries lie far from the diagonal
  bool band;       ///< they lie near it, within a small part of the columns
  int width;       ///< columns of X that a load takes
  int loads;       ///< loads that a thread holds
  int batch;       ///< entries that a thread gathers at once, in natural order, bins or groups
  int log_lanes;   ///< threads of a team side by side across the columns
  int log_slots;   ///< threads of a team along a row, in natural order or in groups
  int log_more;    ///< doublings of the slots with which the bins of a small matrix fill the device
  bool one_load;   ///< natural order by one_load_kernel, 1 << log_slots threads a row
  int group_rows;  ///< rows of a group
  unsigned column_block;  ///< columns of X at once: width * loads << log_lanes
};

/// Least l >= 0 with 2^l >= value.
constexpr int log2_ceil(std::int64_t value) {
  return value <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value - 1)));
}

/// Most columns that a load takes: 16 bytes of fp64 and fp32, 8 of the types of 16 bits.
constexpr int most_width(std::size_t element_bytes) {
  return element_bytes == 8 ? 2 : 4;
}

/// Columns that a load takes, of k.
constexpr int load_width(std::int64_t k, std::size_t element_bytes) {
  return k % most_width(element_bytes) == 0 ? most_width(element_bytes) : k % 2 == 0 ? 2 : 1;
}

/// Width, loads, lanes and column block for at most `columns` columns at once, of k.
inline void choose_lanes(BalancedPlan& plan, std::int64_t k, unsigned columns,
                         std::size_t element_bytes = 8) {
  plan.width = load_width(k, element_bytes);
  const std::int64_t held = std::min<std::int64_t>(k, columns);
  const std::int64_t wanted = ceil_div<std::int64_t>(held, plan.width);
  const bool halved = plan.width == 1 && wanted == k && k >= BalancedPolicy::halved_from &&
                      k < BalancedPolicy::halved_below;
  plan.log_lanes = std::min(log2_ceil(halved ? (wanted + 1) / 2 : wanted), 5);
  plan.loads = wanted > std::int64_t{1} << plan.log_lanes ? 2 : 1;
  plan.column_block = static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes;
  plan.batch = BalancedPolicy::unroll(1, plan.loads);
}

/// Slots for rows of `entries` entries, doubled up to `log_more` times while each has a batch.
inline int choose_log_slots(double entries, const BalancedPlan& plan) {
  const double slots = entries / BalancedPolicy::entries_per_slot(plan.log_lanes, plan.far);
  const double batches = entries / plan.batch;
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

/// How long all rows of `mean` entries take with 1 << log_slots slots, in batches of one slot.
/// `warps` are those of all teams. Up to two turns of the device are whole ones, since the warps of
/// a turn end together.
inline double batches_of_all(const BalancedPlan& plan, std::int64_t warps, double mean,
                             int log_slots, std::int64_t k) {
  const bool odd = plan.width == 1 && plan.loads == 2 && k >= BalancedPolicy::odd_batch_from;
  const int batch = odd && log_slots == 0 ? BalancedPolicy::odd_batch : plan.batch;
  const int resident = BalancedPolicy::resident_blocks(1, plan.loads, batch);
  const double turns = static_cast<double>(warps) / (BalancedPolicy::block_warps * resident);
  const double of_slot = BalancedPolicy::row_cost_in_batches + mean / (batch << log_slots) +
                         BalancedPolicy::sum_cost(plan.loads) * log_slots;
  const double whole = std::max(1.0, std::ceil(turns - BalancedPolicy::least_turn));
  return (turns <= 2 ? whole : turns + 0.5) * of_slot;
}

/// Sets the slots for rows of `mean` entries, at least those of `entries_per_slot`, so that all
/// rows take least; a batch each at least, or half of one where a thread has one load and the
/// matrix is no band near the diagonal. Returns the warps that rows take with the least slots.
inline std::int64_t choose_slots(BalancedPlan& plan, std::int64_t rows, double mean,
                                 std::int64_t k) {
  const std::int64_t column_blocks = (k + plan.column_block - 1) / plan.column_block;
  plan.log_more = 0;
  const int least = choose_log_slots(mean, plan);
  const std::int64_t warps = (rows * column_blocks << (plan.log_lanes + least)) / 32;
  while (plan.log_more < 5 && warps << plan.log_more < BalancedPolicy::device_warps) {
    ++plan.log_more;
  }
  const auto batches = [&](int log) {
    return batches_of_all(plan, warps << (log - least), mean, log, k);
  };
  const double most = plan.loads == 1 && !plan.band ? 2 * mean : mean;
  plan.log_slots = least;
  for (int log = least + 1; log <= 5 - plan.log_lanes && (plan.batch << log) <= most; ++log) {
    if (batches(log) < batches(plan.log_slots)) {
      plan.log_slots = log;
    }
  }
  return warps;
}

/// Vectors of `width` columns of a block, where blocks are equal.
inline std::int64_t vectors_of_block(const BalancedPlan& plan, std::int64_t k) {
  const std::int64_t blocks = (k + plan.column_block - 1) / plan.column_block;
  const std::int64_t columns = blocks == 0 ? 0 : (k + blocks - 1) / blocks;
  return (columns + plan.width - 1) / plan.width;
}

/// Loads of a thread, and lanes.
struct SpreadLanes {
  int loads, log_lanes;
};

/// Two or three loads and a power of two of lanes that hold `vectors`, at least `least_spread` of
/// them; the fewest threads times loads.
inline SpreadLanes spread_lanes(std::int64_t vectors) {
  const int log = log2_ceil(vectors);  // 2^(log - 1) < vectors <= 2^log
  return vectors <= std::int64_t{3} << (log - 2) ? SpreadLanes{3, log - 2}
                                                 : SpreadLanes{2, log - 1};
}

/// Gives a thread two or three loads of the columns at once.
inline void spread(BalancedPlan& plan, std::int64_t k) {
  const SpreadLanes lanes = spread_lanes(vectors_of_block(plan, k));
  plan.loads = lanes.loads;
  plan.log_lanes = lanes.log_lanes;
  plan.column_block = static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes;
}

/// The lanes of path packed: all columns at once, by one load.
inline void choose_packed_lanes(BalancedPlan& plan, std::int64_t k) {
  plan.loads = 1;
  plan.log_lanes = log2_ceil(k / plan.width);
  plan.column_block = static_cast<unsigned>(k);
}

/// The lanes of path short_rows.
inline void choose_short_lanes(BalancedPlan& plan, std::int64_t k) {
  const ShortLanes lanes = short_lanes(k, plan.width);
  plan.loads = lanes.loads;
  plan.log_lanes = log2_ceil(lanes.lanes);
  plan.column_block = lanes.lanes * static_cast<unsigned>(lanes.loads * plan.width);
}

/// Whether rows alone, in natural order or in bins, take two or three loads of their own.
inline bool takes_row_lanes(const BalancedPlan& plan, std::int64_t k) {
  return k > BalancedPolicy::halved_below &&
         vectors_of_block(plan, k) >= BalancedPolicy::least_spread;
}

/// Whether groups of rows of `mean` entries take three loads or two: three where a row of X takes
/// five loads or six, or nine and more; two of pairs, from nine on, and of smaller types, from 17
/// on or where a load is two columns. Five and six loads of other widths need long rows, and in
/// fp64 9 to 12 of fours long ones or many.
inline bool spreads_groups(const BalancedPlan& plan, std::int64_t rows, double mean, std::int64_t k,
                           std::size_t element_bytes) {
  using Policy = BalancedPolicy;
  const std::int64_t vectors = vectors_of_block(plan, k);
  if (plan.width == 1 || vectors < Policy::least_group_spread) {
    return false;
  }
  const SpreadLanes lanes = spread_lanes(vectors);
  const bool halves = element_bytes < 8 && plan.width == 2;
  const bool long_rows = mean >= Policy::long_group_spread_mean;
  if (vectors < Policy::least_spread) {
    return halves || (lanes.loads == 3 && long_rows);
  }
  if (plan.group_rows == 4 && element_bytes == 8 && lanes.log_lanes == 2 && !long_rows) {
    return static_cast<double>(rows) * mean >= Policy::least_spread_of_fours;
  }
  return lanes.loads == 3 || halves || plan.group_rows == 2 ||
         (element_bytes < 8 && lanes.log_lanes > 3);
}

/// Sets lanes and slots for groups of rows of `mean` entries: slots as bins, but two in place of
/// one where they fill the device, since teams of one slot read A by less than sectors of L2.
inline void choose_group_lanes(BalancedPlan& plan, std::int64_t rows, double mean, std::int64_t k,
                               std::size_t element_bytes) {
  using Policy = BalancedPolicy;
  if (spreads_groups(plan, rows, mean, k, element_bytes)) {
    spread(plan, k);
  }
  const std::int64_t warps = choose_slots(plan, 2 * rows / plan.group_rows, mean, k);
  plan.log_slots = choose_log_slots(mean, plan);
  if (plan.log_slots == 0 && plan.log_lanes > 0 && mean >= Policy::least_two_slot_mean &&
      plan.log_lanes <= Policy::most_two_slot_log_lanes(element_bytes) &&
      warps >= Policy::two_slot_warps) {
    plan.log_slots = 1;
  }
}

/// The lanes of rows alone, of `mean` entries; as they are for few columns.
inline void choose_row_lanes(BalancedPlan& plan, std::int64_t rows, double mean, std::int64_t k,
                             std::size_t element_bytes = 8) {
  if (!takes_row_lanes(plan, k)) {
    return;
  }
  spread(plan, k);
  plan.batch = plan.loads == 2 && mean < BalancedPolicy::long_batch_from
                   ? 2
                   : BalancedPolicy::unroll(1, plan.loads);
  choose_slots(plan, rows, mean, k);
  const int odd_loads = static_cast<int>(ceil_div(vectors_of_block(plan, k), std::int64_t{8}));
  if (plan.order == RowOrder::natural && plan.width == 1 &&
      odd_loads >= BalancedPolicy::odd_loads && odd_loads <= BalancedPolicy::most_odd_loads &&
      BalancedPolicy::takes_odd_loads(plan.far, element_bytes, odd_loads)) {
    BalancedPlan more = plan;
    more.loads = odd_loads;
    more.log_lanes = 3;
    more.column_block = static_cast<unsigned>(more.loads) << more.log_lanes;
    more.batch = BalancedPolicy::batch_of_odd(odd_loads);
    choose_slots(more, rows, mean, k);
    plan = more.log_slots == 0 ? more : plan;
  }
}

/// What a block fetches into L2 for a block behind it: entries, as many as it has in the mean, and
/// the row pointers of as many rows, `distance` rows on. No entries: nothing.
struct Ahead {
  unsigned entries, rows, distance;
};

/// For `nnz` entries in `rows` rows, of which a block takes `of_block` in the order of A.
inline Ahead choose_ahead(const BalancedPlan& plan, std::int64_t rows, std::int64_t nnz,
                          unsigned of_block, std::size_t element_bytes = 8) {
  const bool in_order = plan.order == RowOrder::natural || plan.order == RowOrder::packed ||
                        plan.order == RowOrder::short_rows || plan.order == RowOrder::grouped;
  const double mean = static_cast<double>(nnz) / static_cast<double>(rows);
  const bool gathers = plan.far && mean >= BalancedPolicy::most_ahead_far;
  const std::size_t least =
      gathers ? BalancedPolicy::least_ahead_far_bytes : BalancedPolicy::least_ahead_bytes;
  if (!in_order || plan.column_block * element_bytes < least || nnz < BalancedPolicy::least_ahead) {
    return {};
  }
  return {static_cast<unsigned>(mean * of_block) + 1, of_block,
          static_cast<unsigned>(BalancedPolicy::ahead_entries / mean)};
}

}  // namespace sparserepro
