// Tuned numbers of cuda_mergetrans_mergepath, and the numbers of levels and panels.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// Limits of a tile that is sorted by counting: keys of a bucket, and comparisons an entry on
/// average over the buckets of a warp.
struct Crowd {
  unsigned in_bucket, comparisons;
};

/// Evidence is from one H200: speedup over cuSPARSE in the same run, fp32 / fp64, on uniform 500k x
/// 500k with 10M entries unless another matrix is named. Geometric mean over the 13 matrices of the
/// list gpu-transpose: 1.53 / 1.46; lowest on FEM with 31M entries: 1.04 / 0.97.
struct MergepathPolicy {
  /// Threads of a block that sorts a tile. Large tiles give fewer runs; each occupies a
  /// multiprocessor. Large: 1.70 / 1.70, small: 1.43 / 1.42.
  static constexpr int small_threads = 512, large_threads = 1024;
  /// Entries of a thread. An odd number spreads the threads of a warp over all banks.
  static constexpr int items = 15;
  /// Least number of resident threads of a multiprocessor, which limits the registers of a thread.
  /// With 256 threads a tile, 1024: 1.20 / 1.17, 768: 1.06 / 1.06.
  static constexpr int resident_threads = 1024;
  /// Runs that one merge takes: default and limit. The work of the division grows with ways x
  /// tiles. Uniform 3M x 3M, 26M entries: two levels of 42 ways 1.99 / 1.87, one of 1693 1.51 /
  /// 1.46.
  static constexpr int ways = 768, most_ways = 2048;
  /// A panel with at most `most_listed` entries in each run is divided by counting its entries in
  /// 2^bin_bits counters, a larger one by bisection.
  static constexpr unsigned most_listed = 32;
  static constexpr int bin_bits = 10;
  /// Threads of a block that divides the runs of a group for one tile of their merge.
  static constexpr int divide_threads = 128;

  /// Largest number of parts that a block merges in pairs; it sorts more by counting. FEM: 16 parts
  /// 0.88 / 0.81, 8 parts 0.83 / 0.76.
  static constexpr unsigned few_parts = 16;
  /// Above `crowded`, the buckets of a tile are divided; above `most_crowded` after the division,
  /// the tile is sorted by merging.
  static constexpr Crowd crowded{48, 16}, most_crowded{256, 64};
  /// Entries that a thread writes in one unrolled step.
  static constexpr int written_at_once = 3;
  /// Keys that a thread ranks together.
  static constexpr int ranked_at_once = 5;
  /// Keys of a bucket that are compared without a loop.
  static constexpr unsigned few_keys = 4;

  /// Average entries of a run in a panel of columns, and largest number of panels.
  static constexpr std::int64_t panel_entries = 4;
  static constexpr std::int64_t most_panels = 4096;

  /// Threads of a block that sorts a tile. `automatic` chooses large tiles if they are faster and
  /// the device has the shared memory for them.
  static constexpr int sort_threads(bool automatic, bool large, std::int64_t cols, std::int64_t nnz,
                                    std::int64_t multiprocessors, std::int64_t shared_of_block) {
    const bool fits =
        shared_bytes(large_threads, wide_keys(cols, large_threads)) <= shared_of_block;
    const bool chosen = automatic ? fits && large_tiles_pay(nnz, multiprocessors) : large;
    return chosen ? large_threads : small_threads;
  }

  /// Whether large tiles are faster: each multiprocessor gets at least one. Time of large over
  /// small tiles, uniform: 0.85 with 4.2M entries, 0.90 with 3M, 1.23 with 262,144.
  static constexpr bool large_tiles_pay(std::int64_t nnz, std::int64_t multiprocessors) {
    return nnz >= multiprocessors * tile(large_threads);
  }

  static constexpr std::int64_t tile(std::int64_t block_size) { return items * block_size; }
  /// Counters of a block. One unused word after each 16 spreads them over all banks.
  static constexpr std::int64_t counters(std::int64_t block_size) {
    const std::int64_t buckets = std::int64_t{1} << slot_bits(block_size);
    return buckets + buckets / 16;
  }
  /// Bytes of shared memory of a block that sorts a tile. `wide`: keys have more than 32 bits.
  static constexpr std::int64_t shared_bytes(std::int64_t block_size, bool wide) {
    const std::int64_t size = tile(block_size);
    return ((wide ? size : 0) + size + few_keys + counters(block_size)) * 4 + size * 2;
  }
  /// Whether keys, made of a column and a slot, have more than 32 bits.
  static constexpr bool wide_keys(std::int64_t cols, std::int64_t block_size) {
    return cols > std::int64_t{1} << (32 - slot_bits(block_size));
  }
  /// Bits of a slot number of the tile. No slot has all bits set.
  static constexpr int slot_bits(std::int64_t block_size) {
    int bits = 0;
    while ((std::int64_t{1} << bits) <= tile(block_size)) {
      ++bits;
    }
    return bits;
  }
};

/// Levels of merging after step 1; each merges `ways` runs.
struct MergeLevels {
  int count = 0;
  std::int64_t ways = 1;

  /// The fewest levels that `most_ways` allows, then the fewest ways for this number of levels.
  MergeLevels(std::int64_t tiles, std::int64_t most_ways) {
    const auto reach = [&](std::int64_t each) {
      std::int64_t runs = 1;
      for (int level = 0; level < count; ++level) {
        runs *= each;
      }
      return runs;
    };
    while (reach(most_ways) < tiles) {
      ++count;
    }
    while (reach(ways) < tiles) {
      ++ways;
    }
  }
};

/// Number of panels of 2^shift columns, for runs of `length` entries.
struct PanelSize {
  int shift = 0;
  std::int64_t count = 1;

  PanelSize(std::int64_t cols, std::int64_t length) {
    const std::int64_t most = std::clamp<std::int64_t>(length / MergepathPolicy::panel_entries, 1,
                                                       MergepathPolicy::most_panels);
    while ((cols - 1) >> shift >= most) {
      ++shift;
    }
    count = ((cols - 1) >> shift) + 1;
  }
};

}  // namespace sparserepro
