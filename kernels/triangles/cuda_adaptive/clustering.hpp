// Clustering coefficients of a graph from the triangles at its vertices.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/graph.hpp"
#include "triangles/local_clustering.hpp"

namespace sparserepro {

struct Clustering {
  double global;      ///< 3 triangles / sum over vertices of d (d - 1) / 2, 0 without such pairs
  double mean_local;  ///< mean of local_clustering over all vertices, 0 without vertices
};

/// `of_vertex` holds the triangles at each vertex.
Clustering clustering(const Graph& graph, const std::vector<std::uint64_t>& of_vertex);

}  // namespace sparserepro
