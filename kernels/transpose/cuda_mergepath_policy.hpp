// How cuda_mergetrans_mergepath cuts its work, and its tuned numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// Measured on one H200, uniform 500k x 500k, 10M entries, fp32 / fp64, beside cuSPARSE (0.68 /
/// 0.76 ms): blocks of 128, 256, 512 threads 1.04 / 0.90, 0.89 / 0.84, 0.90 / 0.85 ms. By ncu at
/// 256, fp32: sort 0.18 ms, bound by its instructions, the divisions of the two levels 0.06 and
/// 0.14, by scattered reads of their searches, the merges 0.30 and 0.21. Tables of panels in place
/// of long searches, and selects in place of branches: 0.62 / 0.67 ms at 256. Over 11 matrices of
/// every class cuSPARSE takes 0.94 / 0.89 of its time in geometric mean.
struct MergepathPolicy {
  /// Entries of a thread; odd, so that threads meet different banks of shared memory.
  static constexpr int items = 15;
  static constexpr int largest_block = 512;
  /// Runs that one merge takes: two for each lane of the warp that divides them.
  static constexpr int most_ways = 64;

  /// Entries of a run per panel of columns whose start is kept, about; and panels at most.
  static constexpr std::int64_t panel_entries = 16;
  static constexpr std::int64_t most_panels = 4096;

  static constexpr std::int64_t tile(std::int64_t block_size) { return items * block_size; }
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
