// Oracle of triangle counting: binary searches instead of merges or markers. Not a competitor.
#include <algorithm>

#include "triangles/triangles.hpp"

namespace sparserepro {

std::uint64_t triangles_reference(const Graph& graph, int threads) {
  std::uint64_t triangles = 0;
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads) reduction(+ : triangles)
  for (index_t u = 0; u < graph.vertices; ++u) {
    const index_t* p = std::upper_bound(graph.begin(u), graph.end(u), u);
    for (; p != graph.end(u); ++p) {
      const index_t v = *p;
      const bool u_is_shorter = graph.degree(u) < graph.degree(v);
      const index_t few = u_is_shorter ? u : v, many = u_is_shorter ? v : u;
      const index_t* w = std::upper_bound(graph.begin(few), graph.end(few), v);
      for (; w != graph.end(few); ++w) {
        triangles += std::binary_search(graph.begin(many), graph.end(many), *w) ? 1 : 0;
      }
    }
  }
  return triangles;
}

}  // namespace sparserepro
