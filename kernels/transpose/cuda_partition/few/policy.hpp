// How a team of blocks sorts few entries in one kernel, and its tuned numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Bits that hold every number below `cols`.
constexpr int column_bits(std::int64_t cols) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(cols - 1)));
}

/// Tuned on one H200, fp32; microseconds; n is the order of a square matrix.
struct TeamPolicy {
  /// Entries of a thread, in registers; threads of a block.
  static constexpr int most_items = 8, most_threads = 512;
  /// Bits of the digit where one pass is enough, else the most. Wider digits take longer to add up
  /// than another pass: 4096 entries, n = 4096: 13.9 in two passes, 24.8 in one.
  static constexpr int single_digit_bits = 10, digit_bits = 8;
  static constexpr int most_passes = 3;
  /// Columns for each block at most while there are multiprocessors, which write their pointers.
  static constexpr int columns_each = 2048;
  /// Entries for each multiprocessor up to which a team is faster than a wave. By a team, by a
  /// wave, fp32 and fp64: 2000 entries, n = 500 8.8, 11.8; 8.8, 14.4; 4000, n = 5000 15.0, 13.9;
  /// 15.0, 17.4; 10,000, n = 2500 14.5, 13.4; 14.7, 15.7; 12,000 in 70,000 x 60,000 22.0, 14.1;
  /// 22.7, 17.7. All that registers hold where columns are few, as buckets are then (60,000 in
  /// 20,000 x 500 12.2, 14.4; 12.5, 16.7), or where rows or columns are many, as tiles span many
  /// rows (150,000 and 520,000 entries, n = 2M: 50, 97 and 65, 67).
  static constexpr int entries_each = 40, most_entries_each = most_items * most_threads;
  static constexpr int few_columns = 1 << 10, many = 1 << 20;
};

/// Blocks of `threads` (a power of two from 128 on) with `items` entries for each thread, and the
/// digits in which columns are sorted.
struct TeamShape {
  std::uint32_t blocks, threads, items;
  int column_bits, digit_bits, passes;

  /// The lowest bit of a pass's digit. The last digit ends where columns do, so that it is full;
  /// what two digits share is sorted twice.
  constexpr int shift(int pass) const {
    return std::max(column_bits - (passes - pass) * digit_bits, 0);
  }
  /// Shared memory of a block: its tile; counts of each warp, two bytes; three numbers per digit.
  constexpr std::size_t shared_bytes(std::size_t value_bytes) const {
    const std::size_t digits = std::size_t{1} << digit_bits;
    return std::size_t{threads} * items * (8 + value_bytes) + digits * (threads / 16 + 12);
  }
};

/// Whether a team is faster than the passes.
constexpr bool team_pays(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                         std::int64_t multiprocessors) {
  const bool most = cols <= TeamPolicy::few_columns || std::max(rows, cols) >= TeamPolicy::many;
  return nnz <= multiprocessors * (most ? TeamPolicy::most_entries_each : TeamPolicy::entries_each);
}

/// The team for what team_pays. With a single wide digit, half the multiprocessors and more threads
/// in each, since every block adds up the counts of all: 16 against 20 with 65536 entries, n =
/// 1024.
inline TeamShape choose_team(std::int64_t cols, std::int64_t nnz, std::int64_t multiprocessors) {
  TeamShape shape{};
  shape.column_bits = column_bits(cols);
  const bool single = shape.column_bits <= TeamPolicy::single_digit_bits;
  shape.passes = single ? 1
                        : std::min((shape.column_bits - 1) / TeamPolicy::digit_bits + 1,
                                   TeamPolicy::most_passes);
  shape.digit_bits = std::max(ceil_div(shape.column_bits, shape.passes), 5);
  const bool few = !single && nnz <= multiprocessors * TeamPolicy::most_threads / 2;
  const std::int64_t threads = TeamPolicy::most_threads / (few ? 2 : 1);
  const std::int64_t most_blocks = single ? ceil_div(multiprocessors, 2) : multiprocessors;
  const std::int64_t blocks = std::max(
      ceil_div(nnz, TeamPolicy::most_items * threads),
      std::clamp(std::max(ceil_div(nnz, threads), ceil_div(cols, TeamPolicy::columns_each)),
                 std::int64_t{1}, most_blocks));
  shape.blocks = static_cast<std::uint32_t>(blocks);
  shape.threads = static_cast<std::uint32_t>(threads);
  shape.items = static_cast<std::uint32_t>(ceil_div(nnz, blocks * threads));
  return shape;
}

}  // namespace sparserepro
