// Serial count: triangles = 1/6 sum over stored entries (i, k) of |N(i) o N(k)|, by merges of rows.
// Each triangle is counted at 3 edges in 2 directions. Source: Algorithms 4 and 5 of the triangle
// seed. Corrected: the sum has 64 bits; the seed's int overflows on large graphs. The terms are the
// triangles with the edges, and half the sum of a row is the number at its vertex.
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"
#include "triangles/papers/compare_blocks.hpp"

namespace sparserepro {
namespace {

class SerialTriangles final : public HostTrianglesRun {
 public:
  SerialTriangles(const TrianglesProblem& problem, const Params&) : HostTrianglesRun(problem) {}

  void execute() override {
    if (problem_.output() != TrianglesOutput::total) {
      return count_each();
    }
    std::uint64_t sum = 0;
    for (index_t i = 0; i < graph_.vertices; ++i) {
      const index_t* const row = graph_.begin(i);
      const index_t* const row_end = graph_.end(i);
      for (const index_t* k = row; k != row_end; ++k) {
        sum += compare_blocks(row, row_end, graph_.begin(*k), graph_.end(*k));
      }
    }
    triangles_ = sum / 6;
  }

 private:
  void count_each() {
    std::uint64_t sum = 0;
    for (index_t i = 0; i < graph_.vertices; ++i) {
      const std::uint64_t before = sum;
      for (const index_t* k = graph_.begin(i); k != graph_.end(i); ++k) {
        const std::uint64_t common =
            compare_blocks(graph_.begin(i), graph_.end(i), graph_.begin(*k), graph_.end(*k));
        sum += common;
        if (!of_entry_.empty()) {
          of_entry_[static_cast<std::size_t>(k - graph_.col_idx.data())] = common;
        }
      }
      if (!of_vertex_.empty()) {
        of_vertex_[static_cast<std::size_t>(i)] = (sum - before) / 2;
      }
    }
    triangles_ = sum / 6;
  }
};

}  // namespace

Algorithm<TrianglesProblem> triangles_serial() {
  return {.name = "serial",
          .summary = "merge of both rows for every stored entry, sum / 6",
          .source = "triangle seed, Algorithms 4 and 5",
          .backend = Backend::serial,
          .prepare = make_run<SerialTriangles, TrianglesProblem>};
}

}  // namespace sparserepro
