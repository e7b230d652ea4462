// Local clustering coefficient of a vertex: the share of the pairs of its neighbours that are
// adjacent. Watts and Strogatz, "Collective dynamics of small-world networks", Nature 393, 1998.
#pragma once

#include <cstdint>

namespace sparserepro {

/// 2 t / (d (d - 1)) for t triangles at a vertex of degree d, and 0 for d < 2.
constexpr double local_clustering(std::uint64_t t, std::int64_t degree) {
  return degree < 2 ? 0.0
                    : 2.0 * static_cast<double>(t) /
                          (static_cast<double>(degree) * static_cast<double>(degree - 1));
}

}  // namespace sparserepro
