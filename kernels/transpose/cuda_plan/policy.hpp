// How cuda_plan divides the entries, and its tuned numbers. Compiles without CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Tuned on one H200, microseconds of both passes on uniform random permutations, fp64 / fp32.
struct ValuePlanPolicy {
  /// Threads of a block. 512: 1.01 / 1.03 of the time (10M entries), 1.11 / 1.06 (30M).
  static constexpr int threads = 1024;
  /// Shared memory of a block's tile: all of a multiprocessor. 10M: tiles of 25280 / 37888 entries
  /// take 107 / 59, of 12672 / 18944 with two blocks a multiprocessor 125 / 66.
  static constexpr std::int64_t tile_bytes = 227'328;
  /// Places in a tile are numbers of 16 bits.
  static constexpr std::int64_t most_tile = 57'344;
  /// Least entries of a tile, so that few entries do not make more runs than entries.
  static constexpr std::int64_t least_tile = 1024;
  /// Tiles begin at multiples of this, for aligned loads.
  static constexpr std::int64_t tile_multiple = 64;
  /// Mean entries of a run below which 16 lanes copy it in place of 32. 10M in tiles of 8192 (runs
  /// of 6.7): 116 by 32 lanes, 92 by 16, 106 by 8 (fp64, the first pass alone).
  static constexpr std::int64_t long_run = 14;
  /// Of the shared memory that two blocks share: a window of A from which a tile of A^T is picked
  /// in one pass, and the tile's part of it.
  static constexpr std::int64_t window_bytes = tile_bytes / 2;
  static constexpr std::int64_t window_fill_percent = 75;
  /// Gather where samples of so many entries of A^T take less than this percentage of as many
  /// sectors of A: meshes, finite elements and circuits take 18 to 77, R-MAT 93, uniform ones 100.
  static constexpr int sector_percent = 80;
  static constexpr unsigned stretch = 4096;
  static constexpr unsigned samples = 256;
  /// Least entries for the gather, as its kernel is queued for nothing elsewhere. One H100, plan
  /// without it over plan with it: uniform, 500k entries 0.79 / 0.76, 1M 0.95 / 0.78, short rows,
  /// 3M 0.97 / 0.95, uniform, 10M 0.99 / 0.99.
  static constexpr std::int64_t least_gather = 1 << 22;
  static constexpr unsigned sector_bytes = 32;
  /// The table of runs grows with the square of the entries: here it takes 0.36 GB in fp64.
  static constexpr std::int64_t most_entries = std::int64_t{1} << 28;
};

/// Entries of a tile of A, and of A^T: as few full waves of blocks as shared memory allows, and
/// then as small as fills them.
constexpr std::int64_t plan_tile(std::int64_t nnz, std::size_t value_bytes,
                                 std::int64_t multiprocessors) {
  using Policy = ValuePlanPolicy;
  const std::int64_t most =
      std::min(Policy::tile_bytes / static_cast<std::int64_t>(value_bytes), Policy::most_tile);
  const std::int64_t waves = std::max(ceil_div(nnz, multiprocessors * most), std::int64_t{1});
  const std::int64_t even = ceil_div(nnz, multiprocessors * waves);
  return std::clamp(ceil_div(even, Policy::tile_multiple) * Policy::tile_multiple,
                    Policy::least_tile, most / Policy::tile_multiple * Policy::tile_multiple);
}

/// Entries of a window at most.
constexpr std::int64_t plan_window(std::size_t value_bytes) {
  return std::min<std::int64_t>(
      ValuePlanPolicy::window_bytes / static_cast<std::int64_t>(value_bytes), 65'536);
}

/// Entries of a tile of A^T that is picked from a window.
constexpr std::int64_t plan_local_tile(std::size_t value_bytes) {
  return plan_window(value_bytes) * ValuePlanPolicy::window_fill_percent / 100 /
         ValuePlanPolicy::tile_multiple * ValuePlanPolicy::tile_multiple;
}

}  // namespace sparserepro
