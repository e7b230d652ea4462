// How cuda_mergetrans_mergepath cuts its work, and its tuned numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// Keys of a bucket, and comparisons for each entry, on average over a warp's buckets.
struct Crowd {
  unsigned in_bucket, comparisons;
};

/// Measured on one H200, cuSPARSE's time over ours in the same run, fp32 / fp64. Uniform 500k x
/// 500k with 10M entries, and R-MAT 20 with 16M:
///
///   two levels of 52 and 65 ways, tiles of 256 threads        1.26 / 1.21   0.84 / 0.83
///   one level, tiles of 1024 and 512 threads sorted, merged   1.46 / 1.38
///   the same, loops over a tile not unrolled                  1.61 / 1.66   1.08 / 1.06
///   the same, full tiles apart and fewer registers            1.70 / 1.70   1.00 / 0.97
///     merged by blocks of 256 threads                         1.41 / 1.41   0.74 / 0.72
///     tiles of 512 threads sorted: one level, two of 46 ways  1.43 / 1.42   1.15 / 1.10
///
/// With the values below, over the 13 matrices of the list gpu-transpose: 1.53 / 1.46 in geometric
/// mean, least on FEM with 31M entries, 1.04 / 0.97.
///
/// The division among blocks grows with ways times tiles. Two levels of 42 ways in place of one of
/// 1693 on uniform 3M x 3M with 26M entries: 1.99 / 1.87 in place of 1.51 / 1.46. Large tiles took
/// 0.85 of the time of small ones with 4.2M uniform entries, 0.90 with 3M, 1.02 on the
/// circuit, 1.23 with 262,144.
///
/// By ncu, the first matrix, fp64: sort 0.160 ms, division 0.112, merge 0.153, with 191 and 175
/// instructions an entry in sort and merge, and 0.38 of the instructions that could be issued:
/// shared memory and latencies bound them. Unrolled, they had 273 and 260, and the sort waited for
/// instructions a third of the time. In the first row 768 resident threads in place of 1024 had
/// 1.06 / 1.06 in place of 1.20 / 1.17, and pairs up to 8 parts in place of 16, on FEM, 0.83 / 0.76
/// in place of 0.88 / 0.81.
struct MergepathPolicy {
  /// Threads of a block that sorts a tile. Large tiles make few runs, but each takes a
  /// multiprocessor.
  static constexpr int small_threads = 512, large_threads = 1024;
  /// Entries of a thread; odd, so that threads meet different banks of shared memory.
  static constexpr int items = 15;
  /// Threads that share a multiprocessor, at least: the registers of a thread follow from it.
  static constexpr int resident_threads = 1024;
  /// Runs that one merge takes: as a rule, and at most.
  static constexpr int ways = 768, most_ways = 2048;
  /// Entries of a run in a panel up to which those of the panel are counted by column to divide it;
  /// and the counters.
  static constexpr unsigned most_listed = 32;
  static constexpr int bin_bits = 10;
  /// Threads of a block that divides the runs of a group for one tile of their merge.
  static constexpr int divide_threads = 128;

  /// Parts of runs up to which a block merges them, two at a time; more are counted.
  static constexpr unsigned few_parts = 16;
  /// Beyond which the buckets of a tile are divided, and beyond which even then a merge orders it.
  static constexpr Crowd crowded{48, 16}, most_crowded{256, 64};
  /// Entries that a thread writes side by side.
  static constexpr int written_at_once = 3;
  /// Keys that a thread ranks side by side.
  static constexpr int ranked_at_once = 5;
  /// Keys of a bucket that are compared without a loop.
  static constexpr unsigned few_keys = 4;

  /// Entries of a run per panel of columns whose start is kept, about; and panels at most.
  static constexpr std::int64_t panel_entries = 4;
  static constexpr std::int64_t most_panels = 4096;

  /// Threads of a block that sorts a tile: for auto, many where large tiles pay and the device has
  /// the shared memory for them.
  static constexpr int sort_threads(bool automatic, bool large, std::int64_t cols, std::int64_t nnz,
                                    std::int64_t multiprocessors, std::int64_t shared_of_block) {
    const bool fits =
        shared_bytes(large_threads, wide_keys(cols, large_threads)) <= shared_of_block;
    const bool chosen = automatic ? fits && large_tiles_pay(nnz, multiprocessors) : large;
    return chosen ? large_threads : small_threads;
  }

  static constexpr bool large_tiles_pay(std::int64_t nnz, std::int64_t multiprocessors) {
    return nnz >= multiprocessors * tile(large_threads);
  }

  static constexpr std::int64_t tile(std::int64_t block_size) { return items * block_size; }
  /// Counters of a block, one more beside each 16 keeps them in different banks.
  static constexpr std::int64_t counters(std::int64_t block_size) {
    const std::int64_t buckets = std::int64_t{1} << slot_bits(block_size);
    return buckets + buckets / 16;
  }
  /// Shared memory of a block that orders a tile. `wide`: keys have more than 32 bits.
  static constexpr std::int64_t shared_bytes(std::int64_t block_size, bool wide) {
    const std::int64_t size = tile(block_size);
    return ((wide ? size : 0) + size + few_keys + counters(block_size)) * 4 + size * 2;
  }
  /// Whether keys of so many columns are: a key is a column and a slot.
  static constexpr bool wide_keys(std::int64_t cols, std::int64_t block_size) {
    return cols > std::int64_t{1} << (32 - slot_bits(block_size));
  }
  /// Of a slot of the tile. No slot has all bits set.
  static constexpr int slot_bits(std::int64_t block_size) {
    int bits = 0;
    while ((std::int64_t{1} << bits) <= tile(block_size)) {
      ++bits;
    }
    return bits;
  }
};

/// Levels of merging after the tiles are sorted, each of equally many ways.
struct MergeLevels {
  int count = 0;
  std::int64_t ways = 1;

  /// As few levels as `most_ways` allows, then as few ways as those levels allow.
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

/// Panels of 2^shift columns, for runs of `length` entries.
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
