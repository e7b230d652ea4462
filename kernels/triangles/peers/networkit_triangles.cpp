// NetworKit's TriangleEdgeScore, in parallel: a third of the sum of the triangles at all edges. The
// library's graph, with the edge numbers that the method requires, is made before the clock starts;
// the directed lists that the call builds from it are part of the call.
//
// Source: M. Ortmann and U. Brandes, "Triangle listing algorithms: back from the diversion",
// ALENEX 2014.
#include "peers/available.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"

#ifdef SPARSEREPRO_HAS_NETWORKIT

#include <omp.h>

#include <memory>
#include <networkit/auxiliary/Log.hpp>
#include <networkit/edgescores/TriangleEdgeScore.hpp>
#include <networkit/graph/Graph.hpp>

namespace sparserepro {
namespace {

class NetworkitTriangles final : public HostTrianglesRun {
 public:
  NetworkitTriangles(const TrianglesProblem& problem, const Params& params)
      : HostTrianglesRun(problem),
        threads_(params.threads()),
        library_graph_(static_cast<NetworKit::count>(graph_.vertices)) {
    Aux::Log::setLogLevel("ERROR");  // other levels print lines on standard output at each call
    for (index_t u = 0; u < graph_.vertices; ++u) {
      for (const index_t* v = graph_.begin(u); v != graph_.end(u); ++v) {
        if (*v > u) {
          library_graph_.addEdge(static_cast<NetworKit::node>(u), static_cast<NetworKit::node>(*v));
        }
      }
    }
    library_graph_.indexEdges();
  }

  void discard() override { scores_.reset(); }
  void execute() override {
    omp_set_num_threads(threads_);
    scores_ = std::make_unique<NetworKit::TriangleEdgeScore>(library_graph_);
    scores_->run();
    const auto& scores = scores_->scores();
    std::uint64_t corners = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(+ : corners)
    for (std::size_t edge = 0; edge < scores.size(); ++edge) {
      corners += scores[edge];
    }
    triangles_ = corners / 3;
  }
  /// Bytes of the library's graph: a neighbour and the number of the edge for each end of an edge.
  /// Memory that the call allocates is unknown and not counted.
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(sizeof(NetworKit::node) + sizeof(NetworKit::edgeid)) *
           graph_.stored();
  }

 private:
  int threads_;
  NetworKit::Graph library_graph_;
  std::unique_ptr<NetworKit::TriangleEdgeScore> scores_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_networkit_triangles() {
  return {.name = "networkit_triangles",
          .summary = "NetworKit, triangles of every edge",
          .source = networkit_library.title() + ", TriangleEdgeScore",
          .backend = Backend::omp,
          .peer = true,
          .unavailable = [] { return networkit_library.unavailable(); },
#ifdef SPARSEREPRO_HAS_NETWORKIT
          .prepare = make_run<NetworkitTriangles, TrianglesProblem>
#endif
  };
}

}  // namespace sparserepro
