// When omp_plan moves values in two passes, and its tiles.
#pragma once

#include <cstdint>

namespace sparserepro {

/// Two threads of a Zen 4 with 1 MiB of L2 cache a core and 32 MiB of last-level cache; ratios are
/// the time of the gather over that of two passes, fp64 / fp32.
struct HostPlanPolicy {
  /// Gather below this many entries. Uniform: 1M 1.00 / 1.27, 2M 2.7 / 1.5.
  static constexpr std::int64_t least_entries = std::int64_t{3} << 19;
  /// Gather beyond: the table of runs grows with the square of the entries.
  static constexpr std::int64_t most_entries = std::int64_t{1} << 28;
  /// Two passes from this share of fresh lines on, by windows of so many entries of A^T from so
  /// many places; from a smaller one on for values of 8 bytes. FEM with 3 unknowns (0.04) 1.10 /
  /// 0.90, mesh (0.00) 0.71 / 0.61, band (0.04) 0.68 / 0.67; circuit (0.12) 1.46 / 1.64, with 2
  /// bytes 0.59, FEM with 1 unknown (0.11) 1.62 / 0.76; R-MAT (0.41) 3.2 / 3.4, with 2 bytes 2.0.
  static constexpr double fresh_lines = 0.25;
  static constexpr double fresh_lines_wide = 0.08;
  static constexpr std::int64_t window = 16384;
  static constexpr int samples = 32;
  static constexpr std::int64_t line_entries = 8;  ///< values of fp64 in a cache line
  /// Entries of a tile: the first for which a run has `run_entries` entries in the mean, else the
  /// last. A tile and the next one lie in the L2 cache together; places in it, and begins of runs,
  /// have 16 bits. 10M in tiles of 16384, 32768: 3.6 / 4.0, 4.7 / 4.9; 24M: 2.7 / 3.8, 5.1 / 5.5.
  static constexpr std::int64_t tiles[] = {16384, 32768, 65472};
  static constexpr std::int64_t run_entries = 40;
};

/// Entries of a tile of A, and of A^T.
constexpr std::int64_t host_plan_tile(std::int64_t nnz) {
  std::int64_t tile = 0;
  for (const std::int64_t candidate : HostPlanPolicy::tiles) {
    tile = candidate;
    if (tile * tile >= HostPlanPolicy::run_entries * nnz) {
      break;
    }
  }
  return tile;
}

}  // namespace sparserepro
