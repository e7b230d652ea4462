// Serial count: for every stored (i, k), the common neighbours of i and k by a merge of their rows;
// each triangle is met at its 3 edges in 2 directions, hence the division by 6.
// Source: Algorithms 4 and 5 of the triangle seed. The sum is 64 bits wide; the seed's int
// overflows on large graphs.
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"
#include "triangles/papers/compare_blocks.hpp"

namespace sparserepro {
namespace {

class SerialTriangles final : public HostTrianglesRun {
 public:
  SerialTriangles(const TrianglesProblem& problem, const Params&) : HostTrianglesRun(problem) {}

  void execute() override {
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
