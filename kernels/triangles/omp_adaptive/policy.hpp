// How omp_adaptive chooses its method, and its tuned numbers.
#pragma once

#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro {

struct HostAdaptivePolicy {
  /// Method for low degrees up to this mean degree of a neighbour, sum d^2 / sum d. Time of the
  /// other method in terms of this one's, 2 threads of a Xeon with AVX-512: Delaunay 6.3: 5.4;
  /// uniform 13: 2.9, 21: 1.9, 33: 0.5; FEM 25: 2.1, 42: 0.4.
  static constexpr std::int64_t low_neighbour_degree = 28;
  /// Rows of one grab of the method for low degrees.
  static constexpr index_t rows_per_grab = 1024;
  /// Stored entries of one grab of the method for skewed degrees. A row beyond it is shared.
  static constexpr std::int64_t entries_per_grab = 2048;
  /// Lists from here on are worth avoiding. Always taking the shorter one counts R-MAT 16 as fast,
  /// but FEM and web graphs 1.2 to 1.6 times slower, since every row is then read to its end.
  static constexpr index_t long_list = 64;
  /// Degrees from here on are ordered by comparison, those below by counting.
  static constexpr std::int64_t counted_degrees = 4096;
};

}  // namespace sparserepro
