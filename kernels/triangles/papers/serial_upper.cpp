// Serial count over the strict upper triangle: triangles = 1/3 sum over entries (i, k), k > i, of
// |N(i) o N(k)|. Each triangle is counted at 3 edges.
// Source: Algorithm 6 of the triangle seed. Corrected: as printed, it compares i with k before it
// reads k, and if the test fails it adds the matches of the entry before again (17/3 instead of 3
// triangles on the seed's example). The seed calls k > i the lower triangle; it is the upper one.
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"
#include "triangles/papers/compare_blocks.hpp"

namespace sparserepro {
namespace {

class SerialUpperTriangles final : public HostTrianglesRun {
 public:
  SerialUpperTriangles(const TrianglesProblem& problem, const Params&)
      : HostTrianglesRun(problem) {}

  void execute() override {
    std::uint64_t sum = 0;
    for (index_t i = 0; i < graph_.vertices; ++i) {
      const index_t* const row = graph_.begin(i);
      const index_t* const row_end = graph_.end(i);
      for (const index_t* p = row; p != row_end; ++p) {
        const index_t k = *p;
        if (k > i) {
          sum += compare_blocks(row, row_end, graph_.begin(k), graph_.end(k));
        }
      }
    }
    triangles_ = sum / 3;
  }
};

}  // namespace

Algorithm<TrianglesProblem> triangles_serial_upper() {
  return {.name = "serial_upper",
          .summary = "merge of both rows for entries right of the diagonal, sum / 3",
          .source = "triangle seed, Algorithms 5 and 6 (corrected)",
          .backend = Backend::serial,
          .prepare = make_run<SerialUpperTriangles, TrianglesProblem>};
}

}  // namespace sparserepro
