// Tuned numbers of cuda_scantrans, and its division of columns into digits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Evidence is from one H200. Uniform 500k x 500k, 10M entries, fp64, blocks of 128, 256, 512, 1024
/// threads: 0.89, 0.66, 0.50, 0.57 ms (cuSPARSE 0.76 ms). Longer tiles give longer sequences of a
/// digit; with 1024 threads one block occupies a multiprocessor. Speedup over cuSPARSE, fp32 /
/// fp64, geometric mean over 11 matrices of all classes: 1.39 / 1.38; lowest on 20k x 4M: 0.92 /
/// 0.84.
struct ScantransPolicy {
  /// Entries of a thread.
  static constexpr int items = 16;
  static constexpr int largest_block = 1024;
  /// Bits of a digit: 2048 counters of 16 bits for each warp of a block.
  static constexpr int most_bits = 11;
  /// Tiles that a block counts. It writes their counts of a digit by one store of 16 bytes.
  static constexpr int counted_tiles = 4;
  static constexpr int count_threads = 512;

  static constexpr std::int64_t tile(std::int64_t block_size) { return items * block_size; }

  /// Largest shared memory in bytes of a block that scatters, with 2^most_bits digits: its tile or
  /// the counters of its warps, the digits of the sorted tile, and the first places of digits.
  static constexpr std::int64_t most_shared_bytes(std::int64_t block_size,
                                                  std::size_t value_bytes) {
    constexpr std::int64_t digits = std::int64_t{1} << most_bits;
    const auto each = static_cast<std::int64_t>(value_bytes > 4 ? value_bytes : 4);
    const std::int64_t stage = tile(block_size) * each, counters = block_size / 32 * digits * 2;
    return (stage > counters ? stage : counters) + 2 * tile(block_size) + 4 * (digits + 32);
  }
};

/// Division of the bits of a column number into `passes` digits of about equal width, lowest first.
struct ColumnDigits {
  int bits, passes;

  explicit constexpr ColumnDigits(int column_bits)
      : bits(column_bits > 0 ? column_bits : 1),
        passes(ceil_div(bits, ScantransPolicy::most_bits)) {}

  constexpr int shift(int pass) const { return bits * pass / passes; }
  constexpr int width(int pass) const { return shift(pass + 1) - shift(pass); }
};

}  // namespace sparserepro
