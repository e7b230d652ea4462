// When cuda_partition divides columns in two levels, and into how many buckets in each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "transpose/cuda_partition_policy.hpp"

namespace sparserepro {

/// For one H200. Figures are times of two levels relative to one, fp32 / fp64, measured there side
/// by side: 0.66 / 0.65 on 4M x 4M with 67M entries, 0.73 / 0.80 on R-MAT 22, but 1.21 / 1.00 on
/// 3M x 3M with 26M, and 1.36 / 1.24 on 500k x 500k with 10M. Per entry of 4M x 4M with 67M it is
/// 20 ps in place of 31, where all bytes moved, 48, would take 12 at 4 TB/s; by ncu, of 2M x 2M
/// with 26M, the first split takes 141 us, the second 164, the bucket pass 221, the kernels between
/// them
/// 25. What was tried and dropped, relative to what is set here:
///   - the runs of the next tile of the second split brought into L2 while this one is ranked: 1.02
///     / 1.06, 1.01 / 1.05 on R-MAT 22;
///   - 1.5 times as many coarse buckets: 1.00 / 0.99, 1.03 / 1.02 on R-MAT 22; two thirds of them:
///     1.01 / 1.00, 1.00 / 1.01;
///   - large tiles in both splits: 1.13 / 1.18 on 500k x 500k with 10M; in the second alone, 1.09 /
///     1.09.
struct LevelsPolicy {
  /// Columns of a coarse bucket at most, as a power of two: rows share a word with them, in groups,
  /// each of which ends a tile.
  static constexpr int most_coarse_bits = 16;
  /// Share of a tile that a fine bucket fills when entries spread evenly, in percent. Buckets
  /// beyond a tile are many where columns differ: 94 takes 1.03 / 1.02 of this on R-MAT 22, 75
  /// takes 0.99.
  static constexpr int fill = 85;
  /// Entries from which on two levels pay, for each multiprocessor: local matrices, which one level
  /// suits, are not told apart.
  static constexpr std::int64_t entries_each = 300000;
  /// Share of a tile that fine buckets must fill for it, in percent: they are less full where rows
  /// are so many that they leave few bits to columns.
  static constexpr int least_fill = 45;
};

/// Coarse buckets of `within.count` fine ones each.
struct TwoLevels {
  ColumnBuckets fine;    ///< of all columns
  ColumnBuckets coarse;  ///< of all columns
  ColumnBuckets within;  ///< the fine ones of a coarse bucket
};

/// As many fine buckets as give each about one tile of entries, in whole waves of `blocks`, so
/// narrow that a word holds the row and the column within one; about as many coarse ones as fine
/// ones in each.
inline TwoLevels choose_levels(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                               std::int64_t tile, std::int64_t blocks) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  std::int64_t row_limit = 1;  // the power of two beyond
  while (row_limit < rows) {
    row_limit *= 2;
  }
  const std::int64_t wanted = 100 * nnz / (LevelsPolicy::fill * tile) + 1;
  const std::int64_t waves =
      std::max(ceil_div(wanted, blocks), std::int64_t{PartitionPolicy::bucket_waves});
  const std::int64_t numbers = (std::int64_t{1} << 32) / row_limit;  // beside a row
  const std::int64_t most_width =
      std::clamp(numbers - PartitionPolicy::absent_columns, std::int64_t{1},
                 std::int64_t{PartitionPolicy::largest_digits});
  const std::int64_t width =
      std::clamp(ceil_div(cols, waves * blocks), std::int64_t{1}, most_width);
  const std::int64_t count = std::max(ceil_div(cols, width), std::int64_t{1});
  std::int64_t coarse =
      std::max(ceil_div(cols, std::int64_t{1} << LevelsPolicy::most_coarse_bits), std::int64_t{1});
  while (coarse * coarse < count) {
    ++coarse;
  }
  const auto each = static_cast<std::uint32_t>(ceil_div(count, coarse));
  const auto all = static_cast<std::uint32_t>(cols), narrow = static_cast<std::uint32_t>(width);
  return {{all, narrow}, {all, each * narrow}, {each * narrow, narrow}};
}

/// Whether two levels with tiles of `tile` entries are faster than one.
inline bool two_levels_pay(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                           std::int64_t tile, std::int64_t multiprocessors) {
  if (nnz < LevelsPolicy::entries_each * multiprocessors) {
    return false;
  }
  const TwoLevels levels = choose_levels(rows, cols, nnz, tile, multiprocessors);
  return 100 * nnz / levels.fine.count >= LevelsPolicy::least_fill * tile &&
         levels.fine.width > PartitionPolicy::narrow_bucket;
}

}  // namespace sparserepro
