// Which matrices cuda_partition sorts in one pass because they are narrow bands, and how.
#pragma once

#include <algorithm>
#include <cstdint>

#include "transpose/cuda_partition/policy.hpp"

namespace sparserepro {

/// Figures of an H200, fp32 / fp64. One pass moves 20 / 28 bytes an entry in place of 32 / 48, so
/// 0.62 / 0.58 of the time of two if it runs at their rate, and a tile's steps hardly depend on its
/// bytes: 0.67 / 0.59 on 27 diagonals with 1M rows (262 and 309 us), of which the kernel that looks
/// for the band and counts takes some 50 us. Where there is none, looking takes 0 to 1 % (500k rows
/// with 10M entries, R-MAT 20). Dropped: the band within the kernel of the split, whose registers
/// then spill, 1.05 on 500k x 500k; eight rows of a block looked at first, and the finding of
/// others read by every block, 1.07 there. Matrices that take small tiles are not looked at: the
/// kernel that looks would be a larger part of theirs.
struct BandPolicy {
  /// Share of a tile that the entries of a bucket's columns fill when entries spread evenly, and of
  /// all entries of the rows that may reach them, in percent.
  static constexpr int column_fill = 86, row_fill = 98;
  /// Rows that are held to the reach together. A reach that is not well above is no use.
  static constexpr int rows_at_once = 16, least_reach = 32;
  /// Columns of a bucket at most; column, and that of what is absent, fit so many bits.
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
                             std::int64_t tile) {
  const std::int64_t wanted = BandPolicy::column_fill * tile * cols / (100 * nnz);
  const std::int64_t width =
      std::clamp(wanted, std::int64_t{1}, std::int64_t{BandPolicy::largest_width});
  const std::int64_t held = BandPolicy::row_fill * tile * rows / (100 * nnz);
  const std::int64_t reach = std::min((held - width) / 2, width / 2);
  BandShape shape;
  if (reach >= BandPolicy::least_reach) {
    shape.buckets = {static_cast<std::uint32_t>(cols), static_cast<std::uint32_t>(width)};
    shape.reach = static_cast<std::uint32_t>(reach);
  }
  return shape;
}

}  // namespace sparserepro
