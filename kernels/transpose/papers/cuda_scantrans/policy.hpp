// How cuda_scantrans divides columns into digits, and its tuned numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Measured on one H200, uniform 500k x 500k, 10M entries, fp64, beside cuSPARSE (0.76 ms) and
/// CUB's fused sort (0.82): blocks of 128, 256, 512, 1024 threads 0.89, 0.66, 0.50, 0.57 ms. Long
/// tiles leave long runs of a digit; 1024 threads leave one block to a multiprocessor. Of the two
/// passes' time the scatters take 0.18 ms each and the counts 0.04 each (ncu). Counting four
/// columns a load: 0.45 / 0.46 ms, fp32 / fp64. Over 11 matrices of every class cuSPARSE takes 1.39
/// / 1.38 times as long in geometric mean, least on 20k x 4M (0.92 / 0.84).
struct ScantransPolicy {
  /// Entries of a thread.
  static constexpr int items = 16;
  static constexpr int largest_block = 1024;
  /// Bits of a digit: 2048 counters of 16 bits for each warp of a block.
  static constexpr int most_bits = 11;
  /// Tiles that a block counts: their counts of a digit leave in one store of 16 bytes.
  static constexpr int counted_tiles = 4;
  static constexpr int count_threads = 512;

  static constexpr std::int64_t tile(std::int64_t block_size) { return items * block_size; }

  /// Shared memory of a block that scatters: its tile or the counters of its warps, then the digits
  /// in order and where each begins. With the most digits, which most matrices do not need.
  static constexpr std::int64_t most_shared_bytes(std::int64_t block_size,
                                                  std::size_t value_bytes) {
    constexpr std::int64_t digits = std::int64_t{1} << most_bits;
    const auto each = static_cast<std::int64_t>(value_bytes > 4 ? value_bytes : 4);
    const std::int64_t stage = tile(block_size) * each, counters = block_size / 32 * digits * 2;
    return (stage > counters ? stage : counters) + 2 * tile(block_size) + 4 * (digits + 32);
  }
};

/// The column's bits in digits of about equal length, lowest first.
struct ColumnDigits {
  int bits, passes;

  explicit constexpr ColumnDigits(int column_bits)
      : bits(column_bits > 0 ? column_bits : 1),
        passes(ceil_div(bits, ScantransPolicy::most_bits)) {}

  constexpr int shift(int pass) const { return bits * pass / passes; }
  constexpr int width(int pass) const { return shift(pass + 1) - shift(pass); }
};

}  // namespace sparserepro
