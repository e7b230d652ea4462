// How cuda_csr_balanced divides the work, from K and the statistics of the rows; its tuned numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// What one look at row pointers and columns gives.
struct RowStatistics {
  /// 0: no entries; b: (2^(b-2), 2^(b-1)] entries; the last: longer than a segment.
  static constexpr int bins = 16;
  static constexpr int long_bin = bins - 1;
  /// Entries of each row whose distance from the diagonal is looked at.
  static constexpr int sampled = 8;

  /// padded[t] = entries of all but the long rows if each aligned run of 2^t rows were padded to
  /// its longest.
  unsigned long long padded[6];
  unsigned long long bin_rows[bins];
  unsigned long long long_entries, segments;
  unsigned long long same_entries;  ///< in rows with the columns of the row before
  unsigned long long sampled_entries, far_entries;
};

enum class RowOrder { natural, binned, grouped };

/// What a product does; `log_slots` of rows in natural order or groups.
struct BalancedPlan {
  RowOrder order;
  int width, loads, log_lanes, log_slots;
  unsigned tile;
  int threads;
  int entries_per_slot;
};

/// Tuned on one H200, microseconds of one product; FEM is fem:nx=51,ny=51,nz=51 (31M entries),
/// uniform 500k x 500k with 10M, stencil fem:stencil=5,nx=1096,ny=1096,nz=1,dofs=1.
struct BalancedPolicy {
  /// 64 registers: without this bound the compiler keeps to 40 and puts each gather behind the
  /// addition before it; FEM at K = 64 736 -> 637.
  static constexpr int threads = 128, resident_blocks = 8;
  /// Entries that a thread gathers at once. Eight: uniform at K = 128 2117 -> 1969, but R-MAT 20 at
  /// K = 64 1330 -> 1395, stencil at K = 64 647 -> 687.
  static constexpr int unroll(int rows, int loads) { return rows * loads > 2 ? 2 : 4; }
  /// Rows of one pattern that share the gathered rows of X. FEM in natural order and in groups: K =
  /// 1 149, 88; K = 16 454, 268; K = 128 2683, 1072.
  static constexpr int group_rows = 3;
  /// Least share of the entries in rows with the pattern of the row before that makes groups pay.
  static constexpr double least_same = 0.4;
  /// Padding of the rows of a warp to its longest beyond which rows are binned by length. R-MAT 20
  /// (18 for 32 rows): K = 1 291 -> 152; uniform (1.49): 95 -> 102.
  static constexpr double most_padding = 1.6;
  /// Entries per slot: one lane takes more slots, so that loads of A adjoin. FEM at K = 8, 2.5 and
  /// 5 and 20 per slot: 183, 173, 162.
  static constexpr int entries_per_slot(int log_lanes) { return log_lanes == 0 ? 5 : 16; }
  /// An entry farther from the diagonal finds no row of X in L1 or L2 that neighbours left there.
  static constexpr float near_columns = 16384;
  /// Columns of X at once. FEM at K = 128 by 32, 64, 128: 1743, 1262, 1072; uniform by 8, 16, 32,
  /// 64, 128: 3590, 2103, 2302, 2328, 2400; R-MAT 20 by 16, 32, 64, 128: 3291, 2506, 2389, 2470.
  static constexpr unsigned near_tile = 128, far_tile = 32;
};

constexpr int log2_ceil(std::int64_t value) {
  int log = 0;
  while ((std::int64_t{1} << log) < value) {
    ++log;
  }
  return log;
}

/// Lanes, loads and tile for `columns` columns at once at most, of k.
inline void choose_lanes(BalancedPlan& plan, std::int64_t k, unsigned columns) {
  plan.width = k % 2 == 0 ? 2 : 1;
  const auto held = static_cast<std::int64_t>(std::min<std::int64_t>(k, columns));
  plan.log_lanes = std::min(log2_ceil((held + plan.width - 1) / plan.width), 5);
  plan.loads = held > std::int64_t{plan.width} << plan.log_lanes ? 2 : 1;
  plan.tile = static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes;
}

/// Entries beyond which a row is cut.
inline int segment_entries(std::int64_t k) {
  BalancedPlan plan{};
  choose_lanes(plan, k, 64);
  return std::max(256, 64 << (5 - plan.log_lanes));
}

inline int choose_log_slots(double entries, int log_lanes, int entries_per_slot) {
  return std::clamp(log2_ceil(static_cast<std::int64_t>(entries / entries_per_slot)), 0,
                    5 - log_lanes);
}

inline BalancedPlan choose_plan(const RowStatistics& statistics, std::int64_t rows,
                                std::int64_t k) {
  BalancedPlan plan{};
  plan.threads = BalancedPolicy::threads;
  const bool far = static_cast<double>(statistics.far_entries) >
                   0.5 * static_cast<double>(statistics.sampled_entries);
  choose_lanes(plan, k, far ? BalancedPolicy::far_tile : BalancedPolicy::near_tile);
  plan.entries_per_slot = BalancedPolicy::entries_per_slot(plan.log_lanes);
  const double entries = static_cast<double>(statistics.padded[0]);
  const double mean = entries / static_cast<double>(std::max<std::int64_t>(rows, 1));
  plan.log_slots = choose_log_slots(mean, plan.log_lanes, plan.entries_per_slot);
  const int log_rows = 5 - plan.log_lanes - plan.log_slots;
  if (static_cast<double>(statistics.same_entries) > BalancedPolicy::least_same * entries) {
    plan.order = RowOrder::grouped;
  } else if (static_cast<double>(statistics.padded[log_rows]) >
             BalancedPolicy::most_padding * entries) {
    plan.order = RowOrder::binned;
  } else {
    plan.order = RowOrder::natural;
  }
  return plan;
}

}  // namespace sparserepro
