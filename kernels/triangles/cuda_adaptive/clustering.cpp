#include "triangles/cuda_adaptive/clustering.hpp"

namespace sparserepro {

Clustering clustering(const Graph& graph, const std::vector<std::uint64_t>& of_vertex) {
  double triples = 0.0, local = 0.0;
  std::uint64_t corners = 0;
  for (index_t v = 0; v < graph.vertices; ++v) {
    const std::int64_t degree = graph.degree(v);
    triples += 0.5 * static_cast<double>(degree) * static_cast<double>(degree - 1);
    corners += of_vertex[v];
    local += local_clustering(of_vertex[v], degree);
  }
  return {triples > 0.0 ? static_cast<double>(corners) / triples : 0.0,
          graph.vertices > 0 ? local / graph.vertices : 0.0};
}

}  // namespace sparserepro
