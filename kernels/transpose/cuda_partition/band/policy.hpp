// Which matrices cuda_partition sorts in one pass because they are narrow bands, and how.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "transpose/cuda_partition/policy.hpp"

namespace sparserepro {

/// Tuned on one H200. One pass moves 20 / 28 bytes an entry (fp32 / fp64) in place of 32 / 48.
struct BandPolicy {
  /// Share of a tile that the entries of a bucket's columns fill when entries spread evenly, and
  /// that all entries of the rows that may reach these columns fill, in percent.
  static constexpr int column_fill = 86, row_fill = 98;
  /// Rows that half a warp holds to the reach together, and the least reach that is looked for.
  static constexpr int rows_at_once = 16, least_reach = 32;
  /// Least mean of entries a row. The look takes the time of one pass where rows are short: three
  /// diagonals take 0.91 of it without (fp32) and 1.13 (fp64), 27 take 1.52 and 1.67.
  static constexpr std::int64_t least_mean(std::size_t value_bytes) {
    return value_bytes > 4 ? 0 : 4;
  }
  /// Most columns of a bucket; bits of a column within it, absent ones included.
  static constexpr int largest_width = 2560, column_bits = 12;
};

/// A band's columns in buckets, and the farthest that a column may be from its row. No buckets
/// where rows are so full that a tile holds too few.
struct BandShape {
  ColumnBuckets buckets;
  std::uint32_t reach = 0;

  BandShape() { buckets.count = 0; }
};

/// Shape for a matrix with as many entries in each row and column. Rows that reach a bucket reach
/// at most one other.
inline BandShape choose_band(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                             std::int64_t tile, std::size_t value_bytes) {
  const std::int64_t wanted = BandPolicy::column_fill * tile * cols / (100 * nnz);
  const std::int64_t width =
      std::clamp(wanted, std::int64_t{1}, std::int64_t{BandPolicy::largest_width});
  const std::int64_t held = BandPolicy::row_fill * tile * rows / (100 * nnz);
  const std::int64_t reach = std::min((held - width) / 2, width / 2);
  BandShape shape;
  if (nnz >= BandPolicy::least_mean(value_bytes) * rows && reach >= BandPolicy::least_reach) {
    shape.buckets = {static_cast<std::uint32_t>(cols), static_cast<std::uint32_t>(width)};
    shape.reach = static_cast<std::uint32_t>(reach);
  }
  return shape;
}

}  // namespace sparserepro
