// How cuda_partition sorts few entries in one kernel, by a team of blocks or by enumeration, and
// the tuned numbers of both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sparserepro {

/// Bits that hold every number below `cols`.
constexpr int column_bits(std::int64_t cols) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < cols) {
    ++bits;
  }
  return bits;
}

/// How a team of blocks sorts few entries in one kernel. Times are of one H200, fp32, in
/// microseconds; squares of order n. What was tried and dropped:
///   - clusters of 16 blocks, whose barrier takes 0.1 where that of 132 blocks takes 0.9: 12.7 and
///     13.9 with 4096 entries (n = 4096), but 28.6 and 16.3 with 65536, for 16 multiprocessors
///     place entries more slowly than 132;
///   - entries to their places straight from registers, without the tile in shared memory: 44 in
///     place of 26 with 262144 entries (n = 16384), 144 in place of 61 with 1M (n = 65536);
///   - the passes alone with one wave of buckets: 32 and 16 with 16384 entries (n = 4096).
struct TeamPolicy {
  /// Entries of a thread, in registers; threads of a block.
  static constexpr int most_items = 8, most_threads = 512;
  /// Bits of the digit when one is enough, else the most: tables of wider digits take longer to add
  /// up than another pass. n = 4096 with 4096 entries: 13.9 in two passes, 24.8 in one; n = 262144
  /// with as many: 33 in three passes of 6 bits, 37 in two of 9.
  static constexpr int single_digit_bits = 10, digit_bits = 8;
  static constexpr int most_passes = 3;
  /// Columns for each block at most while there are multiprocessors, which write their pointers.
  static constexpr int columns_each = 2048;
  /// Entries for each multiprocessor up to which a team is faster than the passes: with 300000
  /// entries 28 against 32 (n = 16384) and 36 against 38 (n = 262144), with 540000 37 against 36
  /// and 48 against 38. Up to the most, all that registers hold, where columns are few: 28 against
  /// 33 with 500000 entries (n = 1000), 33 against 34 (n = 4096). And where columns or rows are
  /// many, for buckets are nearly empty or tiles span many rows: 4M x 4M with 200000 entries 70
  /// against 179, 4M x 1000 with 10000 19 against 1165, n = 1M with 540000 61 against 61.
  static constexpr int entries_each = 3072, most_entries_each = most_items * most_threads;
  static constexpr int few_columns = 1 << 12, many = 1 << 20;
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
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  TeamShape shape{};
  shape.column_bits = column_bits(cols);
  const bool single = shape.column_bits <= TeamPolicy::single_digit_bits;
  shape.passes = single ? 1
                        : std::min((shape.column_bits - 1) / TeamPolicy::digit_bits + 1,
                                   TeamPolicy::most_passes);
  shape.digit_bits = std::max((shape.column_bits + shape.passes - 1) / shape.passes, 5);
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

/// How blocks that never meet sort the fewest entries, by enumeration. Times as above, where a team
/// takes 14.7 with 4096 entries (n = 4096) and 25.6 (n = 65536). What was tried and dropped:
///   - comparing each own entry with each other one, in registers: 14.0 in place of 8.2, with
///     binary search among the sorted columns in place of a tree (n = 4096, 4096 entries);
///   - blocks of 1024 threads: 9.7 in place of 7.5 (n = 65536, 4096 entries), 256: 9.5 in place of
///     8.2 (n = 4096);
///   - one block alone that sorts by a single digit: 9.8 in place of 5.8 (n = 1000, 2000 entries).
struct EnumerationPolicy {
  static constexpr int threads = 512;
  /// Entries for each multiprocessor up to which it is faster than a team, whose passes and digits
  /// grow with the bits of a column. Both with n = 1000 and 8000 entries: 9.3 and 11.2, 16000: 14.3
  /// and 12.5; n = 4096, 16000: 14.5 and 15.0, 20000: 18.2 and 15.8; n = 65536, 24000: 20.6 and
  /// 23.9, 33000: 26.6 and 26.3.
  static constexpr int entries_each(int column_bits) {
    return column_bits <= 10 ? 80 : column_bits <= 14 ? 120 : 200;
  }
  /// Entries whose rows a warp searches while half of the warps are enough, and of these how many
  /// side by side. 8 for each: 8.7 in place of 7.7 (n = 1M, 1000 entries); 4 side by side: 7.0
  /// there, but 19.4 in place of 17.9 (n = 65536, 20000 entries).
  static constexpr int rows_each = 4, rows_at_once = 8;
  /// Columns of others that a thread holds. 16: 12.0 in place of 10.9 (n = 65536, 10000 entries).
  static constexpr int columns_at_once = 8;
  /// Slots of a block at least and at most: a power of two beyond its entries.
  static constexpr int least_slots = 16, most_slots = 256;
  /// Columns whose pointers a block writes, and whose counts it has in shared memory: a multiple of
  /// what a warp writes at once. At most 4096: 11.2 in place of 9.6 (n = 1M, 4096 entries).
  static constexpr int range_step = 128, least_range = 512, most_range = 16384;
};

/// The blocks that place entries, and those behind them that write column pointers.
struct EnumerationShape {
  std::uint32_t own;    ///< entries that a block places
  std::uint32_t slots;  ///< the power of two beyond
  std::uint32_t entry_blocks;
  std::uint32_t width;  ///< columns whose pointers a block writes
  std::uint32_t pointer_blocks;
};

/// Whether enumeration is faster than a team.
constexpr bool enumeration_pays(std::int64_t cols, std::int64_t nnz, std::int64_t multiprocessors) {
  return nnz <= multiprocessors * EnumerationPolicy::entries_each(column_bits(cols));
}

/// One block of entries for each multiprocessor, and as many of columns while their ranges are
/// neither narrow nor wide.
inline EnumerationShape choose_enumeration(std::int64_t cols, std::int64_t nnz,
                                           std::int64_t multiprocessors) {
  using Policy = EnumerationPolicy;
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t own = ceil_div(nnz, multiprocessors);
  const std::int64_t width = std::clamp<std::int64_t>(
      ceil_div(ceil_div(cols, multiprocessors), Policy::range_step) * Policy::range_step,
      Policy::least_range, Policy::most_range);
  EnumerationShape shape{};
  shape.own = static_cast<std::uint32_t>(own);
  shape.slots = Policy::least_slots;
  while (shape.slots <= own) {
    shape.slots *= 2;
  }
  shape.entry_blocks = static_cast<std::uint32_t>(ceil_div(nnz, own));
  shape.width = static_cast<std::uint32_t>(width);
  shape.pointer_blocks = static_cast<std::uint32_t>(ceil_div(cols, width));
  return shape;
}

}  // namespace sparserepro
