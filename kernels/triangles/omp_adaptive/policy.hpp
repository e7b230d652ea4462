// The tuned numbers of omp_adaptive.
#pragma once

#include <cstdint>

namespace sparserepro {

struct HostAdaptivePolicy {
  /// Path low up to this mean degree of a neighbour, sum d^2 / sum d. Time of ranked over that of
  /// low, 2 threads, AVX-512: Delaunay 6.3: 5.4; uniform 13: 2.9, 21: 1.9, 33: 0.5; FEM 42: 0.4.
  static constexpr std::int64_t low_neighbour_degree = 28;
  /// Vertices of one task of path low.
  static constexpr std::int64_t rows_of_window = 1024;
  /// Entries of one task of path ranked; a longer row is shared by threads.
  static constexpr std::int64_t entries_of_task = 2048;
  /// Degrees from here on are ordered by comparison, those below by counting.
  static constexpr std::int64_t counted_degrees = 4096;
};

}  // namespace sparserepro
