// When cuda_partition divides columns in two levels, and into how many buckets in each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "transpose/cuda_partition/policy.hpp"

namespace sparserepro {

/// For one H200. Figures are times relative to what is set here, fp32 / fp64, measured there side
/// by side, if nothing else is said. One level takes 1.50 / 1.33 on R-MAT 22 (65M entries in 4M x
/// 4M). Two levels whose buckets are of one unit each, filled to 94 %, take 0.66 / 0.65 of one
/// level on 4M x 4M with 67M entries, 20 ps an entry in place of 31, where the 48 bytes moved would
/// take 12 at 4 TB/s; but 1.21 / 1.00 of it on 3M x 3M with 26M, and 1.36 / 1.24 on 500k x 500k
/// with 10M. By ncu, of 2M x 2M with 26M, their first split takes 141 us, the second 164, the
/// bucket pass 221, the kernels between 25. What was tried and dropped, the last three with such
/// buckets and relative to them:
///   - buckets of one unit each, filled to 85 %: 1.07 / 1.05 on R-MAT 22, for many exceed a tile
///     there; on 1M x 1M with 100M 0.86 / 0.95 of one level, where buckets of 8 units take 0.91 /
///     1.01. Two levels on R-MAT 20: 1.12 / 1.07 of one, on 20k x 4M with 10M 1.52 / 1.39;
///   - the runs of the next tile of the second split brought into L2 while this one is ranked: 1.02
///     / 1.06, 1.01 / 1.05 on R-MAT 22;
///   - 1.5 times as many coarse buckets: 1.00 / 0.99, 1.03 / 1.02 on R-MAT 22; two thirds of them:
///     1.01 / 1.00, 1.00 / 1.01;
///   - large tiles in both splits, 500k x 500k with 10M: 1.13 / 1.18; in the second alone: 1.09 /
///     1.09.
struct LevelsPolicy {
  /// Columns of a coarse bucket at most, as a power of two: rows share a word with them, in groups,
  /// each of which ends a tile.
  static constexpr int most_coarse_bits = 16;
  /// Units of columns to a bucket when entries spread evenly. 4: 1.00 / 0.99 on R-MAT 22, 1.01
  /// / 1.02 on 1M x 1M with 100M.
  static constexpr int units_each = 2;
  /// Entries from which on two levels pay, for each multiprocessor, unless A is local.
  static constexpr std::int64_t entries_each = 300000;
  /// Entries of a tile of one level that lie in each bucket it touches, in the mean, from which on
  /// A is local, and one level suits it. One takes 0.48 / 0.44 of two on 27 diagonals with 54M
  /// entries, 0.66 / 0.67 on FEM with 56M; with 54M entries on diagonals far apart, of which about
  /// 140 lie in a bucket, 0.71 / 0.72, 70: 0.76 / 0.77, 36: 0.69 / 0.72, but 18: 1.07 / 1.05. To
  /// find out, and to launch both, takes 1.03 / 1.02 of two levels alone on 4M x 4M with 67M, and
  /// 1.05 / 1.06 of one on the 27 diagonals. Dropped: a split with 8 tiles a block, which ends
  /// sooner when it is not its turn: 0.99 there, 1.00 in geometric mean of ten matrices.
  static constexpr int local_run = 20;
  /// Share of a tile that buckets must fill for it, in percent: they are less full where rows are
  /// so many that they leave few bits to columns.
  static constexpr int least_fill = 45;
};

/// Coarse buckets of `within.count` units each; buckets of the bucket pass of `per_bucket` at most.
struct TwoLevels {
  ColumnBuckets units;   ///< of all columns
  ColumnBuckets coarse;  ///< of all columns
  ColumnBuckets within;  ///< the units of a coarse bucket
  std::uint32_t per_bucket;
  int low_bits;  ///< of the columns of a bucket, and of those for what is not there, in a word
};

/// Units of a fraction of a tile; as many columns to a bucket at most as fit a word beside the row;
/// about as many coarse buckets as tiles in each.
inline TwoLevels choose_levels(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                               std::int64_t tile) {
  constexpr std::int64_t most = DevicePartitionPolicy::largest_digits;
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto columns_in = [](int bits) {
    return (std::int64_t{1} << bits) - DevicePartitionPolicy::absent_columns;
  };
  TwoLevels levels{};
  while (columns_in(levels.low_bits + 1) <= most && (rows - 1) >> (31 - levels.low_bits) == 0) {
    ++levels.low_bits;
  }
  if (columns_in(levels.low_bits) < 1) {
    levels.low_bits = 0;  // one column
  }
  const std::int64_t most_columns = std::max(columns_in(levels.low_bits), std::int64_t{1});
  const std::int64_t width =
      std::clamp(DevicePartitionPolicy::fill * tile * cols / (100 * LevelsPolicy::units_each * nnz),
                 std::int64_t{1}, std::min(most_columns, cols));
  const std::int64_t count = ceil_div(cols, width);
  std::int64_t coarse = std::max(ceil_div(cols, std::int64_t{1} << LevelsPolicy::most_coarse_bits),
                                 ceil_div(count, most));
  while (coarse * coarse < nnz / tile && coarse < count) {
    ++coarse;
  }
  const auto each = static_cast<std::uint32_t>(ceil_div(count, coarse));
  const auto all = static_cast<std::uint32_t>(cols), narrow = static_cast<std::uint32_t>(width);
  levels.units = {all, narrow};
  levels.coarse = {all, each * narrow};
  levels.within = {each * narrow, narrow};
  levels.per_bucket = static_cast<std::uint32_t>(most_columns / width);
  return levels;
}

/// Whether two levels with tiles of `tile` entries are faster than one.
inline bool two_levels_pay(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                           std::int64_t tile, std::int64_t multiprocessors) {
  if (nnz < LevelsPolicy::entries_each * multiprocessors) {
    return false;
  }
  const TwoLevels levels = choose_levels(rows, cols, nnz, tile);
  const std::int64_t most_columns = std::int64_t{levels.per_bucket} * levels.units.width;
  return 100 * nnz / cols * most_columns >= LevelsPolicy::least_fill * tile &&
         levels.units.width * LevelsPolicy::units_each > DevicePartitionPolicy::narrow_bucket;
}

/// Entries that must lie in each bucket of one level that a tile touches, in the mean, for A to be
/// so local that one level suits it: more than there are where buckets exceed a tile. There one
/// level takes 3.6 of two on a band of 341 with a pattern of 2.2e9 entries.
inline std::uint32_t least_local_run(const ColumnBuckets& buckets, std::int64_t nnz,
                                     std::int64_t tile) {
  return buckets.count * tile >= nnz ? LevelsPolicy::local_run : ~0U;
}

}  // namespace sparserepro
