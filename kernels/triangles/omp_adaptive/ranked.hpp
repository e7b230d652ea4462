// A graph renumbered by degree, each row with its neighbours of larger degree.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/graph.hpp"

namespace sparserepro {

/// Vertex `rank` 0 has the largest degree; among equals the smaller id comes first. Row r begins at
/// start(r) and is as long as r's degree. It holds N+(r), the later(r) ranks of r's neighbours that
/// are below r, in no order; the rest of the row is unused. later(r) <= sqrt(2 edges).
class RankedGraph {
 public:
  /// Allocates for `graph`, whose arrays outlive this.
  RankedGraph(const GraphView& graph, int threads);

  /// Fills all arrays. O(vertices + edges).
  void build();

  index_t vertices() const { return graph_.vertices; }
  std::int64_t stored() const { return graph_.stored(); }
  std::int64_t start(index_t rank) const { return start_[rank]; }
  index_t later(index_t rank) const { return later_[rank]; }
  const index_t* row(index_t rank) const { return neighbours_.data() + start_[rank]; }
  /// The rank in whose row `entry` is.
  index_t rank_of(std::int64_t entry) const;
  std::int64_t bytes() const;

 private:
  void rank_vertices();
  void fill_rows();

  GraphView graph_;
  int threads_;
  Buffer<index_t> rank_;           // [vertices] of each vertex of the graph
  Buffer<std::int64_t> start_;     // [vertices+1]
  Buffer<index_t> later_;          // [vertices]
  Buffer<index_t> neighbours_;     // [stored]
  Buffer<index_t> degree_counts_;  // [threads][counted_degrees]
  std::vector<index_t> large_;     // vertices whose degree is not counted
};

}  // namespace sparserepro
