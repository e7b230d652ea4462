// How cuda_csr_balanced divides the work: the path and the columns at once, by K and the statistics
// of the rows. lanes.hpp has the teams, cuts.hpp what becomes of long rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "spmm/cuda_csr_balanced/plan/cuts.hpp"
#include "spmm/cuda_csr_balanced/plan/lanes.hpp"
#include "spmm/cuda_csr_balanced/plan/paths.hpp"
#include "spmm/cuda_csr_balanced/plan/policy.hpp"
#include "spmm/cuda_csr_balanced/plan/row_statistics.hpp"

namespace sparserepro {

/// Lanes of a warp that adds up segments, the others being slots along the segments of a row: so
/// many that the longest row takes at most `combine_rounds` of 8 segments a slot.
inline int choose_combine_log_lanes(unsigned long long longest, int segment, std::int64_t k) {
  const auto segments = static_cast<std::int64_t>(longest / static_cast<unsigned>(segment)) + 1;
  const int log_slots = std::min(3, log2_ceil(segments / (8 * BalancedPolicy::combine_rounds) + 1));
  return std::min(5 - log_slots, log2_ceil(k));
}

/// Tasks of path flat: the rows that begin in `stride` entries and have at most `longest`, a power
/// of two of at least `stride`; a warp takes one, or a block.
struct FlatShape {
  int stride, longest;
  bool by_warps;
};

/// For `nnz` entries. Strides leave room for the entries of the last row in one step.
inline FlatShape flat_shape(std::int64_t nnz) {
  return nnz < BalancedPolicy::least_flat_of_blocks ? FlatShape{112, 128, true}
                                                    : FlatShape{480, 512, false};
}

/// Upper bound of the parts of long rows of path flat, of any matrix of `nnz` entries.
inline std::int64_t flat_most_parts(std::int64_t nnz, const FlatShape& shape) {
  return nnz / shape.longest + nnz / BalancedPolicy::flat_part;
}

/// The same of a matrix with these statistics.
inline std::int64_t flat_parts(const RowStatistics& statistics, std::int64_t nnz,
                               const FlatShape& shape) {
  std::int64_t rows = 0;
  for (int bin = log2_ceil(shape.longest) + 2; bin < RowStatistics::bins - 1; ++bin) {
    rows += static_cast<std::int64_t>(statistics.bin_rows[bin] + statistics.long_rows[bin]);
  }
  const bool several = statistics.longest > BalancedPolicy::flat_part;
  return std::min(flat_most_parts(nnz, shape),
                  rows + (several ? nnz / BalancedPolicy::flat_part : 0));
}

/// Largest power of two c with c * bytes <= limit, within [least, most].
inline unsigned columns_within(double limit, double bytes, unsigned least, unsigned most) {
  unsigned columns = least;
  while (columns < most && 2 * columns * bytes <= limit) {
    columns *= 2;
  }
  return columns;
}

/// Columns of X at once, so that the rows of X that are used again soon stay in L2. `alike`: rows
/// are taken in groups.
inline unsigned choose_columns(const RowStatistics& statistics, bool far, bool alike,
                               std::int64_t rows, std::int64_t cols, std::int64_t k,
                               std::size_t element_bytes) {
  constexpr unsigned most = BalancedPolicy::near_block;
  const auto element = static_cast<double>(element_bytes);
  const auto of_bytes = [&](std::size_t bytes) {
    return static_cast<unsigned>(bytes / element_bytes);
  };
  const unsigned far_block = of_bytes(BalancedPolicy::far_block_bytes);
  const double column = static_cast<double>(cols) * element;
  if (alike || repeats_columns(statistics)) {
    return most;
  }
  const std::int64_t half_blocks = 2 * k / far_block;
  const unsigned whole = half_blocks == 3 ? most : far_block;  // all, not a block and a part
  unsigned columns = of_bytes(BalancedPolicy::small_block_bytes);
  if (!far || is_wide_band(statistics, cols)) {
    // Rows of X within reach of a row, twice the farthest entry in either direction.
    const double window = 4 * mean_distance(far ? statistics.middle : statistics.near);
    columns = columns_within(BalancedPolicy::window_bytes(far), window * element, columns, most);
  } else {
    const unsigned medium = of_bytes(BalancedPolicy::medium_block_bytes);
    if (medium * column <= BalancedPolicy::medium_bytes) {
      columns = medium;
    } else if (columns * column > BalancedPolicy::small_bytes) {
      return whole;
    }
    columns = columns_within(BalancedPolicy::resident_bytes, column, columns, most);
    if (columns < far_block && has_hub_columns(statistics, rows, cols)) {
      return whole;
    }
  }
  while (columns < far_block && k % columns != 0) {
    columns *= 2;
  }
  return columns;
}

/// Upper bound of the entries of the longest row that is not cut into segments of `segment`.
inline std::uint64_t longest_whole(const RowStatistics& statistics, std::uint64_t segment) {
  int bin = RowStatistics::long_bin - 1;
  while (bin > 0 && statistics.bin_rows[bin] == 0) {
    --bin;
  }
  const std::uint64_t most = std::min<std::uint64_t>(statistics.longest, segment);
  return bin == 0                             ? 0
         : bin == RowStatistics::long_bin - 1 ? most
                                              : std::min(most, std::uint64_t{1} << (bin - 1));
}

/// Whether the longest row that is not cut takes its team much longer than the device takes for all
/// rows in natural order: each round of a batch waits for the one before. `mean` is that of the
/// entries of a row, `warps` those of all rows.
inline bool row_hangs_over(std::uint64_t longest, double mean, std::int64_t warps,
                           const BalancedPlan& plan) {
  const int batch = plan.batch << choose_log_slots(mean, plan);  // with the slots of bins
  const double rounds = static_cast<double>(longest) / batch;
  const double turns = std::max(1.0, static_cast<double>(warps) / BalancedPolicy::device_warps);
  return rounds > BalancedPolicy::least_overhang + 2 * turns * std::max(1.0, mean / batch);
}

/// Whether path packed waits for segments of `segment` entries when it has taken all rows: with odd
/// K it has few slots and registers for them, with 16 lanes two slots. Rounds of the longest
/// segment, turns of the rows on the device. Circuits of 90k, 400k and 800k rows, K = 3, 5, 7:
/// 14.7, 21.6, 23.4, 44, 71, 72, 41, 69, 73 packed, 10.6, 10.6, 11.7, 30, 41, 50, 37, 54, 58
/// natural; of 1.5M, K = 3, 5: 80, 105, 102, 133; of 9700 and 21,000, K = 20: 9.2, 9.6, 7.0, 8.3.
inline bool segments_hang_over(const PathCase& c, int segment) {
  const int log_lanes = log2_ceil(c.lanes());
  const std::int64_t rounds =
      (std::int64_t{segment} << log_lanes) / (32 * BalancedPolicy::unroll(1, 1));
  const bool has_few_slots =
      log_lanes == 4 || (c.k % 2 == 1 && 1 << log_lanes <= BalancedPolicy::block_lanes);
  return c.statistics.segments > 0 && has_few_slots &&
         (log_lanes == 4 ? 1 : 3) * rounds >
             (c.rows << log_lanes) / (32 * BalancedPolicy::device_warps);
}

/// Whether path packed, `warps` warps of which take all rows, leaves a quarter of a second turn of
/// the device or less to the last of them; lanes that are a power of two fill its warps no better
/// than those of natural order. Uniform, 5 and 9 points, columns of hubs, 5300 to 6600 warps, K = 4
/// and 8, in fp32 8 and 16: natural 0.67 to 0.96 of packed; 5200 warps 1.0 to 1.14.
inline bool packed_hangs_over(const PathCase& c, std::int64_t warps) {
  using Policy = BalancedPolicy;
  const auto lanes = static_cast<std::uint64_t>(c.lanes());
  const std::size_t load_bytes = static_cast<std::size_t>(c.width) * c.element_bytes;
  const int batch = Policy::packed_batch(c.mean());
  const double turns = static_cast<double>(warps) /
                       (Policy::multiprocessors * Policy::packed_blocks(load_bytes, batch) *
                        static_cast<double>(Policy::most_packed_threads / 32));
  return batch == 4 && load_bytes == 16 && lanes > 1 && std::has_single_bit(lanes) &&
         turns > 1 + Policy::least_turn && turns <= 1.25;
}

/// `segment` is the most entries of a row that is not cut; `nnz` those of all rows.
inline BalancedPlan choose_plan(const RowStatistics& statistics, std::int64_t rows,
                                std::int64_t cols, std::int64_t k, std::size_t element_bytes = 8,
                                int segment = std::numeric_limits<int>::max(),
                                bool few_calls = false, std::int64_t nnz = 0) {
  BalancedPlan plan{};
  plan.far = statistics.sampled_entries > 0 &&
             share(statistics.near.entries, statistics.sampled_entries) < 0.5;
  plan.band = is_near_band(statistics, plan.far, cols);
  const double same = share(statistics.same_entries, statistics.looked_entries);
  const bool alike = same > BalancedPolicy::least_same;
  plan.group_rows = BalancedPolicy::group_rows(same);
  choose_lanes(plan, k, choose_columns(statistics, plan.far, alike, rows, cols, k, element_bytes),
               element_bytes);
  const PathCase rows_of{statistics, rows, cols, nnz, k, element_bytes, plan.far, plan.width};
  const double mean = rows_of.mean(), padding = rows_of.padding();
  const std::int64_t column_blocks = (k + plan.column_block - 1) / plan.column_block;
  const std::int64_t warps = choose_slots(plan, rows, mean, k);
  const std::int64_t packed_below = BalancedPolicy::packed_below(mean, rows_of.x_bytes());
  const int columns_of_16_bytes = element_bytes == 4 && plan.width == 4 ? 2 : 1;  // in pairs
  BalancedPlan least_slots = plan;
  least_slots.log_more = 0;
  const bool small = is_small(rows_of);
  const bool one_slot = choose_log_slots(mean, least_slots) == 0 &&
                        static_cast<double>(warps) >= BalancedPolicy::packed_warps(mean) && k > 1 &&
                        (small || k < packed_below * columns_of_16_bytes);
  const bool packs = one_slot && (small || k % 2 == 0 || k < BalancedPolicy::unpacked_odd ||
                                  mean < BalancedPolicy::unpacked_mean);
  const auto cut = static_cast<std::uint64_t>(segment);
  const std::uint64_t longest =
      one_slot ? longest_whole(statistics, cut) : std::min<std::uint64_t>(statistics.longest, cut);
  const std::int64_t vectors = vectors_of_block(plan, k);
  const bool spread = column_blocks == 1 && takes_row_lanes(plan, k);
  const bool whole_warps = (spread ? spread_lanes(vectors).log_lanes : plan.log_lanes) == 5;
  const double most_even = !whole_warps && mean >= BalancedPolicy::part_warp_mean
                               ? BalancedPolicy::most_even_padding_of_part_warps
                               : BalancedPolicy::most_even_padding;
  const bool bounded =
      static_cast<double>(longest) <= BalancedPolicy::bounded_rows * std::max(mean, 1.0);
  const bool even =
      are_tiny(rows_of) ||
      ((padding <= (bounded ? BalancedPolicy::most_even_padding : most_even) ||
        (are_alike(rows_of) && !lie_apart(rows_of) && !goes_by_even_shares(rows_of))) &&
       !row_hangs_over(longest, mean, warps << plan.log_more, plan));
  const bool is_whole_odd =
      plan.width == 1 && k >= BalancedPolicy::least_ungrouped_odd &&
      k <= BalancedPolicy::most_ungrouped_odd &&
      (k < BalancedPolicy::least_grouped_odd ||
       (plan.group_rows == 3 && mean < BalancedPolicy::least_grouped_odd_mean));
  const bool is_lanes_odd = plan.width == 1 && k >= BalancedPolicy::least_odd_natural &&
                            k <= BalancedPolicy::most_odd_natural(element_bytes) &&
                            mean < BalancedPolicy::least_grouped_odd_mean;
  const bool hangs = packs && even && segments_hang_over(rows_of, segment);
  const bool goes_packed = packs && even && !hangs;
  const bool grouped = alike ? groups_fill(rows_of, plan.group_rows, warps, goes_packed)
                             : same > BalancedPolicy::least_same_of_pairs && takes_pairs(rows_of);
  if (grouped && !is_whole_odd && !is_lanes_odd) {
    plan.order = RowOrder::grouped;
  } else if (goes_side_by_side(rows_of)) {
    plan.order = RowOrder::packed;
  } else if (goes_by_blocks(rows_of)) {
    plan.order = RowOrder::blocks;
  } else if (goes_flat(rows_of) || (!few_calls && goes_by_long_shares(rows_of))) {
    plan.order = RowOrder::flat;
  } else if (even && statistics.segments == 0 && goes_staged(rows_of)) {
    plan.order = RowOrder::staged;
  } else if (are_apart_and_wide(rows_of)) {
    plan.order = rows_of.lanes() <= 32 && !are_nearly_empty(rows_of) ? RowOrder::packed
                                                                     : RowOrder::short_rows;
  } else if (goes_by_one_load(rows_of)) {
    plan.order = RowOrder::natural;
  } else if ((even || are_alike(rows_of)) && goes_by_short_rows(rows_of)) {
    plan.order = RowOrder::short_rows;
  } else if ((goes_packed && !packed_hangs_over(rows_of, warps)) ||
             (alike && even && statistics.segments == 0 &&
              goes_by_triples(rows_of, plan.group_rows))) {
    plan.order = RowOrder::packed;
  } else if ((!even || (hangs && goes_by_hanging_triples(rows_of))) && !few_calls &&
             goes_by_uneven_shares(rows_of)) {
    plan.order = RowOrder::flat;
  } else if (!even && !goes_as_it_lies(rows_of)) {
    plan.order = RowOrder::binned;
  } else {
    plan.order = RowOrder::natural;
  }
  return plan;
}

/// The order that a plan for `calls` products, 0: many, takes without statistics of the rows;
/// automatic: none.
inline RowOrder order_without_statistics(std::int64_t k, std::int64_t calls) {
  return k == 1 && calls > 0 && calls < BalancedPolicy::paying_calls ? RowOrder::merged
                                                                     : RowOrder::automatic;
}

/// "" or why a product with K = k of a matrix with `nnz` entries cannot take the order.
inline std::string order_refusal(RowOrder order, std::int64_t nnz, std::int64_t k,
                                 std::size_t element_bytes = 8) {
  if (order == RowOrder::flat && k == 1 && element_bytes < 4) {
    return "path flat takes K = 1 in fp64 and fp32 alone";
  }
  if (order == RowOrder::merged && k != 1) {
    return "path merged takes K = 1 alone, not K = " + std::to_string(k);
  }
  if (order == RowOrder::packed || order == RowOrder::staged ||
      (order == RowOrder::flat && k > 1)) {
    const int width = load_width(k, element_bytes);
    if (k > 32 * width) {
      return std::string("path ") + to_string(order) +
             " takes at most 32 loads of a row of X; K = " + std::to_string(k) + " makes " +
             std::to_string(k / width);
    }
  }
  const bool is_whole = leaves_rows_whole(order) && order != RowOrder::staged;
  const bool counts_on = order == RowOrder::staged || order == RowOrder::flat;
  const std::int64_t most = is_whole    ? most_uncut
                            : counts_on ? most_counted
                                        : std::numeric_limits<std::int64_t>::max();
  return nnz <= most ? ""
                     : std::string("path ") + to_string(order) + " takes at most " +
                           std::to_string(most) + " entries, not " + std::to_string(nnz);
}

}  // namespace sparserepro
