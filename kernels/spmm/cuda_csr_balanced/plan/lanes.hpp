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

/// Sets the slots for groups of rows of `mean` entries: as bins, but two in place of one where they
/// fill the device, since teams of one slot read A by less than sectors of L2.
inline void choose_group_slots(BalancedPlan& plan, std::int64_t rows, double mean, std::int64_t k,
                               std::size_t element_bytes) {
  using Policy = BalancedPolicy;
  const std::int64_t warps = choose_slots(plan, 2 * rows / plan.group_rows, mean, k);
  plan.log_slots = choose_log_slots(mean, plan);
  if (plan.log_slots == 0 && plan.log_lanes > 0 && mean >= Policy::least_two_slot_mean &&
      plan.log_lanes <= Policy::most_two_slot_log_lanes(element_bytes) &&
      warps >= Policy::two_slot_warps) {
    plan.log_slots = 1;
  }
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

/// The lanes of path packed: all columns at once, by one load.
inline void choose_packed_lanes(BalancedPlan& plan, std::int64_t k) {
  plan.loads = 1;
  plan.log_lanes = log2_ceil(k / plan.width);
  plan.column_block = static_cast<unsigned>(k);
}

/// How path short_rows takes rows: lanes of a row, loads of a lane, rows of a thread.
struct ShortLanes {
  unsigned lanes;
  int loads, rows;
};

/// For `k` columns, `width` in a load: equal blocks of columns, of at most 32 lanes. One load of
/// several columns where two would leave few lanes.
inline ShortLanes short_lanes(std::int64_t k, int width) {
  const auto vectors = static_cast<unsigned>(k / width);
  const int loads = width == 1 || vectors >= BalancedPolicy::least_short_pairs ? 2 : 1;
  const unsigned blocks = ceil_div(vectors, 32U * static_cast<unsigned>(loads));
  return {ceil_div(ceil_div(vectors, blocks), static_cast<unsigned>(loads)), loads,
          width == 1 ? 2 : 1};
}

/// The lanes of path short_rows.
inline void choose_short_lanes(BalancedPlan& plan, std::int64_t k) {
  const ShortLanes lanes = short_lanes(k, plan.width);
  plan.loads = lanes.loads;
  plan.log_lanes = log2_ceil(lanes.lanes);
  plan.column_block = lanes.lanes * static_cast<unsigned>(lanes.loads * plan.width);
}

/// Threads of a block of path packed, for rows of `mean` entries.
inline unsigned packed_threads(double mean) {
  return mean < BalancedPolicy::few_entries ? BalancedPolicy::most_packed_threads
                                            : BalancedPolicy::threads;
}

/// How path blocks takes a row: blocks of `threads` threads, teams of `lanes` lanes, a load each.
struct RowBlock {
  unsigned lanes, threads;
};

/// For `rows` rows and `k` columns, `width` in a load: as many threads as the device holds at once.
inline RowBlock row_block(std::int64_t rows, std::int64_t k, int width) {
  const auto vectors = std::max(1U, static_cast<unsigned>(k / width));
  const unsigned column_blocks = ceil_div(vectors, 32U);
  RowBlock block{ceil_div(vectors, column_blocks), BalancedPolicy::least_row_threads};
  while (2 * block.threads <= BalancedPolicy::most_row_threads &&
         rows * column_blocks * 2 * block.threads <= BalancedPolicy::device_row_threads) {
    block.threads *= 2;
  }
  return block;
}

/// How a warp of path flat parts its task with more than one column: `count` teams of `lanes`
/// lanes, with 2^log_share entries each.
struct ShareTeams {
  unsigned lanes, count;
  unsigned inverse;  ///< lane / lanes = lane * inverse / 2^16
  int log_share;
};

/// For `k` columns, `width` in a load: at most 32 loads.
inline ShareTeams share_teams(std::int64_t k, int width) {
  const auto lanes = static_cast<unsigned>(k / width);
  ShareTeams teams{lanes, 32 / lanes, ceil_div(65536U, lanes), BalancedPolicy::most_log_share};
  while (teams.count << teams.log_share > BalancedPolicy::share_entries) {
    --teams.log_share;
  }
  return teams;
}

/// Whether rows alone, in natural order or in bins, take two or three loads of their own.
inline bool takes_row_lanes(const BalancedPlan& plan, std::int64_t k) {
  return k > BalancedPolicy::halved_below &&
         vectors_of_block(plan, k) >= BalancedPolicy::least_spread;
}

/// The lanes of rows alone, of `mean` entries; as they are for few columns.
inline void choose_row_lanes(BalancedPlan& plan, std::int64_t rows, double mean, std::int64_t k,
                             std::size_t element_bytes = 8) {
  if (!takes_row_lanes(plan, k)) {
    return;
  }
  const SpreadLanes lanes = spread_lanes(vectors_of_block(plan, k));
  plan.loads = lanes.loads;
  plan.log_lanes = lanes.log_lanes;
  plan.column_block = static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes;
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
