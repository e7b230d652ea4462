// How cuda_csr_balanced divides the work, from K and the statistics of the rows; its tuned numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace sparserepro {

/// What one look at row pointers and columns gives.
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

/// The paths. `uncut` is the natural order without segments: rows of any length are left whole.
enum class RowOrder { natural, binned, grouped, streamed, flat, uncut };

/// What a product does; `log_slots` of rows in natural order or in groups.
struct BalancedPlan {
  RowOrder order;
  bool far;
  int width, loads, log_lanes, log_slots;
  int log_more;  ///< doublings of the slots that a small matrix needs to occupy the device
  unsigned tile;
};

/// Tuned on one H200, microseconds of one product, figures of one sentence from one run; FEM is
/// fem:nx=51,ny=51,nz=51 (31M entries), uniform 500k x 500k with 10M, stencil
/// fem:stencil=5,nx=1096,ny=1096,nz=1,dofs=1 (6M), circuit and band their defaults, R-MAT
/// rmat:scale=20,symmetric=0 (16M), short rows 3 of each of 1M. Against the best cuSPARSE of each
/// of 41 cells of these with K from 2 to 64: 2.4 times as fast in geometric mean, least R-MAT at
/// K = 64 (1.2). With one column, against cusparseSpMM and cusparseSpMV with their analysis: 1.02
/// (R-MAT) to 1.5 (FEM) times. 18 real matrices of 4 thousand to 3 million entries, K from 1 to
/// 128, 180 cells: 1.8 times, least 1.1 (olm1000 at K = 32, which is launches alone).
struct BalancedPolicy {
  /// 64: uniform 1 % faster, band at K = 16 319 -> 337. 256: FEM at K = 16 268 -> 293.
  static constexpr int threads = 128;
  /// At most 40 registers for single rows and loads, 64 for others. Unbounded the compiler keeps to
  /// 40 and puts each gather behind the addition before it: FEM at K = 64 takes 736 and not 637.
  /// But where L1 serves few gathers, more warps are worth more: R-MAT at K = 64 takes 1233 with 40
  /// registers, 1330 with 64; band 930 and 1035.
  static constexpr int resident_blocks(int rows, int loads) { return rows * loads == 1 ? 12 : 8; }
  static constexpr int stream_blocks = 8;
  /// Entries that a thread gathers at once. Eight: uniform at K = 128 2117 -> 1969, but R-MAT at K
  /// = 64 1330 -> 1395, FEM at K = 64 637 -> 719.
  static constexpr int unroll(int rows, int loads) { return rows * loads > 2 ? 2 : 4; }
  /// Rows of one pattern that share the gathered rows of X. FEM in natural order and in groups: K =
  /// 1 149, 88; K = 16 454, 268; K = 128 2683, 1593.
  static constexpr int group_rows = 3;
  /// Least share of the entries in rows with the pattern of the row before that makes groups pay.
  static constexpr double least_same = 0.4;
  /// Padding of 32 rows to their longest beyond which rows are binned by length. R-MAT (18): K = 1
  /// 364 -> 154, K = 8 441 -> 251, K = 64 1700 -> 1457; uniform (1.49): K = 8 156 -> 172.
  static constexpr double most_padding = 1.6;
  /// Rows shorter on average, by at least so many lanes, are streamed. Stencil (5): K = 16 168 ->
  /// 149, K = 64 667 -> 423; short rows: K = 64 562 -> 481; but band (27): K = 64 1035 -> 1190,
  /// stencil at K = 8, 4 lanes: 90 -> 112.
  static constexpr double short_rows = 12;
  static constexpr int least_stream_lanes = 8;
  /// Entries of a task of the stream, counting `row_cost` for a row besides. Stencil at K = 16 by
  /// 32, 64, 128, 256: 140, 149, 162, 168; at K = 64: 436, 423, 440, 440.
  static constexpr int task_entries = 32, row_cost = 2;
  /// Entries of a step and of a task of the flat product. It replaces bins (R-MAT 146 -> 126,
  /// cnr-2000 with 3.2M entries 21.1 -> 17.8), cut rows (circuit 29.4 -> 25.9), long rows far from
  /// the diagonal (uniform 91.2 -> 85.2); but short rows 28.5 -> 33.1, and below `least_flat`
  /// entries its two kernels take longer: memplus 4.7 -> 6.8, p2p-Gnutella31 5.0 -> 6.5. Tasks of
  /// 512, 1024 and 2048: circuit 27.5, 25.9, 26.3; uniform 86.1, 85.8, 89.0. Other designs: scans
  /// in registers instead of shared memory, R-MAT 131 -> 139; shared rows added up by the last of
  /// their tasks, 146 and bins 144; the elements of x that 60 % of the entries need copied side by
  /// side, 126 -> 153.
  static constexpr int flat_step = 256, flat_task = 1024;
  static constexpr double least_flat = 2e6;
  /// 80 registers, for the entries of two steps. 8, for one: R-MAT 133 and not 131, circuit 31.3
  /// and 28.9. R-MAT is bound by L2 (91 % busy); with the shared memory that the driver would
  /// choose L1 is smaller, 129 and not 126.
  static constexpr int flat_blocks = 6;
  /// Least entries per slot, by the lanes: more slots make loads of A adjoin, fewer leave less to
  /// add up. FEM at K = 8 with 8 and 4 slots: 183, 163; uniform at K = 1 with 16, 8, 2: 97, 95,
  /// 117; band at K = 1 with 8 and 4: 143, 106.
  static constexpr double entries_per_slot(int log_lanes, bool far) {
    return log_lanes == 0 ? (far ? 2.5 : 3.4) : log_lanes == 1 ? 10 : log_lanes == 2 ? 14 : 28;
  }
  /// An entry farther from the diagonal finds no row of X in L1 or L2 that neighbours left there;
  /// half of the entries must be so for the far tiles.
  static constexpr float near_columns = 16384;
  /// Columns of X at once. FEM at K = 128 by 32, 64, 128: 1743, 1593, 1194. Far: few while all rows
  /// of such a tile nearly fit L2 (60 MB), uniform at K = 128 by 8, 16, 32, 64, 128: 3103, 2126,
  /// 2151, 2261, 2387; else R-MAT at K = 128 by 16, 32, 64, 128: 3291, 2506, 2389, 2470.
  static constexpr unsigned near_tile = 128, narrow_tile = 16, far_tile = 64;
  static constexpr std::int64_t narrow_bytes = 66'000'000;
  /// Warps that occupy the device. Rows that do not fill them get more slots and no groups, since
  /// then the time is that of one row: bcsstk16 (4884 rows) at K = 3 7.1 -> 5.4, K = 12 10.8
  /// -> 7.4.
  static constexpr int device_warps = 132 * 32;
  /// Rows are cut at `segment` entries, or `segment_slot` per slot of a warp where that is more,
  /// but at a warp's share of all entries in a small matrix, down to `least_slot` per slot: memplus
  /// (126k entries) at K = 64 33.5 -> 18.9, web-NotreDame (1.5M) at K = 1 23.7 -> 16.4,
  /// soc-Epinions1 (0.5M) at K = 64 76.8 -> 54.9. Twice that share: 16.9, 16.3, 72.7.
  /// `least_slot_of_32` where a warp is all slots, soc-Epinions1 at K = 1 11.4 -> 9.0, email-Enron
  /// (0.4M) 9.7 -> 7.5, but only if some row is beyond `least_slot` of these: memplus, whose
  /// longest has 574, 6.6 -> 4.7.
  static constexpr int segment = 256, segment_slot = 64, least_slot = 32, least_slot_of_32 = 8;
  /// Twice the mean is an ordinary row and not cut, unless rows are too few to fill the device:
  /// bcsstk16 (mean 59) at K = 64 27.9 -> 15.0, but mbeacxc (496 rows, mean 100) 14.3 -> 29.5.
  static constexpr std::int64_t few_rows = device_warps / 4;
  /// Loads of 8 segments by which a slot of the kernel that adds segments gets through the longest
  /// row; more slots than it takes are so many more blocks, 8 slots and what it takes: mbeacxc at K
  /// = 128 15.3, 9.8; Groebner_id2003_aug 34.1, 23.8; R-MAT at K = 64 1267, 1235.
  static constexpr std::int64_t combine_rounds = 8;
};

