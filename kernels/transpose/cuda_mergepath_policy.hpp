// How cuda_mergetrans_mergepath cuts its work, and its tuned numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// Measured on one H200, cuSPARSE's time over ours in the same run, fp32 / fp64. With every tile
/// sorted and every group merged two lists at a time, up to 64 runs, 0.94 / 0.89 in geometric mean
/// over 11 matrices of every class. Tiles sorted by counting, up to 128 runs, one after the other
/// on uniform 500k x 500k 10M, band of 27, FEM, circuit and R-MAT 20:
///
///   two lists at a time       1.07 / 1.11  0.67 / 0.66  0.69 / 0.65  0.89 / 0.85  0.79 / 0.76
///   counted, buckets divided  1.20 / 1.17  0.95 / 0.90  0.88 / 0.81  0.90 / 0.85  0.88 / 0.80
///   768 resident threads      1.06 / 1.06  0.88 / 0.84  0.81 / 0.78  0.85 / 0.83  0.82 / 0.80
///
/// Crowded buckets were divided in a second count; doing without took 0.97 to 1.03 times as long
/// and needs fewer registers. At 768 threads, on the first: 512 in place of them 0.86 / 0.92,
/// blocks of 512 threads 0.85 / 0.89, all groups merged in pairs 0.97 / 1.00. Pairs up to 8 parts
/// in place of 16: 0.83 / 0.76 on FEM. By ncu, 5M entries, fp64: sort 0.10 ms, divisions 0.02 each,
/// merges 0.12 each, with a quarter of the memory's throughput and at most 0.43 of the instructions
/// that could be issued: barriers and latencies bound them.
struct MergepathPolicy {
  /// Entries of a thread; odd, so that threads meet different banks of shared memory.
  static constexpr int items = 15;
  /// Threads that share a multiprocessor, at least: the registers of a thread follow from it.
  static constexpr int resident_threads = 1024;
  /// Runs that one merge takes: four for each lane of the warp that divides them.
  /// The smallest block has a thread for each.
  static constexpr int most_ways = 128;

  /// Parts of runs up to which a block merges them, two at a time; more are counted.
  static constexpr unsigned few_parts = 16;
  /// Keys of a bucket, and comparisons for each entry, on average over a warp's buckets, up to
  /// which counting orders a tile; beyond them a merge.
  static constexpr unsigned most_in_bucket = 192, most_comparisons = 32;
  /// Keys of a bucket that are compared without a loop.
  static constexpr unsigned few_keys = 4;

  /// Entries of a run per panel of columns whose start is kept, about; and panels at most.
  static constexpr std::int64_t panel_entries = 16;
  static constexpr std::int64_t most_panels = 4096;

  static constexpr std::int64_t tile(std::int64_t block_size) { return items * block_size; }
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
  explicit MergeLevels(std::int64_t tiles) {
    const auto reach = [&](std::int64_t each) {
      std::int64_t runs = 1;
      for (int level = 0; level < count; ++level) {
        runs *= each;
      }
      return runs;
    };
    while (reach(MergepathPolicy::most_ways) < tiles) {
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
