// Triangles at each edge and each vertex of a graph.
//
// Each edge points to its end with the larger (degree, id). A triangle u -> v, u -> w, v -> w is
// found at u alone, by marks of N+(u), and counted at its three edges:
//
//   support(u -> v) = sum over w in N+(u) o N+(v) of 1, and 1 more for each triangle found
//   elsewhere t(v) = 1/2 sum of the supports of the edges at v,  triangles = 1/3 sum of t(v)
//
// Integers are added, so that the answer does not depend on the order or the threads.
//
// Source: Schank and Wagner, WEA 2005 (forward), with markers as in Latapy, TCS 407, 2008; support
// as in Cohen, "Trusses: cohesive subgraphs for social network analysis", 2008.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/graph.hpp"
#include "sparserepro/triangles.hpp"

namespace sparserepro {

/// Counts at the edges of `graph`, whose arrays outlive this.
class SupportCounter {
 public:
  /// Orients the graph. O(vertices + edges) memory, and 4 bytes a vertex for each thread.
  SupportCounter(const GraphView& graph, int threads);

  /// Fills the arrays of `counts` that are there; returns the number of triangles.
  std::uint64_t count(const host::TriangleCounts& counts);

  std::int64_t bytes() const;

 private:
  bool later(index_t u, index_t v) const {
    const std::int64_t of_u = graph_.degree(u), of_v = graph_.degree(v);
    return of_v > of_u || (of_v == of_u && v > u);
  }
  void list_triangles();
  std::uint64_t support_of(index_t u, index_t v) const;

  GraphView graph_;
  int threads_;
  Buffer<std::int64_t> start_;           // [vertices + 1] of N+(u)
  Buffer<index_t> ends_;                 // [edges] N+, each row ascending
  Buffer<std::uint64_t> support_;        // [edges]
  std::vector<Buffer<index_t>> marked_;  // [threads][vertices] place in N+(u) plus 1, else 0
};

}  // namespace sparserepro