/// So that only the last row of a task of the stream can be one that is cut.
static_assert(BalancedPolicy::task_entries <= BalancedPolicy::least_slot);

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
  const std::int64_t held = std::min<std::int64_t>(k, columns);
  plan.log_lanes = std::min(log2_ceil((held + plan.width - 1) / plan.width), 5);
  plan.loads = held > std::int64_t{plan.width} << plan.log_lanes ? 2 : 1;
  plan.tile = static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes;
}

/// Entries beyond which a row is cut, of a matrix of `rows` rows and `nnz` entries.
inline int segment_entries(std::int64_t rows, std::int64_t nnz, std::int64_t k) {
  BalancedPlan plan{};
  choose_lanes(plan, k, BalancedPolicy::far_tile);
  const int log_slots = 5 - plan.log_lanes;
  const int most = std::max(BalancedPolicy::segment, BalancedPolicy::segment_slot << log_slots);
  const std::int64_t share = nnz / BalancedPolicy::device_warps;
  const std::int64_t usual = rows < BalancedPolicy::few_rows ? 0 : 2 * nnz / rows;
  const std::int64_t least =
      (log_slots == 5 ? BalancedPolicy::least_slot_of_32 : BalancedPolicy::least_slot) << log_slots;
  return static_cast<int>(std::min<std::int64_t>(most, std::max({least, share, usual})));
}

