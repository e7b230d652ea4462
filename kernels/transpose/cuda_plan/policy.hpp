// How cuda_plan divides the entries, and its tuned numbers. Compiles without CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

struct ValuePlanPolicy {
  /// Threads of a block that moves the values of a tile.
  static constexpr int threads = 512;
  /// Most entries of a tile: two blocks share the shared memory of a multiprocessor.
  static constexpr std::int64_t most_tile = 14336;
  /// Least entries of a tile.
  static constexpr std::int64_t least_tile = 2048;
  /// Tiles that a multiprocessor is to have, of a matrix with few entries.
  static constexpr std::int64_t tiles_each = 2;
  /// Mean entries of a run below which 8 lanes copy it in place of 32.
  static constexpr std::int64_t long_run = 12;
  /// The table of runs grows with the square of the entries: here it takes a third of A.
  static constexpr std::int64_t most_entries = std::int64_t{1} << 28;
};

/// Entries of a tile of A, and of A^T: a multiple of 2048 but for the largest.
constexpr std::int64_t plan_tile(std::int64_t nnz, std::int64_t multiprocessors) {
  using Policy = ValuePlanPolicy;
  const std::int64_t wanted = nnz / (Policy::tiles_each * multiprocessors);
  return std::clamp(wanted / Policy::least_tile * Policy::least_tile, Policy::least_tile,
                    Policy::most_tile);
}

}  // namespace sparserepro
