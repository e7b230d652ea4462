// igraph, on one thread: igraph_count_triangles from version 0.10.16 on; before, a third of the sum
// of the triangles at all vertices (igraph_adjacent_triangles). The library's graph is made before
// the clock starts; the adjacency lists that the call builds from it are part of the call.
#include <vector>

#include "peers/available.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"

#ifdef SPARSEREPRO_HAS_IGRAPH

#include <igraph.h>

#include <new>
#include <stdexcept>

// Version 0.10.16 introduced the call for the total.
#if IGRAPH_VERSION_MAJOR > 0 || IGRAPH_VERSION_MINOR > 10 || IGRAPH_VERSION_PATCH >= 16
#define SPARSEREPRO_IGRAPH_COUNTS
#define SPARSEREPRO_IGRAPH_CALL "igraph_count_triangles"
#else
#define SPARSEREPRO_IGRAPH_CALL "igraph_adjacent_triangles"
#endif

namespace sparserepro {
namespace {

void check(igraph_error_t error, const char* call) {
  if (error == IGRAPH_ENOMEM) {
    throw std::bad_alloc();
  }
  if (error != IGRAPH_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": " + igraph_strerror(error));
  }
}

class IgraphTriangles final : public HostTrianglesRun {
 public:
  IgraphTriangles(const TrianglesProblem& problem, const Params&) : HostTrianglesRun(problem) {
    igraph_set_error_handler(igraph_error_handler_ignore);
    std::vector<igraph_integer_t> ends;
    ends.reserve(static_cast<std::size_t>(graph_.stored()));
    for (index_t u = 0; u < graph_.vertices; ++u) {
      for (const index_t* v = graph_.begin(u); v != graph_.end(u); ++v) {
        if (*v > u) {
          ends.push_back(u);
          ends.push_back(*v);
        }
      }
    }
    igraph_vector_int_t edges;
    igraph_vector_int_view(&edges, ends.data(), static_cast<igraph_integer_t>(ends.size()));
    check(igraph_create(&library_graph_, &edges, graph_.vertices, IGRAPH_UNDIRECTED),
          "igraph_create");
    check(igraph_vector_init(&counts_, graph_.vertices), "igraph_vector_init");
  }
  ~IgraphTriangles() override {
    igraph_vector_destroy(&counts_);
    igraph_destroy(&library_graph_);
  }
  IgraphTriangles(const IgraphTriangles&) = delete;
  IgraphTriangles& operator=(const IgraphTriangles&) = delete;

  void execute() override {
#ifdef SPARSEREPRO_IGRAPH_COUNTS
    igraph_real_t count = 0;
    check(igraph_count_triangles(&library_graph_, &count), SPARSEREPRO_IGRAPH_CALL);
    triangles_ = static_cast<std::uint64_t>(count);
#else
    check(igraph_adjacent_triangles(&library_graph_, &counts_, igraph_vss_all()),
          SPARSEREPRO_IGRAPH_CALL);
    triangles_ = static_cast<std::uint64_t>(igraph_vector_sum(&counts_)) / 3;
#endif
  }
  /// Bytes of the library's graph: four arrays of edges, two of vertices. Memory that the call
  /// allocates is unknown and not counted.
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(sizeof(igraph_integer_t)) *
           (4 * graph_.edges() + 2 * (std::int64_t{graph_.vertices} + 1));
  }

 private:
  igraph_t library_graph_{};
  igraph_vector_t counts_{};  // triangles at each vertex
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_igraph_triangles() {
  return {.name = "igraph_triangles",
          .summary = "igraph's count of triangles",
#ifdef SPARSEREPRO_HAS_IGRAPH
          .source = igraph_library.title() + ", " SPARSEREPRO_IGRAPH_CALL,
#else
          .source = igraph_library.title(),
#endif
          .backend = Backend::serial,
          .peer = true,
          .unavailable = [] { return igraph_library.unavailable(); },
#ifdef SPARSEREPRO_HAS_IGRAPH
          .prepare = make_run<IgraphTriangles, TrianglesProblem>
#endif
  };
}

}  // namespace sparserepro