/// Entries up to which a longest row is left whole, since cutting it takes another kernel.
inline int uncut_entries(std::int64_t k) {
  BalancedPlan plan{};
  choose_lanes(plan, k, BalancedPolicy::far_tile);
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
                                std::int64_t cols, std::int64_t k) {
  BalancedPlan plan{};
  plan.far = static_cast<double>(statistics.far_entries) >
             0.5 * static_cast<double>(statistics.sampled_entries);
  const bool narrow = cols * BalancedPolicy::narrow_tile * std::int64_t{sizeof(double)} <=
                      BalancedPolicy::narrow_bytes;
  choose_lanes(plan, k,
               !plan.far ? BalancedPolicy::near_tile
               : narrow  ? BalancedPolicy::narrow_tile
                         : BalancedPolicy::far_tile);
  const double entries = static_cast<double>(statistics.short_entries);
  const double mean = entries / static_cast<double>(std::max<std::int64_t>(rows, 1));
  const std::int64_t tiles = (k + plan.tile - 1) / plan.tile;
  const std::int64_t warps = (rows * tiles << (plan.log_lanes + choose_log_slots(mean, plan))) / 32;
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
  } else if (k == 1 && entries >= BalancedPolicy::least_flat &&
             (uneven || statistics.segments > 0 ||
              (plan.far && mean >= BalancedPolicy::short_rows))) {
    plan.order = RowOrder::flat;
  } else if (uneven) {
    plan.order = RowOrder::binned;
  } else if (full && mean < BalancedPolicy::short_rows &&
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
inline std::string order_refusal(RowOrder order, std::int64_t nnz, std::int64_t k) {
  if (order == RowOrder::flat && k != 1) {
    return "path flat takes K = 1 alone, not K = " + std::to_string(k);
  }
  if (order == RowOrder::streamed) {
    BalancedPlan plan{};
    choose_lanes(plan, k, BalancedPolicy::narrow_tile);
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
