// When cuda_partition divides columns in two levels, and into how many buckets in each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/ceil_div.hpp"
#include "transpose/cuda_partition/policy.hpp"

namespace sparserepro {

/// Tuned on one H200; "A -> B" as in ../policy.hpp.
struct LevelsPolicy {
  /// Bits of the columns of a coarse bucket at most: row and column share a word, in groups of
  /// rows, each of which ends a tile.
  static constexpr int most_coarse_bits = 16;
  /// Units of columns in a bucket when entries spread evenly. 4 -> 1.00 / 0.99 on R-MAT 22; 1
  /// -> 1.07 / 1.05 there.
  static constexpr int units_each = 2;
  /// Entries for each multiprocessor from which on two levels pay, unless A is local. One level
  /// takes 1.13 / 1.39 on R-MAT 22 (65M entries), but 0.94 / 0.98 on 45M in 3M x 3M.
  static constexpr std::int64_t entries_each = 400000;
  /// Mean entries of a tile in each bucket that it touches, from which on A is local and takes one
  /// level. Runs of 36 entries: one level takes 0.69 / 0.72 of two; runs of 18: 1.07 / 1.05.
  static constexpr int local_run = 20;
  /// Least share of a tile that buckets must fill, in percent. Buckets are less full where many
  /// rows leave few bits of a word to the columns.
  static constexpr int least_fill = 45;
};

/// Coarse buckets of `within.count` units each; buckets of the bucket pass of `per_bucket` at most.
struct TwoLevels {
  ColumnBuckets units;   ///< of all columns
  ColumnBuckets coarse;  ///< of all columns
  ColumnBuckets within;  ///< the units of a coarse bucket
  std::uint32_t per_bucket;
  int low_bits;  ///< of a word that hold the column in a bucket, or an absent one
};

/// Units of a fraction of a tile; as many columns to a bucket at most as fit a word beside the row;
/// about as many coarse buckets as tiles in each.
inline TwoLevels choose_levels(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                               std::int64_t tile) {
  constexpr std::int64_t most = DevicePartitionPolicy::largest_digits;
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
