// Triangles at edges and vertices of a graph, by the definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "formats/graph.hpp"

namespace sparserepro::testing {

struct TriangleAnswer {
  std::uint64_t all = 0;
  std::vector<std::uint64_t> of_vertex, of_entry;
};

/// Common neighbours of the ends of each stored entry.
inline TriangleAnswer triangles_by_definition(const Graph& graph) {
  TriangleAnswer answer;
  for (index_t u = 0; u < graph.vertices; ++u) {
    std::uint64_t at_edges = 0;
    for (const index_t* v = graph.begin(u); v != graph.end(u); ++v) {
      std::vector<index_t> common;
      std::set_intersection(graph.begin(u), graph.end(u), graph.begin(*v), graph.end(*v),
                            std::back_inserter(common));
      answer.of_entry.push_back(common.size());
      at_edges += common.size();
    }
    answer.of_vertex.push_back(at_edges / 2);
  }
  answer.all = std::accumulate(answer.of_vertex.begin(), answer.of_vertex.end(), std::uint64_t{0});
  answer.all /= 3;
  return answer;
}

}  // namespace sparserepro::testing
